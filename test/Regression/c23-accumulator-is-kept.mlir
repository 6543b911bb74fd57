// C23: an `outs` that is not known to be zero is added, through all passes; the
// dynamic token count is the inner size of the weight gradient.
// RUN: fp8-opt --fp8-quantize=target=sm_90 %s | FileCheck %s --check-prefix=QUANT
// RUN: fp8-opt --fp8-quantize --convert-fp8-to-blaslt %s | FileCheck %s --check-prefix=BLAS
// RUN: fp8-opt --fp8-train %s | FileCheck %s --check-prefix=TRAIN

// RUN: fp8-opt --fp8-quantize=target=sm_89 %s | FileCheck %s --check-prefix=PAD

// QUANT: fp8.scaled_mm {{.*}} acc %arg2 trans_b {{.*}} acc tensor<?x32xf32> -> tensor<?x32xf32>
// PAD: %[[ACC:.+]] = tensor.pad %arg2
// PAD: fp8.scaled_mm {{.*}} acc %[[ACC]] trans_b {{.*}} acc tensor<?x32xf32> -> tensor<?x32xf32>
// BLAS: blaslt.matmul {{.*}} acc(%arg2 : tensor<?x32xf32>)

// TRAIN: fp8.scaled_mm {{.*}} acc %arg2 trans_b
// TRAIN-DAG: fp8.scaled_mm {{.*}} : tensor<?x32xf8E5M2>, tensor<32x16xf8E4M3FN>, {{.*}} -> tensor<?x16xbf16>
// TRAIN-DAG: fp8.scaled_mm {{.*}} trans_a {{.*}} : tensor<?x32xf8E5M2>, tensor<?x16xf8E4M3FN>, {{.*}} -> tensor<32x16xbf16>
func.func @fwd(%x: tensor<?x16xbf16>, %w: tensor<32x16xbf16>, %o: tensor<?x32xf32>) -> tensor<?x32xf32> {
  %0 = linalg.matmul
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<?x16xbf16>, tensor<32x16xbf16>) outs(%o : tensor<?x32xf32>) -> tensor<?x32xf32>
  return %0 : tensor<?x32xf32>
}
