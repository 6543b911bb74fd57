// RUN: fp8-opt --verify-roundtrip --split-input-file %s | FileCheck %s

// CHECK-LABEL: func @buffers
//       CHECK:   blaslt.matmul ins(%{{.*}}, %{{.*}} : memref<64x32xf8E4M3FN>, memref<128x32xf8E4M3FN>) descales(%{{.*}}, %{{.*}} : memref<f32>, memref<f32>) outs(%{{.*}} : memref<64x128xbf16>) trans_b fast_accum{{$}}
func.func @buffers(%a: memref<64x32xf8E4M3FN>, %b: memref<128x32xf8E4M3FN>, %da: memref<f32>, %db: memref<f32>, %d: memref<64x128xbf16>) {
  blaslt.matmul ins(%a, %b : memref<64x32xf8E4M3FN>, memref<128x32xf8E4M3FN>)
      descales(%da, %db : memref<f32>, memref<f32>)
      outs(%d : memref<64x128xbf16>) trans_b fast_accum
  return
}

// -----

// CHECK-LABEL: func @every_operand
//       CHECK:   blaslt.matmul ins(%{{.*}}, %{{.*}} : tensor<32x64xf8E4M3FN>, tensor<32x16xf8E5M2>)
//  CHECK-SAME:     descales(%{{.*}}, %{{.*}} : tensor<64x1xf32>, tensor<1x16xf32>) acc(%{{.*}} : tensor<64x16xf32>) bias(%{{.*}} : tensor<16xbf16>)
//  CHECK-SAME:     outs(%{{.*}} : tensor<64x16xf32>) trans_a granularity_a <rowwise> granularity_b <colwise> name "q" -> tensor<64x16xf32>
func.func @every_operand(%a: tensor<32x64xf8E4M3FN>, %b: tensor<32x16xf8E5M2>, %da: tensor<64x1xf32>, %db: tensor<1x16xf32>, %c: tensor<64x16xf32>, %bias: tensor<16xbf16>, %d: tensor<64x16xf32>) -> tensor<64x16xf32> {
  %0 = blaslt.matmul ins(%a, %b : tensor<32x64xf8E4M3FN>, tensor<32x16xf8E5M2>)
      descales(%da, %db : tensor<64x1xf32>, tensor<1x16xf32>)
      acc(%c : tensor<64x16xf32>) bias(%bias : tensor<16xbf16>)
      outs(%d : tensor<64x16xf32>) trans_a granularity_a <rowwise> granularity_b <colwise> name "q" -> tensor<64x16xf32>
  return %0 : tensor<64x16xf32>
}

// -----

// CHECK-LABEL: func @wide_batches
//       CHECK:   blaslt.matmul ins(%{{.*}}, %{{.*}} : memref<2x64x?xbf16>, memref<2x?x16xbf16>) outs(%{{.*}} : memref<2x64x16xf32>)
func.func @wide_batches(%a: memref<2x64x?xbf16>, %b: memref<2x?x16xbf16>, %d: memref<2x64x16xf32>) {
  blaslt.matmul ins(%a, %b : memref<2x64x?xbf16>, memref<2x?x16xbf16>) outs(%d : memref<2x64x16xf32>)
  return
}
