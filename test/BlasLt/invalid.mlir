// RUN: fp8-opt --split-input-file --verify-diagnostics %s

func.func @matmul_c1_mixed(%a: tensor<64x32xf32>, %b: memref<32x16xf32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects ranked tensors or memrefs only, but got 'tensor<64x32xf32>' beside 'memref<64x16xf32>'}}
  blaslt.matmul ins(%a, %b : tensor<64x32xf32>, memref<32x16xf32>) outs(%d : memref<64x16xf32>)
  return
}

// -----

func.func @matmul_c1_unranked(%a: memref<*xf32>, %b: memref<32x16xf32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects ranked tensors or memrefs only, but got 'memref<*xf32>' beside 'memref<64x16xf32>'}}
  blaslt.matmul ins(%a, %b : memref<*xf32>, memref<32x16xf32>) outs(%d : memref<64x16xf32>)
  return
}

// -----

func.func @matmul_c2_no_result(%a: tensor<64x32xf32>, %b: tensor<32x16xf32>, %d: tensor<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects one result of the type of out 'tensor<64x16xf32>', but got }}
  blaslt.matmul ins(%a, %b : tensor<64x32xf32>, tensor<32x16xf32>) outs(%d : tensor<64x16xf32>)
  return
}

// -----

func.func @matmul_c2_result_of_buffers(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects no result for 'memref<64x16xf32>', but got 'tensor<64x16xf32>'}}
  %0 = blaslt.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) outs(%d : memref<64x16xf32>) -> tensor<64x16xf32>
  return
}

// -----

func.func @matmul_c3_rank(%a: memref<2x64x32xf32>, %b: memref<32x16xf32>, %d: memref<2x64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects a, b and out of one rank, 2 or more, but got ranks 3, 2 and 3}}
  blaslt.matmul ins(%a, %b : memref<2x64x32xf32>, memref<32x16xf32>) outs(%d : memref<2x64x16xf32>)
  return
}

// -----

func.func @matmul_c4_contracting_dims(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %d: memref<32x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects equal contracting dimensions, but op(A) has 64 columns and op(B) has 32 rows}}
  blaslt.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) outs(%d : memref<32x16xf32>) trans_a
  return
}

// -----

func.func @matmul_c5_out(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %d: memref<16x64xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects an out of shape 'tensor<64x16xf32>', but got 'memref<16x64xf32>'}}
  blaslt.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) outs(%d : memref<16x64xf32>)
  return
}

// -----

func.func @matmul_c12_batch(%a: memref<2x64x32xf32>, %b: memref<3x32x16xf32>, %d: memref<2x64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects equal batch dimensions, but got 'memref<2x64x32xf32>' and 'memref<3x32x16xf32>'}}
  blaslt.matmul ins(%a, %b : memref<2x64x32xf32>, memref<3x32x16xf32>) outs(%d : memref<2x64x16xf32>)
  return
}

// -----

func.func @matmul_c6_no_descales(%a: memref<64x32xf8E4M3FN>, %b: memref<32x16xf8E4M3FN>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects descales for fp8 operands and none for wide ones, but got none for 'f8E4M3FN'}}
  blaslt.matmul ins(%a, %b : memref<64x32xf8E4M3FN>, memref<32x16xf8E4M3FN>) outs(%d : memref<64x16xf32>)
  return
}

// -----

func.func @matmul_c6_wide_descales(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %s: memref<f32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects descales for fp8 operands and none for wide ones, but got descales for 'f32'}}
  blaslt.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) descales(%s, %s : memref<f32>, memref<f32>) outs(%d : memref<64x16xf32>)
  return
}

// -----

func.func @matmul_c7_types(%a: memref<64x32xf32>, %b: memref<32x16xbf16>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects two fp8 operands or two of one wide type, but got 'f32' and 'bf16'}}
  blaslt.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xbf16>) outs(%d : memref<64x16xf32>)
  return
}

// -----

func.func @matmul_c8_acc(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %c: memref<16x64xf32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects an accumulator of the shape of out 'memref<64x16xf32>', but got 'memref<16x64xf32>'}}
  blaslt.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) acc(%c : memref<16x64xf32>) outs(%d : memref<64x16xf32>)
  return
}

// -----

func.func @matmul_c9_bias(%a: memref<64x32xf32>, %b: memref<32x16xf32>, %c: memref<64xf32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects a bias along the columns of out 'memref<64x16xf32>', but got 'memref<64xf32>'}}
  blaslt.matmul ins(%a, %b : memref<64x32xf32>, memref<32x16xf32>) bias(%c : memref<64xf32>) outs(%d : memref<64x16xf32>)
  return
}

// -----

func.func @matmul_c10_one_descale(%a: memref<64x32xf8E4M3FN>, %b: memref<32x16xf8E4M3FN>, %s: memref<f32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects two descales, but got one}}
  "blaslt.matmul"(%a, %b, %s, %d) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>}> : (memref<64x32xf8E4M3FN>, memref<32x16xf8E4M3FN>, memref<f32>, memref<64x16xf32>) -> ()
  return
}

// -----

func.func @matmul_c11_descale_shape(%a: memref<64x32xf8E4M3FN>, %b: memref<32x16xf8E4M3FN>, %s: memref<f32>, %r: memref<16xf32>, %d: memref<64x16xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects descale_b of shape 'tensor<1x16xf32>' for granularity #fp8.granularity<colwise>, but got 'memref<16xf32>'}}
  blaslt.matmul ins(%a, %b : memref<64x32xf8E4M3FN>, memref<32x16xf8E4M3FN>) descales(%s, %r : memref<f32>, memref<16xf32>) outs(%d : memref<64x16xf32>) granularity_b <colwise>
  return
}

// -----

func.func @matmul_segments_without_out(%a: memref<64x32xbf16>, %b: memref<32x16xbf16>, %w: memref<64xi8>) {
  // expected-error @below {{'blaslt.matmul' op failed to verify that operandSegmentSizes gives one value to out}}
  "blaslt.matmul"(%a, %b, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1, 0>}> : (memref<64x32xbf16>, memref<32x16xbf16>, memref<64xi8>) -> ()
  return
}

// -----

func.func @matmul_segments_with_two_b(%a: memref<64x32xbf16>, %b: memref<32x16xbf16>, %d: memref<64x16xbf16>) {
  // expected-error @below {{'blaslt.matmul' op failed to verify that operandSegmentSizes gives one value to b}}
  "blaslt.matmul"(%a, %b, %b, %d) <{operandSegmentSizes = array<i32: 1, 2, 0, 0, 0, 0, 0, 1>}> : (memref<64x32xbf16>, memref<32x16xbf16>, memref<32x16xbf16>, memref<64x16xbf16>) -> ()
  return
}
