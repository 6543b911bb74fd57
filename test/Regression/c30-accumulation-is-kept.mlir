// C30: fast accumulation is on in the forward pass and off in both gradients, and
// an addition behind the matmul changes that nowhere on the way to the library.
// RUN: fp8-run %s --backward --target=sm_90 --emit=layout | FileCheck %s --check-prefix=TENSORS
// RUN: fp8-run %s --backward --target=sm_90 --emit=kernels | FileCheck %s --check-prefix=CALLS
// RUN: fp8-opt --fp8-train=target=gfx942 %s | FileCheck %s --check-prefix=NONE

//   TENSORS: fp8.scaled_mm {{.*}} fast_accum {{.*}} -> tensor<32x16xf32>
// TENSORS-NOT: fast_accum
// TENSORS-COUNT-2: fp8.scaled_mm
// TENSORS-NOT: {{fast_accum|scaled_mm}}

//   CALLS: blaslt.matmul {{.*}} fast_accum
// CALLS-NOT: fast_accum
// CALLS-COUNT-2: blaslt.matmul
// CALLS-NOT: {{fast_accum|blaslt.matmul}}

// Negative: where the library has no such flag, none is set.
// NONE-NOT: fast_accum
// NONE-COUNT-3: fp8.scaled_mm
// NONE-NOT: fast_accum
#x = affine_map<(m, n, k) -> (m, k)>
#w = affine_map<(m, n, k) -> (n, k)>
#y = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(m, n) -> (m, n)>
func.func @main(%x: tensor<32x64xbf16>, %w: tensor<16x64xbf16>, %c: tensor<32x16xbf16>) -> tensor<32x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<32x16xf32>) -> tensor<32x16xf32>
  %p = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, %w : tensor<32x64xbf16>, tensor<16x64xbf16>) outs(%z : tensor<32x16xf32>) -> tensor<32x16xf32>
  %o = tensor.empty() : tensor<32x16xbf16>
  %s = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%p, %c : tensor<32x16xf32>, tensor<32x16xbf16>) outs(%o : tensor<32x16xbf16>) {
  ^bb0(%a: f32, %b: bf16, %out: bf16):
    %f = arith.extf %b : bf16 to f32
    %sum = arith.addf %a, %f : f32
    %r = arith.truncf %sum : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<32x16xbf16>
  return %s : tensor<32x16xbf16>
}
