// RUN: fp8-opt --fp8-outline-kernels --split-input-file --verify-diagnostics %s

func.func @host_access(%x: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'memref.load' op expects no access to a device's memory from the host}}
  %v = memref.load %x[%c0] : memref<8xf32>
  return %v : f32
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @gather(%x: memref<8xf32>, %i: memref<8xindex>, %y: memref<8xf32>) {
  // expected-error @below {{'linalg.generic' op expects to read buffers through its operands, but its body uses 'memref<8xf32>'}}
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%i : memref<8xindex>) outs(%y : memref<8xf32>) {
  ^bb0(%in: index, %out: f32):
    %v = memref.load %x[%in] : memref<8xf32>
    linalg.yield %v : f32
  }
  return
}

// -----

func.func @tensors(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{'linalg.exp' op expects buffers with a rank, of integers or floats, but got 'tensor<4xf32>'}}
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @unranked(%x: memref<*xf32>, %y: memref<*xf32>) {
  // expected-error @below {{'memref.copy' op expects buffers with a rank, of integers or floats, but got 'memref<*xf32>'}}
  memref.copy %x, %y : memref<*xf32> to memref<*xf32>
  return
}

// -----

func.func @complex(%x: memref<4xcomplex<f32>>, %y: memref<4xcomplex<f32>>) {
  // expected-error @below {{'memref.copy' op expects buffers with a rank, of integers or floats, but got 'memref<4xcomplex<f32>>'}}
  memref.copy %x, %y : memref<4xcomplex<f32>> to memref<4xcomplex<f32>>
  return
}
