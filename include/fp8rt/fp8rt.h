//===- fp8rt.h - C interface of the FP8 runtime -------------------*- C -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled functions call. No LLVM behind it, no exceptions across it:
// every call returns a status, and the message of the last failure on a thread
// is kept for that thread. Structs carry their size, so that a library built
// against an older header goes on working.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_FP8RT_H
#define FP8RT_FP8RT_H

#include <stdint.h>

#if defined(_WIN32)
#define FP8RT_API __declspec(dllexport)
#else
#define FP8RT_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Names as C interfaces have them.
// NOLINTBEGIN(readability-identifier-naming)

/// What a call came to. Everything but FP8RT_OK leaves a message behind.
typedef enum fp8rt_status {
  FP8RT_OK = 0,
  /// An argument is null, out of range or contradicts another one.
  FP8RT_INVALID_ARGUMENT = 1,
  /// The arguments are sound, but this backend cannot do it.
  FP8RT_UNSUPPORTED = 2,
  /// A device, a library or a file answered with an error, or memory ran out.
  FP8RT_FAILED = 3,
  /// A device was asked for a matmul or a kernel that nobody prepared.
  FP8RT_NOT_PREPARED = 4
} fp8rt_status;

/// Element types. The numbers are part of the ABI.
typedef enum fp8rt_type {
  FP8RT_NONE = 0,
  FP8RT_F64 = 1,
  FP8RT_F32 = 2,
  FP8RT_F16 = 3,
  FP8RT_BF16 = 4,
  FP8RT_F8E4M3FN = 5,
  FP8RT_F8E5M2 = 6,
  FP8RT_F8E4M3FNUZ = 7,
  FP8RT_F8E5M2FNUZ = 8,
  FP8RT_F8E8M0FNU = 9,
  /// Integers, which no matmul takes. A boolean is a byte, 0 or 1.
  FP8RT_BOOL = 10,
  FP8RT_I8 = 11,
  FP8RT_I32 = 12,
  FP8RT_I64 = 13
} fp8rt_type;

/// How the descales of an operand are shaped.
typedef enum fp8rt_scale_mode {
  /// No descale: a wide operand.
  FP8RT_SCALE_NONE = 0,
  /// One f32 for the whole operand.
  FP8RT_SCALE_TENSOR = 1,
  /// One f32 a row of op(A) or a column of op(B).
  FP8RT_SCALE_OUTER = 2
} fp8rt_scale_mode;

/// A device and what belongs to it. Opaque.
typedef struct fp8rt_context fp8rt_context;
/// A queue of a device; null is the default one. Opaque: with CUDA it is a
/// CUstream, or a cudaStream_t, cast.
typedef struct fp8rt_stream fp8rt_stream;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

typedef struct fp8rt_context_options {
  /// sizeof(fp8rt_context_options) of the caller.
  uint64_t struct_size;
  /// "cpu" or "cuda".
  const char *backend;
  /// Which of the backend's devices, from 0.
  int32_t device;
  /// 0.
  int32_t reserved;
  /// The folder of the plan cache. Null takes the environment variable
  /// FP8_PLAN_CACHE, else $XDG_CACHE_HOME/fp8, else ~/.cache/fp8; "" is none.
  const char *plan_cache;
} fp8rt_context_options;

/// Makes a context. Any number of them may exist, of one device too, and any
/// number of threads may use one at once. A CUDA context works in the primary
/// context of its device, as PyTorch does. The driver and cuBLASLt are loaded
/// here: FP8RT_LIBCUDA and FP8RT_CUBLASLT in the environment name libraries
/// to take in place of libcuda.so.1 and libcublasLt.so.13 or .12. FP8RT_FAILED
/// where a library or the device is missing.
FP8RT_API int32_t fp8rt_context_create(const fp8rt_context_options *options,
                                       fp8rt_context **context);

/// Frees a context with its plans and kernels; null is fine. No call may use
/// the context any more, and no work that it enqueued may be running.
FP8RT_API void fp8rt_context_destroy(fp8rt_context *context);

//===----------------------------------------------------------------------===//
// Matmuls
//===----------------------------------------------------------------------===//

/// `D = round((sum over k of op(A)·op(B)) · (descale_a · descale_b) + acc +
/// bias)`, row-major, `op(A)` M x K, `op(B)` K x N, `bias` of N elements along
/// the columns.
///
/// Leading dimensions (`ld_*`) are the distance in elements from one stored row
/// to the next: A is stored M x K, or K x M with `trans_a`; B is stored K x N,
/// or N x K with `trans_b`. `stride_*` is the distance in elements from one
/// batch to the next; 0 reads the same operand for every batch, and so the
/// stride of a descale or of the bias. A pointer is needed exactly where the
/// desc asks for the operand; with `k` 0 the sums are +0, and `a` and `b` may
/// be null. f64 operands come in pairs, sum in f64, have no descales, and give
/// f64; everything else sums in f32, on a CPU k ascending, one product at a
/// time.
///
/// A device takes what its library takes (docs/Runtime.md); the rest, except
/// pairs of operands that it cannot multiply, is done by a small kernel after
/// the library's, from sums in f32 in the workspace.
typedef struct fp8rt_matmul_desc {
  /// sizeof(fp8rt_matmul_desc) of the caller.
  uint64_t struct_size;
  int32_t type_a;
  int32_t type_b;
  int32_t type_d;
  /// FP8RT_NONE without an accumulator.
  int32_t type_acc;
  /// FP8RT_NONE without a bias.
  int32_t type_bias;
  int32_t scale_mode_a;
  int32_t scale_mode_b;
  int32_t trans_a;
  int32_t trans_b;
  /// Lets a device accumulate with fewer bits. No effect on a CPU.
  int32_t fast_accum;
  int64_t m;
  int64_t n;
  int64_t k;
  int64_t batch;
  int64_t ld_a;
  int64_t ld_b;
  int64_t ld_d;
  int64_t ld_acc;
  int64_t stride_a;
  int64_t stride_b;
  int64_t stride_d;
  int64_t stride_acc;
  int64_t stride_bias;
  int64_t stride_descale_a;
  int64_t stride_descale_b;
} fp8rt_matmul_desc;

/// The pointers of one call. `d` may not overlap an input, except that `acc`
/// may be `d` itself with equal type and strides. Pointers are those of the
/// context's device.
typedef struct fp8rt_matmul_args {
  /// sizeof(fp8rt_matmul_args) of the caller; what a shorter one lacks is 0.
  uint64_t struct_size;
  const void *a;
  const void *b;
  const void *acc;
  const void *bias;
  const float *descale_a;
  const float *descale_b;
  void *d;
  /// Memory for this call alone until it has run: matmuls that may overlap, on
  /// two streams or in a graph, need one each. Aligned to 256 bytes. May be
  /// null where fp8rt_matmul_workspace_size says 0.
  void *workspace;
  /// Bytes at `workspace`.
  uint64_t workspace_size;
} fp8rt_matmul_args;

/// Makes the plan of a matmul: descriptors, layouts, the algorithm (a tuned one
/// if the plan cache has it), the workspace's size. Once for each desc and
/// context; doing it again costs a look-up. Not while a stream is captured.
/// FP8RT_UNSUPPORTED, with the reason, for what the device cannot do. The CPU
/// needs no plans: there it only checks.
FP8RT_API int32_t fp8rt_matmul_prepare(fp8rt_context *context,
                                       const fp8rt_matmul_desc *desc);

/// Bytes of workspace that a prepared matmul needs: 0 on the CPU. Never grows
/// by itself, but fp8rt_tune may change it. FP8RT_NOT_PREPARED without a plan.
FP8RT_API int32_t fp8rt_matmul_workspace_size(fp8rt_context *context,
                                              const fp8rt_matmul_desc *desc,
                                              uint64_t *bytes);

/// Runs one matmul on the device of `context`, on `stream`. Nothing is
/// allocated, nothing waits, and it may be captured in a CUDA graph; the
/// descales are read when the device gets there. A null context is the CPU. A
/// device takes prepared descs only, else FP8RT_NOT_PREPARED. Where a pointer
/// is not aligned as the plan needs it, 16 bytes at most, or the workspace is
/// too small, the call is refused and nothing is enqueued.
FP8RT_API int32_t fp8rt_matmul(fp8rt_context *context,
                               const fp8rt_matmul_desc *desc,
                               const fp8rt_matmul_args *args,
                               fp8rt_stream *stream);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A tensor as a compiled function takes it. The sizes and strides belong to
/// the caller and are read during the call only.
typedef struct fp8rt_tensor {
  /// The first element, in the memory of the context's device.
  void *data;
  /// `rank` sizes, in elements.
  const int64_t *sizes;
  /// `rank` distances between neighbours, in elements. Null says row-major
  /// without gaps, which is all that compiled functions take.
  const int64_t *strides;
  int32_t rank;
  /// An fp8rt_type.
  int32_t type;
} fp8rt_tensor;

/// What a compiled function expects of one tensor.
typedef struct fp8rt_tensor_spec {
  /// For messages.
  const char *name;
  /// `rank` sizes; -1 takes any.
  const int64_t *sizes;
  int32_t rank;
  int32_t type;
} fp8rt_tensor_spec;

/// Checks `count` tensors: type, rank, sizes, strides, and with `need_data`
/// that there is a pointer wherever there are elements. Compiled functions call
/// it first.
FP8RT_API int32_t fp8rt_check_tensors(const fp8rt_tensor *tensors,
                                      const fp8rt_tensor_spec *specs,
                                      int64_t count, int32_t need_data);

/// Checks `count` tensors whose sizes follow from those of others: tensor
/// number `indices[i]` of `tensors` has the next `rank` numbers of `sizes`.
/// Compiled functions with dynamic sizes call it for results and for gradients
/// of results, after fp8rt_check_tensors.
FP8RT_API int32_t fp8rt_check_sizes(const fp8rt_tensor *tensors,
                                    const fp8rt_tensor_spec *specs,
                                    const int64_t *indices, int64_t count,
                                    const int64_t *sizes);

/// Returns FP8RT_INVALID_ARGUMENT with `message`: a condition of the program,
/// about its sizes, does not hold.
FP8RT_API int32_t fp8rt_fail(const char *message);

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// What an image holds. The numbers are part of the ABI.
typedef enum fp8rt_image_kind {
  /// NVIDIA machine code.
  FP8RT_IMAGE_CUBIN = 1,
  /// NVIDIA PTX, ended by a zero byte, which `size` counts.
  FP8RT_IMAGE_PTX = 2
} fp8rt_image_kind;

typedef struct fp8rt_image {
  const void *data;
  /// Bytes at `data`.
  uint64_t size;
  int32_t kind;
  /// What it was compiled for: 90 is sm_90. A cubin runs on devices of the same
  /// generation (9) and this revision or a later one, PTX on all later ones.
  int32_t arch;
  /// 1 where it runs on exactly `arch` (sm_90a), else 0.
  int32_t arch_exact;
  /// 0.
  int32_t reserved;
} fp8rt_image;

/// The kernels of a compiled library: a constant of it. Each image holds all of
/// the kernels.
typedef struct fp8rt_binary {
  /// sizeof(fp8rt_binary) of the caller.
  uint64_t struct_size;
  uint32_t num_images;
  uint32_t num_kernels;
  const fp8rt_image *images;
  const char *const *kernel_names;
} fp8rt_binary;

typedef struct fp8rt_launch_dims {
  /// sizeof(fp8rt_launch_dims) of the caller.
  uint64_t struct_size;
  /// Blocks along x, y and z. With a 0 among them nothing is launched.
  uint32_t grid[3];
  /// Threads of a block along x, y and z.
  uint32_t block[3];
  /// Bytes of dynamic shared memory of a block, up to what the device has.
  uint32_t shared_bytes;
  /// Pointers at `args`.
  uint32_t num_args;
} fp8rt_launch_dims;

/// Loads the best image of `binary` for the device: a cubin before PTX, the
/// highest arch first. Contexts know a binary by its address, and notice when
/// there is another one at that address when this is called for it. Not while a
/// stream is captured. FP8RT_UNSUPPORTED, naming what there is and what the
/// device is, where no image fits, and on the CPU.
FP8RT_API int32_t fp8rt_binary_prepare(fp8rt_context *context,
                                       const fp8rt_binary *binary);

/// Enqueues kernel number `kernel` of a prepared binary. `args` points to one
/// pointer for each of the kernel's parameters, which are copied.
FP8RT_API int32_t fp8rt_launch(fp8rt_context *context,
                               const fp8rt_binary *binary, uint32_t kernel,
                               const fp8rt_launch_dims *dims, void *const *args,
                               fp8rt_stream *stream);

/// Sets `bytes` bytes at `pointer` to the low byte of `value`, on `stream`.
FP8RT_API int32_t fp8rt_memset(fp8rt_context *context, void *pointer,
                               int32_t value, uint64_t bytes,
                               fp8rt_stream *stream);

//===----------------------------------------------------------------------===//
// Facts and messages
//===----------------------------------------------------------------------===//

/// The instruction set that the CPU backend runs with: "portable", "avx2" or
/// "avx512", the best of this machine unless the environment variable
/// FP8RT_CPU_ISA names a lower one when the library is first used. All give the
/// same bits. "" when the variable names something else; fp8rt_matmul then says
/// so.
FP8RT_API const char *fp8rt_cpu_isa(void);

/// The message of the last failure on this thread; "" when there was none.
/// Valid until the next failing call on this thread.
FP8RT_API const char *fp8rt_last_error(void);

/// The name of a status, for messages: "FP8RT_OK" and so on; never null.
FP8RT_API const char *fp8rt_status_name(int32_t status);

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif

#endif // FP8RT_FP8RT_H
