// C38: rank 0, one element, five, rank 2, and scalable vectors expand and lower as
// scalars do. (That the numbers agree is tested in Integration/Cpu.)
// RUN: fp8-opt --fp8-expand-arith --cse %s | FileCheck %s
// RUN: fp8-opt %s --fp8-expand-arith --convert-arith-to-llvm \
// RUN:   --convert-func-to-llvm --reconcile-unrealized-casts \
// RUN:   | mlir-translate-22 --mlir-to-llvmir \
// RUN:   | FileCheck %s --check-prefix=LLVM --implicit-check-not=bfloat

// CHECK-LABEL: func @narrow
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<i8> to vector<f8E4M3FNUZ>
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<5xi8> to vector<5xf8E4M3FNUZ>
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<2x3xi8> to vector<2x3xf8E4M3FNUZ>
//  LLVM-LABEL: @narrow(
//        LLVM:   trunc <1 x i32> %{{[^ ]+}} to <1 x i8>
//        LLVM:   trunc <5 x i32> %{{[^ ]+}} to <5 x i8>
//        LLVM:   trunc <3 x i32> %{{[^ ]+}} to <3 x i8>
func.func @narrow(%a: vector<f32>, %b: vector<5xf32>, %c: vector<2x3xf32>) -> (vector<f8E4M3FNUZ>, vector<5xf8E4M3FNUZ>, vector<2x3xf8E4M3FNUZ>) {
  %0 = arith.truncf %a : vector<f32> to vector<f8E4M3FNUZ>
  %1 = arith.truncf %b : vector<5xf32> to vector<5xf8E4M3FNUZ>
  %2 = arith.truncf %c : vector<2x3xf32> to vector<2x3xf8E4M3FNUZ>
  return %0, %1, %2 : vector<f8E4M3FNUZ>, vector<5xf8E4M3FNUZ>, vector<2x3xf8E4M3FNUZ>
}

// CHECK-LABEL: func @widen
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<i32> to vector<f32>
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<1xi32> to vector<1xf32>
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<2x3xi32> to vector<2x3xf32>
//  LLVM-LABEL: @widen(
//        LLVM:   sext <3 x i8> %{{[^ ]+}} to <3 x i32>
func.func @widen(%a: vector<f8E5M2>, %b: vector<1xf8E5M2>, %c: vector<2x3xf8E5M2>) -> (vector<f32>, vector<1xf32>, vector<2x3xf32>) {
  %0 = arith.extf %a : vector<f8E5M2> to vector<f32>
  %1 = arith.extf %b : vector<1xf8E5M2> to vector<1xf32>
  %2 = arith.extf %c : vector<2x3xf8E5M2> to vector<2x3xf32>
  return %0, %1, %2 : vector<f32>, vector<1xf32>, vector<2x3xf32>
}

// CHECK-LABEL: func @scalable
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<[4]xi32> to vector<[4]xf32>
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<[4]xi8> to vector<[4]xf8E4M3FN>
//  LLVM-LABEL: @scalable(
//        LLVM:   fadd <vscale x 4 x float>
//        LLVM:   trunc <vscale x 4 x i32> %{{[^ ]+}} to <vscale x 4 x i8>
func.func @scalable(%a: vector<[4]xf8E4M3FN>, %b: vector<[4]xf64>, %c: vector<[4]xi64>) -> (vector<[4]xf8E4M3FN>, vector<[4]xf8E5M2>, vector<[4]xf8E8M0FNU>) {
  %0 = arith.addf %a, %a : vector<[4]xf8E4M3FN>
  %1 = arith.truncf %b : vector<[4]xf64> to vector<[4]xf8E5M2>
  %2 = arith.uitofp %c : vector<[4]xi64> to vector<[4]xf8E8M0FNU>
  return %0, %1, %2 : vector<[4]xf8E4M3FN>, vector<[4]xf8E5M2>, vector<[4]xf8E8M0FNU>
}

// CHECK-LABEL: func @fragment
//       CHECK:   arith.bitcast %{{[^ ]+}} : vector<16xf8E4M3FN> to vector<16xi8>
//  LLVM-LABEL: define <16 x i8> @fragment(
func.func @fragment(%m: vector<16xi1>, %a: vector<16xf8E4M3FN>) -> vector<16xf8E4M3FN> {
  %0 = arith.negf %a : vector<16xf8E4M3FN>
  %1 = arith.select %m, %0, %a : vector<16xi1>, vector<16xf8E4M3FN>
  return %1 : vector<16xf8E4M3FN>
}
