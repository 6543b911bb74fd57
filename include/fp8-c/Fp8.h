//===- Fp8.h - C interface of the FP8 compiler ---------------------*- C
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From MLIR text to a compiled training step. No type of LLVM or MLIR and no
// exception crosses this interface: every call that can fail returns a status,
// and what went wrong, with its place in the program, is among the messages of
// the context. Structs carry their size, so that a program built against an
// older header goes on working.
//
// Ownership. What a function creates is freed by the `destroy` function of its
// type. A `const char *` that comes back belongs to what it was asked of.
// Inputs are copied; nothing is kept of the caller's memory.
//
// Threads. A context, its modules and libraries are used by one thread at a
// time. Different contexts do not know of each other.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_C_FP8_H
#define FP8_C_FP8_H

#include "fp8rt/fp8rt.h"

#include <stdint.h>

#if defined(_WIN32)
#define FP8_API __declspec(dllexport)
#else
#define FP8_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Names as C interfaces have them.
// NOLINTBEGIN(readability-identifier-naming)

/// What a call came to.
typedef enum fp8_status {
  FP8_OK = 0,
  /// An argument is null, out of range, or a struct has an impossible size.
  FP8_INVALID_ARGUMENT = 1,
  /// The program, an option or a file is at fault; messages say where and why.
  FP8_FAILED = 2
} fp8_status;

/// The name of a status, for messages: "FP8_OK" and so on; never null.
FP8_API const char *fp8_status_name(int32_t status);

/// The version of this library: "MAJOR.MINOR.PATCH".
FP8_API const char *fp8_version(void);

//===----------------------------------------------------------------------===//
// Contexts and their messages
//===----------------------------------------------------------------------===//

/// Holds the types and the messages of modules. Opaque.
typedef struct fp8_context fp8_context;

/// Makes a context: some milliseconds.
FP8_API int32_t fp8_context_create(fp8_context **context);

/// Frees a context; null is fine. Its modules are destroyed before.
FP8_API void fp8_context_destroy(fp8_context *context);

typedef enum fp8_severity {
  FP8_ERROR = 1,
  FP8_WARNING = 2,
  FP8_REMARK = 3,
  /// Belongs to the message before it.
  FP8_NOTE = 4
} fp8_severity;

/// What became of a transformation that a remark is about.
typedef enum fp8_remark_kind {
  /// Not a remark of a transformation.
  FP8_REMARK_NONE = 0,
  /// It was done.
  FP8_REMARK_PASSED = 1,
  /// It was not done; the text says why.
  FP8_REMARK_MISSED = 2,
  /// It was tried, and failed.
  FP8_REMARK_FAILED = 3,
  /// Facts and figures.
  FP8_REMARK_ANALYSIS = 4
} fp8_remark_kind;

typedef struct fp8_message {
  /// sizeof(fp8_message) of the caller.
  uint64_t struct_size;
  /// An fp8_severity.
  int32_t severity;
  /// An fp8_remark_kind.
  int32_t remark_kind;
  const char *text;
  /// What emitted a remark: "QuantizeMatmuls"; "" for others.
  const char *name;
  /// The place in the program that the message is about, counted from 1; ""
  /// and 0 where there is none.
  const char *file;
  uint32_t line;
  uint32_t column;
} fp8_message;

/// The messages of the last call that took this context, or a module of it:
/// errors, warnings and remarks in the order they came up. The functions below
/// are not such calls.
FP8_API uint64_t fp8_context_num_messages(const fp8_context *context);

/// Fills in message number `index`. Its strings live until the next call that
/// takes the context or a module of it.
FP8_API int32_t fp8_context_get_message(const fp8_context *context,
                                        uint64_t index, fp8_message *message);

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// A program. Opaque.
typedef struct fp8_module fp8_module;

/// Parses the `length` bytes at `text`, MLIR text or bytecode, which may hold
/// every dialect of MLIR and fp8 and blaslt. `name` is the file that messages
/// name; null is "<text>".
FP8_API int32_t fp8_module_parse(fp8_context *context, const char *text,
                                 uint64_t length, const char *name,
                                 fp8_module **module);

/// Parses the file at `path`.
FP8_API int32_t fp8_module_parse_file(fp8_context *context, const char *path,
                                      fp8_module **module);

/// Frees a module; null is fine.
FP8_API void fp8_module_destroy(fp8_module *module);

/// Runs a pipeline on the module, as `fp8-opt --pass-pipeline` takes it:
/// "builtin.module(fp8-train{target=sm_90},canonicalize)". After a failure the
/// module is as the failing pass left it; destroy it.
FP8_API int32_t fp8_module_run(fp8_module *module, const char *pipeline);

/// Text that a call made. Freed with fp8_string_free.
typedef struct fp8_string {
  /// Ended by a zero byte, which `length` does not count.
  char *data;
  uint64_t length;
} fp8_string;

/// The module as MLIR text.
FP8_API int32_t fp8_module_print(fp8_module *module, fp8_string *text);

/// Frees the text and clears the struct; null is fine, and a cleared one.
FP8_API void fp8_string_free(fp8_string *text);

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

typedef struct fp8_compile_options {
  /// sizeof(fp8_compile_options) of the caller.
  uint64_t struct_size;
  /// The shared library to write. The C header goes beside it, with suffix .h.
  const char *output;
  /// The device: "cpu", "sm_90", ... Null is "cpu".
  const char *target;
  /// How scales are chosen: "tensorwise", "tensorwise_pow2" with powers of two,
  /// or "none", which keeps matmuls wide.
  /// Null is "tensorwise".
  const char *recipe;
  /// More options of the pipeline fp8-train, as text: "min-k=64 computed=true".
  /// Null is none.
  const char *train_options;
  /// The folder of the CUDA toolkit, with bin/ptxas. Null takes CUDA_HOME, or
  /// ptxas in PATH; without one PTX is embedded.
  const char *cuda_path;
  /// The processor of the host code, as LLVM names it. Null is this machine's.
  const char *cpu;
  /// Names of the first arguments and results of the function, or of all. The
  /// names of others are those of `fp8.name` attributes, or made up.
  const char *const *argument_names;
  uint64_t num_argument_names;
  const char *const *result_names;
  uint64_t num_result_names;
  /// 1 derives the backward pass and compiles both; 0 takes the module as it
  /// is.
  int32_t backward;
  /// 1 makes two functions, NAME_forward and NAME_backward, of a backward pass
  /// that is derived, or of one that is there, whose gradients of results
  /// `train_options` names as tangents; 0 makes one.
  int32_t split;
} fp8_compile_options;

/// What was compiled. Opaque. It outlives its module and its context.
typedef struct fp8_library fp8_library;

/// Compiles the only public function of `module`, which stays as it is, to a
/// shared library and its header; writes both or none. The library needs
/// libfp8rt and is called as its header says. Links with the first of cc,
/// clang-22, clang and gcc in PATH.
FP8_API int32_t fp8_module_compile(fp8_module *module,
                                   const fp8_compile_options *options,
                                   fp8_library **library);

/// Frees what is known of a library, not its file; null is fine.
FP8_API void fp8_library_destroy(fp8_library *library);

typedef struct fp8_function_info {
  /// sizeof(fp8_function_info) of the caller.
  uint64_t struct_size;
  /// What C calls it: NAME, with NAME_workspace, NAME_prepare and NAME_sizes.
  const char *name;
  /// Its tensors are the arguments, then the results. With a backward pass the
  /// tangents of results follow the arguments, and gradients the results.
  uint64_t num_arguments;
  uint64_t num_results;
} fp8_function_info;

FP8_API uint64_t fp8_library_num_functions(const fp8_library *library);
FP8_API int32_t fp8_library_get_function(const fp8_library *library,
                                         uint64_t index,
                                         fp8_function_info *info);

/// What a tensor of a function is.
typedef enum fp8_tensor_kind {
  /// An argument of the program, or the gradient of a result.
  FP8_TENSOR_ARGUMENT = 1,
  /// An argument of the backward function that the forward function made.
  FP8_TENSOR_RESIDUAL = 2,
  /// A result of the program, or a gradient.
  FP8_TENSOR_RESULT = 3,
  /// A result of the forward function for the backward function alone.
  FP8_TENSOR_SAVED = 4
} fp8_tensor_kind;

typedef struct fp8_tensor_info {
  /// sizeof(fp8_tensor_info) of the caller.
  uint64_t struct_size;
  const char *name;
  /// `rank` sizes; -1 takes any.
  const int64_t *sizes;
  int32_t rank;
  /// An fp8rt_type.
  int32_t type;
  /// An fp8_tensor_kind.
  int32_t kind;
  /// Of an argument of the backward function: the number of the tensor of the
  /// forward function that it is, or -1 for a gradient. -1 for all others.
  int32_t origin;
} fp8_tensor_info;

/// Fills in tensor number `index` of function number `function`.
FP8_API int32_t fp8_library_get_tensor(const fp8_library *library,
                                       uint64_t function, uint64_t index,
                                       fp8_tensor_info *info);

/// One linear layer of the program.
typedef struct fp8_linear_info {
  /// sizeof(fp8_linear_info) of the caller.
  uint64_t struct_size;
  /// The name of its weight.
  const char *name;
  /// M x K x N of the forward matmul.
  const char *sizes;
  /// Its matmuls, forward and backward, and how many of them are in FP8.
  uint32_t matmuls;
  uint32_t converted;
} fp8_linear_info;

FP8_API uint64_t fp8_library_num_linears(const fp8_library *library);
FP8_API int32_t fp8_library_get_linear(const fp8_library *library,
                                       uint64_t index, fp8_linear_info *info);

/// A value that the backward pass needs of the forward pass.
typedef struct fp8_kept_info {
  /// sizeof(fp8_kept_info) of the caller.
  uint64_t struct_size;
  /// "x in f8E4M3FN".
  const char *description;
  uint64_t bytes;
} fp8_kept_info;

FP8_API uint64_t fp8_library_num_kept(const fp8_library *library);
FP8_API int32_t fp8_library_get_kept(const fp8_library *library, uint64_t index,
                                     fp8_kept_info *info);

/// The bytes that the program without FP8 keeps for the backward pass.
FP8_API uint64_t fp8_library_wide_kept_bytes(const fp8_library *library);

// NOLINTEND(readability-identifier-naming)

#ifdef __cplusplus
}
#endif

#endif // FP8_C_FP8_H
