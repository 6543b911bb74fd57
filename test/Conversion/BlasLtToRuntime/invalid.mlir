// RUN: fp8-opt --fp8-add-runtime-arguments --convert-blaslt-to-runtime --split-input-file --verify-diagnostics %s

func.func @columns_apart(%a: memref<4x4xf32, strided<[16, 4]>>, %d: memref<4x4xf32>, %ws: memref<?xi8>) {
  // expected-error @below {{'blaslt.matmul' op expects a contiguous last dimension, but got 'memref<4x4xf32, strided<[16, 4]>>'}}
  blaslt.matmul ins(%a, %d : memref<4x4xf32, strided<[16, 4]>>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  return
}

// -----

func.func @strided_batches(%a: memref<2x3x4x4xf32, strided<[96, 32, 4, 1]>>, %d: memref<2x3x4x4xf32>, %ws: memref<?xi8>) {
  // expected-error @below {{'blaslt.matmul' op expects a contiguous buffer where there are several batch dimensions, but got 'memref<2x3x4x4xf32, strided<[96, 32, 4, 1]>>'}}
  blaslt.matmul ins(%a, %d : memref<2x3x4x4xf32, strided<[96, 32, 4, 1]>>, memref<2x3x4x4xf32>) outs(%d : memref<2x3x4x4xf32>)
  return
}

// -----

func.func @dynamic_batches(%a: memref<?x3x4x4xf32>, %d: memref<2x3x4x4xf32>, %ws: memref<?xi8>) {
  // expected-error @below {{'blaslt.matmul' op expects static sizes where there are several batch dimensions, but got 'memref<?x3x4x4xf32>'}}
  blaslt.matmul ins(%a, %d : memref<?x3x4x4xf32>, memref<2x3x4x4xf32>) outs(%d : memref<2x3x4x4xf32>)
  return
}

// -----

func.func @strided_bias(%a: memref<4x4xf32>, %b: memref<4xf32, strided<[2]>>, %d: memref<4x4xf32>, %ws: memref<?xi8>) {
  // expected-error @below {{'blaslt.matmul' op expects a contiguous bias and contiguous descales, but got 'memref<4xf32, strided<[2]>>'}}
  blaslt.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) bias(%b : memref<4xf32, strided<[2]>>) outs(%d : memref<4x4xf32>)
  return
}

// -----

func.func @tensors(%a: tensor<4x4xf32>, %d: tensor<4x4xf32>, %ws: memref<?xi8>) {
  // expected-error @below {{'blaslt.matmul' op expects buffers, but got 'tensor<4x4xf32>'}}
  %0 = blaslt.matmul ins(%a, %a : tensor<4x4xf32>, tensor<4x4xf32>) outs(%d : tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// A private function has no context to pass on.
func.func private @private(%a: memref<4x4xf32>, %d: memref<4x4xf32>) {
  // expected-error @below {{'blaslt.matmul' op expects to be in a public function}}
  blaslt.matmul ins(%a, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  return
}

// -----

// NAME_prepare has no temporaries to ask.
func.func @size_of_temporary(%a: memref<4x4xf32>, %d: memref<4x4xf32>, %ws: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.dim' op expects sizes that follow from the sizes of the arguments, but one depends on this op}}
  %n = memref.dim %ws, %c0 : memref<?xi8>
  %s = memref.subview %a[0, 0] [4, %n] [1, 1] : memref<4x4xf32> to memref<4x?xf32, strided<[4, 1]>>
  %t = memref.subview %a[0, 0] [%n, 4] [1, 1] : memref<4x4xf32> to memref<?x4xf32, strided<[4, 1]>>
  blaslt.matmul ins(%s, %t : memref<4x?xf32, strided<[4, 1]>>, memref<?x4xf32, strided<[4, 1]>>) outs(%d : memref<4x4xf32>)
  return
}
