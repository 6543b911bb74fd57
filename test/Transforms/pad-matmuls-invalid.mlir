// RUN: not fp8-opt --fp8-pad-matmuls=target=sm_70 %s 2>&1 | FileCheck %s --check-prefix=TARGET
// RUN: not fp8-opt --fp8-pad-matmuls=alignment=-2 %s 2>&1 | FileCheck %s --check-prefix=ALIGN

// TARGET: pad-matmuls-invalid.mlir:[[#@LINE+2]]:1: error: expects a target among cpu, sm_80, sm_89, sm_90, sm_100, sm_120, gfx942, gfx950, but got 'sm_70'
//  ALIGN: pad-matmuls-invalid.mlir:[[#@LINE+1]]:1: error: expects an alignment of 1 or more, or 0 for the target's, but got -2
module {
}
