// RUN: fp8-opt --fp8-partition --split-input-file --verify-diagnostics %s

// expected-error @below {{'func.func' op expects results of the forward pass that depend on no tangent, but result 0 does}}
func.func @result_on_tangent(%x: tensor<4xf32>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  %y = arith.addf %x, %dy : tensor<4xf32>
  return %y, %dy : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects one block to partition, but has 2}}
func.func @blocks(%x: tensor<4xf32>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  cf.br ^next
^next:
  return %x, %dy : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects a tangent among the arguments, but has no argument}}
func.func @no_argument() -> tensor<4xf32> {
  %x = arith.constant dense<1.0> : tensor<4xf32>
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects result 0 to be one of the forward pass, but has 0}}
func.func @no_result(%x: tensor<4xf32>) {
  return
}

// -----

func.func @name(%x: tensor<4xf32>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  return %x, %dy : tensor<4xf32>, tensor<4xf32>
}
// expected-error @below {{'func.func' op expects another name: this is that of a part of 'name'}}
func.func private @name_backward()

// -----

func.func @callee(%x: tensor<4xf32>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  return %x, %dy : tensor<4xf32>, tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op expects a function that is not partitioned, but 'callee' is; keep-joint keeps it}}
  %r:2 = call @callee(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %r#0 : tensor<4xf32>
}

// -----

func.func private @draw() -> f32

func.func @scalar(%x: tensor<4xf32>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  // expected-error @below {{expects a ranked tensor, or what can be computed again, where the backward pass reads it, but got 'f32'}}
  %s = call @draw() : () -> f32
  %c = arith.constant 0 : index
  %d = tensor.insert %s into %dy[%c] : tensor<4xf32>
  return %x, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// Negative: of the same scalar a tensor is saved.
func.func private @draw() -> f32

func.func @scalar_in_tensor(%x: tensor<4xf32>, %dy: tensor<4xf32> {fp8.tangent = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32> {fp8.gradient = 0 : i64}) {
  %s = call @draw() : () -> f32
  %t = tensor.splat %s : tensor<4xf32>
  %d = arith.mulf %dy, %t : tensor<4xf32>
  return %x, %d : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expects tensors of fewer than 2^45 elements, but got 'tensor<9223372036854775807xf32>'}}
func.func @bytes_overflow(%x: tensor<9223372036854775807xf32>, %dy: tensor<9223372036854775807xf32> {fp8.tangent = 0 : i64}) -> (tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32> {fp8.gradient = 0 : i64}) {
  return %x, %dy : tensor<9223372036854775807xf32>, tensor<9223372036854775807xf32>
}
