// C35: bytes and no arithmetic on them: no leftover cast, no float op on i8, and none
// on bfloat, whose casts would be calls that libgcc lacks.
// RUN: fp8-opt %s --fp8-expand-arith --convert-scf-to-cf --convert-math-to-llvm \
// RUN:   --convert-math-to-libm --convert-arith-to-llvm --convert-cf-to-llvm \
// RUN:   --finalize-memref-to-llvm --convert-func-to-llvm \
// RUN:   --reconcile-unrealized-casts | mlir-translate-22 --mlir-to-llvmir \
// RUN:   | FileCheck %s --implicit-check-not=unrealized \
// RUN:     --implicit-check-not='{{ f(add|sub|mul|div|rem|neg|cmp|ptrunc|pext|ptosi|ptoui) .*(bfloat|i8)}}' \
// RUN:     --implicit-check-not='{{itofp .*bfloat}}' --implicit-check-not='.bf16'

// CHECK-LABEL: define { i1, i8 } @e4m3fn(
//       CHECK:   load i8
//       CHECK:   fadd float
//       CHECK:   and i8 %{{[^ ]+}}, 127
//       CHECK:   fcmp olt float
//       CHECK:   select i1 %{{[^ ]+}}, i8
func.func @e4m3fn(%p: memref<4xf8E4M3FN>, %i: index) -> (i1, f8E4M3FN) {
  %one = arith.constant 1.0 : f8E4M3FN
  %x = memref.load %p[%i] : memref<4xf8E4M3FN>
  %s = arith.addf %x, %one : f8E4M3FN
  %a = math.absf %s : f8E4M3FN
  %lt = arith.cmpf olt, %x, %one : f8E4M3FN
  %r = arith.select %lt, %a, %x : f8E4M3FN
  return %lt, %r : i1, f8E4M3FN
}

// CHECK-LABEL: define bfloat @bf16(
//       CHECK:   load bfloat
//       CHECK:   bitcast bfloat %{{[^ ]+}} to i16
//       CHECK:   fmul float
//       CHECK:   call float @llvm.exp.f32
//       CHECK:   fcmp ogt float
//       CHECK:   select i1 %{{[^ ]+}}, bfloat
//       CHECK:   store bfloat
func.func @bf16(%p: memref<4xbf16>, %i: index, %d: f64) -> bf16 {
  %half = arith.constant 0.5 : bf16
  %x = memref.load %p[%i] : memref<4xbf16>
  %m = arith.mulf %x, %half : bf16
  %e = math.exp %m : bf16
  %t = arith.truncf %d : f64 to bf16
  %gt = arith.cmpf ogt, %e, %t : bf16
  %r = arith.select %gt, %e, %t : bf16
  memref.store %r, %p[%i] : memref<4xbf16>
  return %r : bf16
}

// CHECK-LABEL: define <4 x i8> @vectors(
//       CHECK:   fdiv <4 x float>
//       CHECK:   trunc <4 x i32> %{{[^ ]+}} to <4 x i8>
func.func @vectors(%x: vector<4xf8E5M2>, %y: vector<4xbf16>) -> vector<4xf8E5M2> {
  %w = arith.extf %x : vector<4xf8E5M2> to vector<4xbf16>
  %q = arith.divf %w, %y : vector<4xbf16>
  %r = arith.truncf %q : vector<4xbf16> to vector<4xf8E5M2>
  return %r : vector<4xf8E5M2>
}

// A call passes them on as they are.
// CHECK-LABEL: define i8 @calls(
//       CHECK:   call i8 @callee(i8
func.func private @callee(%x: f8E4M3FNUZ, %s: f8E8M0FNU) -> f8E4M3FNUZ
func.func @calls(%x: f8E4M3FNUZ, %s: f8E8M0FNU) -> f8E4M3FNUZ {
  %0 = arith.negf %x : f8E4M3FNUZ
  %1 = call @callee(%0, %s) : (f8E4M3FNUZ, f8E8M0FNU) -> f8E4M3FNUZ
  return %1 : f8E4M3FNUZ
}
