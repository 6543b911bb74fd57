// The type has no sign.
func.func @negative() -> f8E8M0FNU {
  %0 = arith.constant -2.0 : f8E8M0FNU
  return %0 : f8E8M0FNU
}
