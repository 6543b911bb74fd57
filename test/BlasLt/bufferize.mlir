// RUN: fp8-opt --one-shot-bufferize=bufferize-function-boundaries --canonicalize --split-input-file %s | FileCheck %s

// Every operand and attribute arrives.
// CHECK-LABEL: func @all
//  CHECK-SAME:   (%[[A:.+]]: memref<32x64xf8E4M3FN, {{.*}}>, %[[B:.+]]: memref<16x32xf8E5M2, {{.*}}>, %[[DA:.+]]: memref<f32, {{.*}}>, %[[DB:.+]]: memref<f32, {{.*}}>, %[[C:.+]]: memref<64x16xf32, {{.*}}>, %[[BIAS:.+]]: memref<16xbf16, {{.*}}>)
//       CHECK:   %[[D:.+]] = memref.alloc() {{.*}}: memref<64x16xf32>
//       CHECK:   blaslt.matmul ins(%[[A]], %[[B]] : {{.*}}) descales(%[[DA]], %[[DB]] : {{.*}}) acc(%[[C]] : {{.*}}) bias(%[[BIAS]] : {{.*}}) outs(%[[D]] : memref<64x16xf32>) trans_a trans_b fast_accum name "q"{{$}}
//       CHECK:   return %[[D]]
func.func @all(%a: tensor<32x64xf8E4M3FN>, %b: tensor<16x32xf8E5M2>, %da: tensor<f32>, %db: tensor<f32>, %c: tensor<64x16xf32>, %bias: tensor<16xbf16>) -> tensor<64x16xf32> {
  %e = tensor.empty() : tensor<64x16xf32>
  %0 = blaslt.matmul ins(%a, %b : tensor<32x64xf8E4M3FN>, tensor<16x32xf8E5M2>) descales(%da, %db : tensor<f32>, tensor<f32>) acc(%c : tensor<64x16xf32>) bias(%bias : tensor<16xbf16>) outs(%e : tensor<64x16xf32>) trans_a trans_b fast_accum name "q" -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}

// -----

// out is not read: it needs no copy of what it held.
// CHECK-LABEL: func @out_is_not_read
//   CHECK-NOT:   memref.copy
//       CHECK:   blaslt.matmul
//   CHECK-NOT:   memref.copy
//       CHECK:   return
func.func @out_is_not_read(%a: tensor<16x16xf32>, %o: tensor<16x16xf32> {bufferization.writable = false}) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = blaslt.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%o : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0, %o : tensor<16x16xf32>, tensor<16x16xf32>
}

// -----

// The sums are written while a is still read: the result cannot take its place.
// CHECK-LABEL: func @square
//  CHECK-SAME:   (%[[A:[^:]+]]: memref
//       CHECK:   %[[D:.+]] = memref.alloc()
//       CHECK:   blaslt.matmul ins(%[[A]], %[[A]] : {{.*}}) outs(%[[D]] :
func.func @square(%a: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = blaslt.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%a : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// -----

// Negative: a destination that nothing else reads is written in place.
// CHECK-LABEL: func @in_place
//  CHECK-SAME:   %[[O:[^:]+]]: memref<16x16xf32, {{[^>]*>>?}})
//   CHECK-NOT:   memref.alloc
//       CHECK:   blaslt.matmul {{.*}} outs(%[[O]]
func.func @in_place(%a: tensor<16x16xf32>, %o: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = blaslt.matmul ins(%a, %a : tensor<16x16xf32>, tensor<16x16xf32>) outs(%o : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
