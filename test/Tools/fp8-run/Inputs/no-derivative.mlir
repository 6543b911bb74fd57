func.func @main(%x: tensor<4xf32>, %i: tensor<1xindex>) -> tensor<1xf32> {
  %y = tensor.gather %x[%i] gather_dims([0]) : (tensor<4xf32>, tensor<1xindex>) -> tensor<1xf32>
  return %y : tensor<1xf32>
}
