// C09: the type sets the maximum, and the target sets the type. gfx950 is an AMD
// chip with the OCP pair.
// RUN: fp8-opt --fp8-quantize-matmuls=target=gfx950 --canonicalize %s | FileCheck %s --check-prefixes=OCP --implicit-check-not=FNUZ
// RUN: fp8-opt --fp8-quantize-matmuls=target=gfx942 --canonicalize %s | FileCheck %s --check-prefixes=FNUZ
// RUN: fp8-opt --fp8-quantize-matmuls=target=sm_90 --canonicalize %s | FileCheck %s --check-prefixes=OCP --implicit-check-not=FNUZ
// RUN: fp8-opt --fp8-quantize-matmuls=target=cpu --canonicalize %s | FileCheck %s --check-prefixes=OCP --implicit-check-not=FNUZ

// An amax of 448: the descale is 1 for a maximum of 448, 448 / 240 for 240.
//       OCP: dense<1.000000e+00> : tensor<f32>
//       OCP: fp8.scaled_mm {{.*}} : tensor<16x16xf8E4M3FN>, tensor<16x16xf8E5M2>
//      FNUZ: dense<1.86666667> : tensor<f32>
//      FNUZ: fp8.scaled_mm {{.*}} : tensor<16x16xf8E4M3FNUZ>, tensor<16x16xf8E5M2FNUZ>
func.func @main(%dy: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %x = arith.constant dense<448.0> : tensor<16x16xf32>
  %y = fp8.matmul %x, %dy role wgrad gradient b : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return %y : tensor<16x16xf32>
}
