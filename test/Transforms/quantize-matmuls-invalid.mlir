// RUN: fp8-opt --fp8-quantize-matmuls --split-input-file --verify-diagnostics %s
// RUN: not fp8-opt --fp8-quantize-matmuls=target=sm_95 %S/../Inputs/torch_linear.mlir 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fp8-opt --fp8-quantize-matmuls=recipe=delayed %S/../Inputs/torch_linear.mlir 2>&1 | FileCheck %s --check-prefix=RECIPE

// TARGET: torch_linear.mlir:{{.*}}: error: expects a target among cpu, sm_80, sm_89, sm_90, sm_100, sm_120, gfx942, gfx950, but got 'sm_95'
// RECIPE: torch_linear.mlir:{{.*}}: error: expects a recipe among tensorwise, tensorwise_pow2, but got 'delayed'

func.func @convert_value(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> tensor<64x16xf32> {
  // expected-error @below {{'fp8.matmul' op expects fp8.convert to be "always" or "never", but got "maybe"}}
  %y = fp8.matmul %x, %w {fp8.convert = "maybe"} : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// -----

func.func @convert_type(%x: tensor<64x32xf32>, %w: tensor<32x16xf32>) -> tensor<64x16xf32> {
  // expected-error @below {{'fp8.matmul' op expects fp8.convert to be "always" or "never", but got true}}
  %y = fp8.matmul %x, %w {fp8.convert = true} : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
