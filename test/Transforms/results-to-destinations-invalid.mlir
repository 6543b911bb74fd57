// RUN: fp8-opt --fp8-results-to-destinations --split-input-file --verify-diagnostics %s

// expected-error @below {{'func.func' op expects ranked tensors as results, but got 'f32'}}
func.func @scalar(%x: f32) -> f32 {
  return %x : f32
}

// -----

// expected-error @below {{'func.func' op expects one block, but has 2}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^end
^end:
  return %x : tensor<4xf32>
}

// -----

func.func @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op expects no call of a public function, but calls 'callee'}}
  %r = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects results with elements that a buffer can have, but got 'tensor<4x!llvm.ptr>'}}
func.func @no_buffer(%x: tensor<4x!llvm.ptr>) -> tensor<4x!llvm.ptr> {
  return %x : tensor<4x!llvm.ptr>
}
