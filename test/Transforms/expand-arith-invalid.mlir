// RUN: fp8-opt --fp8-expand-arith --split-input-file --verify-diagnostics %s

func.func @rounding_mode(%x: f32) -> f8E4M3FN {
  // expected-error @below {{'arith.truncf' op expects rounding mode to_nearest_even, but got toward_zero}}
  %0 = arith.truncf %x toward_zero : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

// Negative: the default, spelt out.
func.func @rounding_mode_default(%x: f32) -> f8E4M3FN {
  %0 = arith.truncf %x to_nearest_even : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

// Negative: LLVM has other rounding modes for its own types.
func.func @rounding_mode_f16(%x: f32) -> f16 {
  %0 = arith.truncf %x toward_zero : f32 to f16
  return %0 : f16
}

// -----

func.func @wide_integers(%x: i128, %y: vector<2xi65>) {
  // expected-error @below {{'arith.sitofp' op expects an integer of at most 64 bits, but got 'i128'}}
  %0 = arith.sitofp %x : i128 to bf16
  // expected-error @below {{'arith.uitofp' op expects an integer of at most 64 bits, but got 'i65'}}
  %1 = arith.uitofp %y : vector<2xi65> to vector<2xf8E8M0FNU>
  return
}

// -----

// Negative: an integer that f32 rounds is far beyond f8E4M3FN.
func.func @wide_integer_to_e4m3(%x: i128) -> f8E4M3FN {
  %0 = arith.sitofp %x : i128 to f8E4M3FN
  return %0 : f8E4M3FN
}

// -----

func.func @casts_to_other_types(%x: f8E4M3FN, %y: f4E2M1FN, %z: bf16) {
  // expected-error @below {{'arith.truncf' op expects f16, f32, f64, f80, f128 or a small float on each side, but casts 'f8E4M3FN' to 'f4E2M1FN'}}
  %0 = arith.truncf %x : f8E4M3FN to f4E2M1FN
  // expected-error @below {{'arith.extf' op expects f16, f32, f64, f80, f128 or a small float on each side, but casts 'f4E2M1FN' to 'f8E5M2'}}
  %1 = arith.extf %y : f4E2M1FN to f8E5M2
  // expected-error @below {{'arith.extf' op expects f16, f32, f64, f80, f128 or a small float on each side, but casts 'bf16' to 'tf32'}}
  %2 = arith.extf %z : bf16 to tf32
  return
}

// -----

// Negative: no small float takes part.
func.func @casts_between_other_types(%x: f4E2M1FN) -> f32 {
  %0 = arith.extf %x : f4E2M1FN to f32
  return %0 : f32
}

// -----

func.func @negative_e8m0() -> f8E8M0FNU {
  // expected-error @below {{'arith.constant' op expects a number of 0 or more, but got -2.000000e+00 : f8E8M0FNU}}
  %0 = arith.constant -2.0 : f8E8M0FNU
  return %0 : f8E8M0FNU
}

// -----

// Negative: NaN has a code, and other types have negative numbers.
func.func @negative_e4m3() -> (f8E8M0FNU, f8E4M3FN) {
  %0 = arith.constant 0xFF : f8E8M0FNU
  %1 = arith.constant -2.0 : f8E4M3FN
  return %0, %1 : f8E8M0FNU, f8E4M3FN
}

// -----

func.func @unknown_ops(%x: f8E4M3FN, %s: f8E8M0FNU) -> vector<2xbf16> {
  // expected-error @below {{'arith.scaling_extf' op expects an op that fp8-expand-arith expands, but it has no expansion on 'f8E4M3FN'}}
  %0 = arith.scaling_extf %x, %s : f8E4M3FN, f8E8M0FNU to f32
  // expected-error @below {{'arith.constant' op expects an op that fp8-expand-arith expands, but it has no expansion on 'bf16'}}
  %1 = arith.constant dense_resource<elsewhere> : vector<2xbf16>
  return %1 : vector<2xbf16>
}

// -----

// Negative: ops of other dialects are left to their own lowerings.
func.func @other_dialects(%v: vector<4xbf16>) -> bf16 {
  %0 = vector.reduction <add>, %v : vector<4xbf16> into bf16
  return %0 : bf16
}
