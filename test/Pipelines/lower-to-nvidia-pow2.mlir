// A linear step for sm_90 whose scales are powers of two: one memset, a kernel
// that casts x, the weight and the gradient and takes their amax, one that casts
// again what was predicted wrong, three matmuls. Nothing comes back to the host in
// between.
// RUN: fp8-opt %inputs/torch_linear.mlir --fp8-train="target=sm_90 recipe=tensorwise_pow2" --fp8-lower-to-nvidia=target=sm_90 -o %t
// RUN: FileCheck %s --implicit-check-not=Synchronize --implicit-check-not=Memcpy --implicit-check-not=fp8rt_fail < %t

// CHECK-LABEL: llvm.func internal @main_on_buffers
//       CHECK:   llvm.call @fp8rt_memset
//   CHECK-NOT:   fp8rt_memset
// CHECK-COUNT-2: llvm.call @fp8rt_launch
//   CHECK-NOT:   fp8rt_launch
// CHECK-COUNT-3: llvm.call @fp8rt_matmul
//   CHECK-NOT:   fp8rt_launch
//       CHECK:   llvm.return

// RUN: fp8-run %inputs/torch_linear.mlir --backward --target=sm_90 --recipe=tensorwise_pow2 --emit=kernels | FileCheck %s --check-prefix=KERNELS
// Negative: the plain recipe predicts nothing.
// RUN: fp8-run %inputs/torch_linear.mlir --backward --target=sm_90 --emit=kernels | FileCheck %s --check-prefix=PLAIN --implicit-check-not=redo

// KERNELS: gpu.launch_func @fp8_kernels::@cast_transpose_amax
// KERNELS: gpu.launch_func @fp8_kernels::@redo_cast_transpose
// KERNELS-NOT: gpu.launch_func
// KERNELS-COUNT-3: blaslt.matmul
// KERNELS-NOT: @amax
// PLAIN: gpu.launch_func @fp8_kernels::@amax
