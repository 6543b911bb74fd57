// No kernel of a training step spills a register, on any input that we have.
// REQUIRES: ptxas
// RUN: fp8-run %inputs/torch_llama_ffn_train.mlir --target=sm_90 --emit=kernels | fp8-opt - --pass-pipeline="builtin.module(gpu.module(convert-scf-to-cf,convert-gpu-to-nvvm{has-redux=1},reconcile-unrealized-casts,canonicalize,cse),gpu-module-to-binary{format=isa})" | sed -n -e 's/\\22/"/g' -e 's/\\0A/\n/g' -e 's/\\09/ /g' -e '/assembly/p' > %t.mlir
// RUN: sed -e 's/.*assembly = "//' -e '/^">/,$d' %t.mlir > %t.ptx
// RUN: %ptxas -v -arch=sm_90 %t.ptx -o %t.cubin 2>&1 | FileCheck %s

// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
//     CHECK: 0 bytes spill stores, 0 bytes spill loads
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
