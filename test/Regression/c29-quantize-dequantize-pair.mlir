// C29: a narrowing and the widening after it are not a no-op, and sums of FP8 are
// rounded one by one, even where the input allows contraction.
// RUN: fp8-opt --fp8-expand-arith --canonicalize --cse %s | FileCheck %s --implicit-check-not=fastmath

// CHECK-LABEL: func @pair
//       CHECK:   arith.minui %{{[^ ]+}}, %c127
//       CHECK:   arith.subf
//       CHECK:   return
func.func @pair(%x: f32) -> f32 {
  %0 = arith.truncf %x fastmath<contract> : f32 to f8E4M3FN
  %1 = arith.extf %0 fastmath<contract> : f8E4M3FN to f32
  return %1 : f32
}

// CHECK-LABEL: func @chain
//       CHECK:   arith.addf %{{[^ ]+}}, %{{[^ ]+}} : f32
//       CHECK:   arith.minui %{{[^ ]+}}, %c127
//       CHECK:   arith.addf %{{[^ ]+}}, %{{[^ ]+}} : f32
//       CHECK:   arith.minui %{{[^ ]+}}, %c127
//       CHECK:   return
func.func @chain(%x: f8E4M3FN, %y: f8E4M3FN, %z: f8E4M3FN) -> f8E4M3FN {
  %0 = arith.addf %x, %y fastmath<contract> : f8E4M3FN
  %1 = arith.addf %0, %z fastmath<contract> : f8E4M3FN
  return %1 : f8E4M3FN
}

// Negative: the other way round loses nothing, and folds before the expansion.
// RUN: fp8-opt --canonicalize --fp8-expand-arith %s | FileCheck %s --check-prefix=FOLD
//  FOLD-LABEL: func @widen_first
//  FOLD-SAME:   (%[[X:.+]]: f8E4M3FN)
//  FOLD-NEXT:   return %[[X]]
func.func @widen_first(%x: f8E4M3FN) -> f8E4M3FN {
  %0 = arith.extf %x : f8E4M3FN to f32
  %1 = arith.truncf %0 : f32 to f8E4M3FN
  return %1 : f8E4M3FN
}
