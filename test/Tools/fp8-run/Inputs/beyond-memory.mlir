func.func @main(%x: tensor<1099511627776x16xbf16>, %w: tensor<64x16xbf16>) -> tensor<1099511627776x64xbf16> {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<1099511627776x64xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<1099511627776x64xbf16>) -> tensor<1099511627776x64xbf16>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<1099511627776x16xbf16>, tensor<64x16xbf16>) outs(%f : tensor<1099511627776x64xbf16>) -> tensor<1099511627776x64xbf16>
  return %y : tensor<1099511627776x64xbf16>
}
