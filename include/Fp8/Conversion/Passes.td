//===- Passes.td ----------------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from one dialect to another.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_CONVERSION_PASSES_TD
#define FP8_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertFp8ToLinalgPass : Pass<"convert-fp8-to-linalg"> {
  let summary = "Lower amax, scale, cast and transpose to linalg";
  let description = [{
    The glue of a quantized linear layer becomes plain `linalg`, so that it fuses
    with the model's own ops; `fp8.matmul` and `fp8.scaled_mm` stay. Replaces

    ```mlir
    %q = fp8.cast %x scale %s
        : tensor<64x32xbf16>, tensor<f32> -> tensor<64x32xf8E4M3FN>
    ```

    with

    ```mlir
    %q = linalg.generic {indexing_maps = [#id, #scalar, #id], ...}
        ins(%x, %s : tensor<64x32xbf16>, tensor<f32>) outs(%e : ...) {
    ^bb0(%in: bf16, %scale: f32, %out: f8E4M3FN):
      %f = arith.extf %in : bf16 to f32
      %m = arith.mulf %f, %scale : f32
      %l = arith.minimumf %m, %c448 : f32
      %c = arith.maximumf %l, %cm448 : f32
      %r = arith.truncf %c : f32 to f8E4M3FN
      linalg.yield %r : f8E4M3FN
    }
    ```

    `minimumf` and `maximumf` keep a NaN. `fp8.amax` becomes a reduction over
    `arith.maximumf` that starts at 0.0 in f32, `fp8.scale` a division in f64,
    `fp8.transpose` a `linalg.transpose`. Scales of rows and columns are vectors
    in the loops, with a reshape to the M x 1 or 1 x N of the ops. Granularities
    of blocks have no lowering: an error.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "tensor::TensorDialect"];
}

def ConvertFp8ToBlasLtPass : Pass<"convert-fp8-to-blaslt"> {
  let summary = "Lower fp8.matmul and fp8.scaled_mm to blaslt.matmul";
  let description = [{
    Each matmul becomes one library call in destination-passing style, into a new
    tensor. Replaces

    ```mlir
    %d = fp8.scaled_mm %a, %b descales %da, %db trans_b fast_accum : ...
    ```

    with

    ```mlir
    %e = tensor.empty() : tensor<64x128xbf16>
    %d = blaslt.matmul ins(%a, %b : ...) descales(%da, %db : tensor<f32>, tensor<f32>)
        outs(%e : tensor<64x128xbf16>) trans_b fast_accum -> tensor<64x128xbf16>
    ```

    Block granularities and f8E8M0FNU descales are an error: no library call
    takes them yet.
  }];
  let dependentDialects = ["arith::ArithDialect", "blaslt::BlasLtDialect",
                           "tensor::TensorDialect"];
}

def AddRuntimeArgumentsPass
    : Pass<"fp8-add-runtime-arguments", "::mlir::ModuleOp"> {
  let summary = "Give functions a context, a stream and a status";
  let description = [{
    What calls of the runtime need. Every public function gets two arguments
    behind its workspace, the context and the stream, and one result, a status:
    that of the first call that failed, or 0. A companion `NAME_prepare` takes
    the same buffers and the context, and does once for their sizes what later
    calls rely on. Replaces

    ```mlir
    func.func @main(%a: memref<64x32xbf16>, %w: memref<?xi8>) {
      return
    }
    ```

    with

    ```mlir
    func.func @main(%a: memref<64x32xbf16>, %w: memref<?xi8>,
                    %context: !llvm.ptr, %stream: !llvm.ptr) -> i32 {
      %status = memref.alloca() {fp8.status} : memref<i32>
      ...
      return %r : i32
    }
    func.func @main_prepare(%a: memref<64x32xbf16>, %context: !llvm.ptr) -> i32
    ```

    A function that still returns values or has no workspace is an error, and so
    is a taken name `NAME_prepare`.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "LLVM::LLVMDialect", "memref::MemRefDialect"];
}

def ConvertBlasLtToRuntimePass
    : Pass<"convert-blaslt-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Lower blaslt.matmul on buffers to calls of fp8rt";
  let description = [{
    Each `blaslt.matmul` on buffers becomes a call of `fp8rt_matmul` of
    `fp8rt/fp8rt.h`, and `NAME_prepare` calls `fp8rt_matmul_prepare` for it. The
    descriptor is a constant of the module where all sizes are static; equal ones
    are shared. Needs what `fp8-add-runtime-arguments` adds. Replaces

    ```mlir
    blaslt.matmul ins(%a, %b : ...) descales(%da, %db : ...) outs(%d : ...) trans_b
    ```

    with

    ```mlir
    %desc = llvm.mlir.addressof @fp8rt_desc_0 : !llvm.ptr
    // pointers go into a struct on the stack
    %s = llvm.call @fp8rt_matmul(%context, %desc, %args, %stream)
        : (!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```

    Results of a run whose status is not 0 are undefined. Rows may be padded;
    their distance is the leading dimension, and nothing is copied. An operand
    whose columns are contiguous and not its rows is described as its transpose,
    as is one contiguous column, whose leading dimension then is its length. Where
    neither rows nor columns are contiguous, or a result's rows are not, the pass
    emits an error, as it does for a bias or descale that is not contiguous, or a
    matmul in a private function.
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect"];
}

def ConvertAssertsPass : Pass<"fp8-convert-asserts", "::mlir::ModuleOp"> {
  let summary = "Turn assertions into statuses";
  let description = [{
    Exporters guard dynamic sizes with `cf.assert`, which would end the process.
    A condition that does not hold makes the function return a status instead,
    with the assertion's text as the message. Needs what
    `fp8-add-runtime-arguments` adds. Replaces

    ```mlir
    cf.assert %ok, "mismatched size"
    ```

    with

    ```mlir
    cf.cond_br %ok, ^rest, ^failed
    ^failed:
      %s = llvm.call @fp8rt_fail(%text) : (!llvm.ptr) -> i32
      ...
    ```

    An assertion inside a loop is an error.
  }];
  let dependentDialects = ["arith::ArithDialect", "cf::ControlFlowDialect",
                           "func::FuncDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect"];
}

def ConvertGpuToFp8rtPass
    : Pass<"convert-gpu-to-fp8rt", "::mlir::ModuleOp"> {
  let summary = "Lower launches and memsets to calls of fp8rt";
  let description = [{
    Each `gpu.binary` becomes a constant `fp8rt_binary`, each `gpu.launch_func` a
    call of `fp8rt_launch` with the number of the kernel, and each `gpu.memset` a
    call of `fp8rt_memset`. They are enqueued on the stream of the function and
    nothing waits. `NAME_prepare` calls `fp8rt_binary_prepare` for each binary.
    Needs what `fp8-add-runtime-arguments` adds. Replaces

    ```mlir
    gpu.launch_func @fp8_kernels::@cast blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%x : !llvm.ptr<1>, %n : i64)
    ```

    with

    ```mlir
    // dimensions and arguments go to the stack
    %binary = llvm.mlir.addressof @fp8rt_binary_0 : !llvm.ptr
    %s = llvm.call @fp8rt_launch(%context, %binary, %number, %dims, %args, %stream)
        : (!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
    ```

    PTX in place of machine code, which the driver compiles when the library is
    prepared, gets an analysis remark. A memset with another value than bytes of
    0, or of a buffer with gaps, is an error.
  }];
  let dependentDialects = ["arith::ArithDialect", "LLVM::LLVMDialect",
                           "memref::MemRefDialect"];
}

def EmitCInterfacePass : Pass<"fp8-emit-c-interface", "::mlir::ModuleOp"> {
  let summary = "Give public functions the C interface of compiled libraries";
  let description = [{
    A public function on buffers, and its companions, become private, and
    functions of the same names take one array of `fp8rt_tensor` in their place:

    ```c
    int32_t NAME(const fp8rt_tensor *tensors, fp8rt_context *context,
                 void *workspace, fp8rt_stream *stream);
    int32_t NAME_workspace(const fp8rt_tensor *tensors, uint64_t *bytes);
    int32_t NAME_prepare(const fp8rt_tensor *tensors, fp8rt_context *context);
    int32_t NAME_sizes(const fp8rt_tensor *tensors, int64_t *sizes);
    int32_t NAME_tensors(const fp8rt_tensor_spec **specs,
                         int64_t *num_arguments, int64_t *num_results);
    ```

    The tensors are the arguments, then the results, in order. Each function
    checks them against what it was compiled for (`fp8rt_check_tensors`) and
    returns the status of that if it is not 0; all but `NAME_sizes` also check
    that dynamic sizes of results, and of tangents of results, are those that
    follow from the arguments (`fp8rt_check_sizes`). With dynamic sizes `NAME`
    and `NAME_workspace` refuse those whose workspace is 2^63 bytes or more
    (`fp8rt_fail`). `NAME_workspace` and
    `NAME_prepare` look at sizes only. `NAME_sizes` takes the arguments alone
    and writes the sizes of all results, one behind the other. `NAME_tensors`
    says what the tensors are. Attributes of arguments that earlier passes have
    read are removed. Needs what
    `fp8-add-size-functions`, `fp8-plan-workspace` and
    `fp8-add-runtime-arguments` add. Replaces

    ```mlir
    func.func @main(%a: memref<?x32xbf16>, %w: memref<?xi8>,
                    %context: !llvm.ptr, %stream: !llvm.ptr) -> i32
    ```

    with

    ```mlir
    func.func private @main_on_buffers(%a: memref<?x32xbf16>, ...) -> i32
    func.func @main(%tensors: !llvm.ptr, %context: !llvm.ptr,
                    %workspace: !llvm.ptr, %stream: !llvm.ptr) -> i32
    ```
  }];
  let dependentDialects = ["cf::ControlFlowDialect", "arith::ArithDialect",
                           "func::FuncDialect", "LLVM::LLVMDialect"];
}

#endif // FP8_CONVERSION_PASSES_TD
