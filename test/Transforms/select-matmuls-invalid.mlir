// RUN: not fp8-opt --fp8-select-matmuls=target=sm_70 %s 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fp8-opt "--fp8-select-matmuls=include=(" %s 2>&1 | FileCheck %s --check-prefix=INCLUDE
// RUN: not fp8-opt "--fp8-select-matmuls=exclude=a[" %s 2>&1 | FileCheck %s --check-prefix=EXCLUDE
// RUN: not fp8-opt --fp8-select-matmuls=alignment=-1 %s 2>&1 | FileCheck %s --check-prefix=ALIGN
// RUN: not fp8-opt "--fp8-select-matmuls=cost=true target=cpu" %s 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not fp8-opt --fp8-select-matmuls %s 2>&1 | FileCheck %s --check-prefix=CONVERT

//  TARGET: select-matmuls-invalid.mlir:[[#@LINE+5]]:1: error: expects a target among cpu, sm_80, sm_89, sm_90, sm_100, sm_120, gfx942, gfx950, but got 'sm_70'
// INCLUDE: select-matmuls-invalid.mlir:[[#@LINE+4]]:1: error: expects a regular expression as 'include', but got '(': parentheses not balanced
// EXCLUDE: select-matmuls-invalid.mlir:[[#@LINE+3]]:1: error: expects a regular expression as 'exclude', but got 'a[': brackets ([ ]) not balanced
//   ALIGN: select-matmuls-invalid.mlir:[[#@LINE+2]]:1: error: expects an alignment of 1 or more, or 0 for the target's, but got -1
//    COST: select-matmuls-invalid.mlir:[[#@LINE+1]]:1: error: expects a target with known rates to predict a cost, but there is no prediction for cpu
module {
  func.func @f(%x: tensor<1x2xbf16>, %w: tensor<2x4xbf16>) -> tensor<1x4xbf16> {
    // CONVERT: select-matmuls-invalid.mlir:[[#@LINE+1]]:10: error: 'fp8.matmul' op expects fp8.convert to be "always" or "never", but got "maybe"
    %0 = fp8.matmul %x, %w {fp8.convert = "maybe"} : tensor<1x2xbf16>, tensor<2x4xbf16> -> tensor<1x4xbf16>
    return %0 : tensor<1x4xbf16>
  }
}
