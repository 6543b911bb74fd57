func.func @matmul(%a: tensor<?x4x8xbf16>, %b: tensor<?x8x16xbf16>, %c: tensor<?x4x16xf32>, %d: tensor<16xbf16>) -> tensor<?x4x16xf32> {
  %0 = fp8.matmul %a, %b acc %c bias %d role forward name "w" : tensor<?x4x8xbf16>, tensor<?x8x16xbf16> acc tensor<?x4x16xf32> bias tensor<16xbf16> -> tensor<?x4x16xf32>
  return %0 : tensor<?x4x16xf32>
}
