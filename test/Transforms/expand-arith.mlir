// RUN: fp8-opt --fp8-expand-arith --cse %s | FileCheck %s --implicit-check-not=fastmath

// CHECK-LABEL: func @extf_e4m3fn
//  CHECK-SAME:   (%[[X:.+]]: f8E4M3FN)
//       CHECK:   %[[BYTE:.+]] = arith.bitcast %[[X]] : f8E4M3FN to i8
//       CHECK:   %[[CODE:.+]] = arith.extsi %[[BYTE]] : i8 to i32
//       CHECK:   arith.subf
//       CHECK:   arith.select %{{[^ ]+}}, %c2143289344
//   CHECK-NOT:   arith.extf
//       CHECK:   %[[F32:.+]] = arith.bitcast %{{[^ ]+}} : i32 to f32
//       CHECK:   return %[[F32]]
func.func @extf_e4m3fn(%x: f8E4M3FN) -> f32 {
  %0 = arith.extf %x : f8E4M3FN to f32
  return %0 : f32
}

// CHECK-LABEL: func @extf_bf16_is_a_shift
//       CHECK:   %[[BITS:.+]] = arith.bitcast %{{[^ ]+}} : bf16 to i16
//       CHECK:   %[[WIDE:.+]] = arith.extui %[[BITS]] : i16 to i32
//       CHECK:   %[[SHIFTED:.+]] = arith.shli %[[WIDE]], %c16
//       CHECK:   %[[F32:.+]] = arith.bitcast %[[SHIFTED]] : i32 to f32
//  CHECK-NEXT:   return %[[F32]]
func.func @extf_bf16_is_a_shift(%x: bf16) -> f32 {
  %0 = arith.extf %x : bf16 to f32
  return %0 : f32
}

// CHECK-LABEL: func @extf_through_f32
//       CHECK:   arith.ori
//       CHECK:   %[[F32:.+]] = arith.bitcast %{{[^ ]+}} : i32 to f32
//       CHECK:   arith.extf %[[F32]] : f32 to f64
//       CHECK:   arith.truncf %[[F32]] : f32 to f16
//       CHECK:   %[[HIGH:.+]] = arith.shrui %{{[^ ]+}}, %c16
//       CHECK:   arith.trunci %[[HIGH]] : i32 to i16
//       CHECK:   return
func.func @extf_through_f32(%x: f8E5M2) -> (f64, f16, bf16) {
  %0 = arith.extf %x : f8E5M2 to f64
  %1 = arith.extf %x : f8E5M2 to f16
  %2 = arith.extf %x : f8E5M2 to bf16
  return %0, %1, %2 : f64, f16, bf16
}

// The clamp at 127 makes NaN of all that is too large.
// CHECK-LABEL: func @truncf_e4m3fn
//       CHECK:   %[[MAGNITUDE:.+]] = arith.andi %{{[^ ]+}}, %c2147483647
//       CHECK:   arith.addf %{{[^ ]+}}, %{{[^ ]+}} : f32
//       CHECK:   %[[CODE:.+]] = arith.select
//       CHECK:   %[[LIMITED:.+]] = arith.minui %[[CODE]], %c127
//       CHECK:   %[[SIGNED:.+]] = arith.ori %[[LIMITED]]
//       CHECK:   %[[BYTE:.+]] = arith.trunci %[[SIGNED]] : i32 to i8
//       CHECK:   arith.bitcast %[[BYTE]] : i8 to f8E4M3FN
func.func @truncf_e4m3fn(%x: f32) -> f8E4M3FN {
  %0 = arith.truncf %x : f32 to f8E4M3FN
  return %0 : f8E4M3FN
}

// CHECK-LABEL: func @truncf_fnuz_has_no_minus_zero
//       CHECK:   %[[CODE:.+]] = arith.minui %{{[^ ]+}}, %c128
//       CHECK:   %[[SIGNED:.+]] = arith.ori %[[CODE]]
//       CHECK:   %[[ZERO:.+]] = arith.cmpi eq, %[[CODE]], %c0
//       CHECK:   arith.select %[[ZERO]], %[[CODE]], %[[SIGNED]]
func.func @truncf_fnuz_has_no_minus_zero(%x: f32) -> f8E5M2FNUZ {
  %0 = arith.truncf %x : f32 to f8E5M2FNUZ
  return %0 : f8E5M2FNUZ
}

// CHECK-LABEL: func @truncf_e5m2_keeps_infinity
//       CHECK:   %[[CODE:.+]] = arith.minui %{{[^ ]+}}, %c124
//       CHECK:   %[[NAN:.+]] = arith.cmpi ugt, %{{[^ ]+}}, %c2139095040
//       CHECK:   arith.select %[[NAN]], %c126{{.*}}, %[[CODE]]
func.func @truncf_e5m2_keeps_infinity(%x: f32) -> f8E5M2 {
  %0 = arith.truncf %x to_nearest_even : f32 to f8E5M2
  return %0 : f8E5M2
}

// CHECK-LABEL: func @truncf_f64_rounds_to_odd
//  CHECK-SAME:   (%[[X:.+]]: f64)
//       CHECK:   %[[NEAREST:.+]] = arith.truncf %[[X]] : f64 to f32
//       CHECK:   %[[BACK:.+]] = arith.extf %[[NEAREST]] : f32 to f64
//       CHECK:   %[[ERROR:.+]] = arith.subf %[[X]], %[[BACK]] : f64
//       CHECK:   arith.cmpf one, %[[ERROR]]
//       CHECK:   arith.bitcast %{{[^ ]+}} : i16 to bf16
func.func @truncf_f64_rounds_to_odd(%x: f64) -> bf16 {
  %0 = arith.truncf %x : f64 to bf16
  return %0 : bf16
}

// CHECK-LABEL: func @truncf_f16
//       CHECK:   arith.extf %{{[^ ]+}} : f16 to f32
//   CHECK-NOT:   arith.truncf
//       CHECK:   arith.bitcast %{{[^ ]+}} : i8 to f8E4M3FN
func.func @truncf_f16(%x: f16) -> f8E4M3FN {
  %0 = arith.truncf %x : f16 to f8E4M3FN
  return %0 : f8E4M3FN
}

// CHECK-LABEL: func @truncf_f128
//       CHECK:   arith.truncf %{{[^ ]+}} : f128 to f32
//       CHECK:   arith.bitcast %{{[^ ]+}} : i8 to f8E4M3FNUZ
func.func @truncf_f128(%x: f128) -> f8E4M3FNUZ {
  %0 = arith.truncf %x : f128 to f8E4M3FNUZ
  return %0 : f8E4M3FNUZ
}

// CHECK-LABEL: func @addf
//       CHECK:   %[[SUM:.+]] = arith.addf %{{[^ ]+}}, %{{[^ ]+}} : f32
//       CHECK:   arith.bitcast %[[SUM]] : f32 to i32
//       CHECK:   arith.bitcast %{{[^ ]+}} : i16 to bf16
func.func @addf(%x: bf16, %y: bf16) -> bf16 {
  %0 = arith.addf %x, %y fastmath<contract,nnan> : bf16
  return %0 : bf16
}

// CHECK-LABEL: func @fpowi
//  CHECK-SAME:   (%{{[^ ]+}}: f8E5M2, %[[N:.+]]: i32)
//       CHECK:   math.fpowi %{{[^ ]+}}, %[[N]] : f32, i32
func.func @fpowi(%x: f8E5M2, %n: i32) -> f8E5M2 {
  %0 = math.fpowi %x, %n fastmath<fast> : f8E5M2, i32
  return %0 : f8E5M2
}

// CHECK-LABEL: func @sincos
//       CHECK:   %[[SIN:.+]], %[[COS:.+]] = math.sincos %{{[^ ]+}} : f32
//       CHECK:   arith.bitcast %[[SIN]]
//       CHECK:   arith.bitcast %[[COS]]
func.func @sincos(%x: bf16) -> (bf16, bf16) {
  %0, %1 = math.sincos %x : bf16
  return %0, %1 : bf16, bf16
}

// CHECK-LABEL: func @cmpf
//       CHECK:   %[[R:.+]] = arith.cmpf ult, %{{[^ ]+}}, %{{[^ ]+}} : f32
//       CHECK:   return %[[R]] : i1
func.func @cmpf(%x: f8E4M3FN, %y: f8E4M3FN) -> i1 {
  %0 = arith.cmpf ult, %x, %y fastmath<nnan> : f8E4M3FN
  return %0 : i1
}

// CHECK-LABEL: func @fptosi
//       CHECK:   arith.fptosi %{{[^ ]+}} : f32 to i8
func.func @fptosi(%x: f8E4M3FN) -> i8 {
  %0 = arith.fptosi %x : f8E4M3FN to i8
  return %0 : i8
}

// CHECK-LABEL: func @negf
//       CHECK:   arith.xori %{{[^ ]+}}, %c-32768
//   CHECK-NOT:   arith.select
//       CHECK:   %[[FLIPPED:.+]] = arith.xori %[[BITS:.+]], %c-128
//       CHECK:   arith.andi %[[BITS]], %c127
//       CHECK:   arith.select %{{[^ ]+}}, %[[BITS]], %[[FLIPPED]]
//       CHECK:   return
func.func @negf(%x: bf16, %y: f8E4M3FNUZ) -> (bf16, f8E4M3FNUZ) {
  %0 = arith.negf %x : bf16
  %1 = arith.negf %y : f8E4M3FNUZ
  return %0, %1 : bf16, f8E4M3FNUZ
}

// CHECK-LABEL: func @absf
//       CHECK:   arith.andi %{{[^ ]+}}, %c32767
//   CHECK-NOT:   arith.select
//       CHECK:   %[[NAN:.+]] = arith.cmpi eq, %[[BITS:.+]], %c-128
//       CHECK:   arith.select %[[NAN]], %[[BITS]]
//       CHECK:   return
func.func @absf(%x: bf16, %y: f8E4M3FNUZ) -> (bf16, f8E4M3FNUZ) {
  %0 = math.absf %x : bf16
  %1 = math.absf %y : f8E4M3FNUZ
  return %0, %1 : bf16, f8E4M3FNUZ
}

// CHECK-LABEL: func @copysign
//   CHECK-NOT:   math.copysign
//       CHECK:   return
func.func @copysign(%x: f8E4M3FN, %y: f8E4M3FN) -> f8E4M3FN {
  %0 = math.copysign %x, %y : f8E4M3FN
  return %0 : f8E4M3FN
}

// CHECK-LABEL: func @isnormal
//   CHECK-NOT:   math.isnormal
//       CHECK:   arith.cmpi ult, %{{[^ ]+}}, %c119
func.func @isnormal(%x: f8E4M3FN) -> i1 {
  %0 = math.isnormal %x : f8E4M3FN
  return %0 : i1
}

// CHECK-LABEL: func @fma_is_one_rounding
//       CHECK:   arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : f64
//       CHECK:   arith.addf %{{[^ ]+}}, %{{[^ ]+}} : f64
//   CHECK-NOT:   math.fma
//       CHECK:   arith.truncf %{{[^ ]+}} : f64 to f32
func.func @fma_is_one_rounding(%x: bf16, %y: bf16, %z: bf16) -> bf16 {
  %0 = math.fma %x, %y, %z : bf16
  return %0 : bf16
}

// CHECK-LABEL: func @sitofp
//       CHECK:   arith.sitofp %{{[^ ]+}} : i16 to f32
//       CHECK:   arith.sitofp %{{[^ ]+}} : i32 to f64
//       CHECK:   arith.andi %{{[^ ]+}}, %c-2048
//       CHECK:   arith.sitofp %{{[^ ]+}} : i64 to f64
//       CHECK:   arith.sitofp %{{[^ ]+}} : i128 to f32
func.func @sitofp(%a: i16, %b: i32, %c: i64, %d: i128) -> (bf16, bf16, bf16, f8E5M2) {
  %0 = arith.sitofp %a : i16 to bf16
  %1 = arith.sitofp %b : i32 to bf16
  %2 = arith.sitofp %c : i64 to bf16
  %3 = arith.sitofp %d : i128 to f8E5M2
  return %0, %1, %2, %3 : bf16, bf16, bf16, f8E5M2
}

// CHECK-LABEL: func @constants
//       CHECK:   %[[ONE:.+]] = arith.constant 56 : i8
//       CHECK:   arith.bitcast %[[ONE]] : i8 to f8E4M3FN
//       CHECK:   %[[V:.+]] = arith.constant dense<[16256, -16384]> : vector<2xi16>
//       CHECK:   arith.bitcast %[[V]] : vector<2xi16> to vector<2xbf16>
//       CHECK:   arith.constant dense<127> : vector<[4]xi8>
//       CHECK:   arith.constant -128 : i8
//       CHECK:   return
func.func @constants() -> (f8E4M3FN, vector<2xbf16>, vector<[4]xf8E8M0FNU>, f8E4M3FNUZ) {
  %0 = arith.constant 1.0 : f8E4M3FN
  %1 = arith.constant dense<[1.0, -2.0]> : vector<2xbf16>
  %2 = arith.constant dense<1.0> : vector<[4]xf8E8M0FNU>
  %3 = arith.constant 0x80 : f8E4M3FNUZ
  return %0, %1, %2, %3 : f8E4M3FN, vector<2xbf16>, vector<[4]xf8E8M0FNU>, f8E4M3FNUZ
}

// CHECK-LABEL: func @in_a_linalg_body
//       CHECK:   linalg.generic
//       CHECK:     arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : f32
//       CHECK:     %[[R:.+]] = arith.bitcast %{{[^ ]+}} : i16 to bf16
//       CHECK:     linalg.yield %[[R]] : bf16
func.func @in_a_linalg_body(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<4xbf16>) {
  ^bb0(%e: bf16):
    %c = arith.constant 3.0 : bf16
    %1 = arith.mulf %e, %c : bf16
    linalg.yield %1 : bf16
  } -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// CHECK-LABEL: func @in_a_loop
//       CHECK:   scf.for
//       CHECK:     %[[X:.+]] = memref.load
//       CHECK:     arith.bitcast %[[X]] : bf16 to i16
//       CHECK:     scf.yield %{{[^ ]+}} : bf16
func.func @in_a_loop(%m: memref<4xbf16>, %l: index, %u: index, %x: bf16) -> bf16 {
  %0 = scf.for %i = %l to %u step %u iter_args(%a = %x) -> bf16 {
    %1 = memref.load %m[%i] : memref<4xbf16>
    %2 = arith.maximumf %a, %1 : bf16
    scf.yield %2 : bf16
  }
  return %0 : bf16
}

// Negative: tensors are for other passes.
// CHECK-LABEL: func @tensors_stay
//  CHECK-NEXT:   %[[C:.+]] = arith.constant dense<1.000000e+00> : tensor<4xbf16>
//  CHECK-NEXT:   arith.addf %{{[^ ]+}}, %[[C]] : tensor<4xbf16>
func.func @tensors_stay(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = arith.constant dense<1.0> : tensor<4xbf16>
  %1 = arith.addf %x, %0 : tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// Negative: LLVM selects bytes as well as numbers.
// CHECK-LABEL: func @select_and_bitcast_stay
//  CHECK-NEXT:   arith.select %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : f8E4M3FN
//  CHECK-NEXT:   arith.bitcast %{{[^ ]+}} : f8E4M3FN to f8E5M2
//  CHECK-NEXT:   return
func.func @select_and_bitcast_stay(%c: i1, %x: f8E4M3FN, %y: f8E4M3FN) -> f8E5M2 {
  %0 = arith.select %c, %x, %y : f8E4M3FN
  %1 = arith.bitcast %0 : f8E4M3FN to f8E5M2
  return %1 : f8E5M2
}

// Negative: LLVM has these.
// CHECK-LABEL: func @wide_floats_stay
//  CHECK-NEXT:   arith.constant 1.000000e+00 : f16
//  CHECK-NEXT:   arith.addf %{{[^ ]+}}, %{{[^ ]+}} : f16
//  CHECK-NEXT:   math.exp %{{[^ ]+}} : f16
//  CHECK-NEXT:   arith.extf %{{[^ ]+}} : f16 to f64
//  CHECK-NEXT:   return
func.func @wide_floats_stay(%x: f16) -> f64 {
  %0 = arith.constant 1.0 : f16
  %1 = arith.addf %x, %0 : f16
  %2 = math.exp %1 : f16
  %3 = arith.extf %2 : f16 to f64
  return %3 : f64
}

// The casts stay, but without the flag that would fold them away.
// CHECK-LABEL: func @flags_of_casts_go
//       CHECK:   arith.truncf %{{[^ ]+}} : f32 to f16
//       CHECK:   arith.extf %{{[^ ]+}} : f16 to f32
//       CHECK:   arith.truncf %{{[^ ]+}} : tensor<4xf32> to tensor<4xbf16>
func.func @flags_of_casts_go(%x: f32, %t: tensor<4xf32>) -> (f32, tensor<4xbf16>) {
  %0 = arith.truncf %x fastmath<contract> : f32 to f16
  %1 = arith.extf %0 fastmath<contract> : f16 to f32
  %2 = arith.truncf %t fastmath<contract> : tensor<4xf32> to tensor<4xbf16>
  return %1, %2 : f32, tensor<4xbf16>
}
