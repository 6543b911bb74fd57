//===- CApiTest.c - A C program that compiles and runs a step -------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   Fp8CApiTest torch_linear.mlir DIRECTORY
//
// Every function of fp8-c, in C. The directory is for what it compiles.
//
//===----------------------------------------------------------------------===//

#include "fp8-c/Fp8.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

/// Counts a failure with its line unless `condition` holds.
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) {                                                        \
      printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #condition);           \
      ++failures;                                                              \
    }                                                                          \
  } while (0)

static fp8_message message_of(const fp8_context *context, uint64_t index) {
  fp8_message message = {sizeof(message), 0, 0, "", "", "", 0, 0};
  CHECK(fp8_context_get_message(context, index, &message) == FP8_OK);
  return message;
}

/// Whether a message of the last call has this severity and this in its text.
static int has_message(const fp8_context *context, int32_t severity,
                       const char *text) {
  uint64_t count = fp8_context_num_messages(context);
  for (uint64_t i = 0; i < count; ++i) {
    fp8_message message = message_of(context, i);
    if (message.severity == severity && strstr(message.text, text))
      return 1;
  }
  printf("no message with '%s' among %d\n", text, (int)count);
  for (uint64_t i = 0; i < count; ++i)
    printf("  %s\n", message_of(context, i).text);
  return 0;
}

static const char identity[] =
    "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  return %x : tensor<4xf32>\n"
    "}\n";

static void test_parse(fp8_context *context) {
  fp8_module *module = NULL;
  CHECK(fp8_module_parse(context, identity, strlen(identity), NULL, &module) ==
        FP8_OK);
  CHECK(fp8_context_num_messages(context) == 0);
  fp8_module_destroy(module);

  // The length counts, not a zero byte.
  char longer[sizeof(identity) + 8];
  memcpy(longer, identity, sizeof(identity) - 1);
  memcpy(longer + sizeof(identity) - 1, "garbage", 8);
  CHECK(fp8_module_parse(context, longer, strlen(identity), NULL, &module) ==
        FP8_OK);
  fp8_module_destroy(module);
  CHECK(fp8_module_parse(context, longer, strlen(longer), NULL, &module) ==
        FP8_FAILED);

  // An error has its place.
  const char *bad = "func.func @f() {\n  foo.bar\n  return\n}\n";
  module = (fp8_module *)&failures;
  CHECK(fp8_module_parse(context, bad, strlen(bad), "bad.mlir", &module) ==
        FP8_FAILED);
  CHECK(module == NULL);
  CHECK(fp8_context_num_messages(context) >= 1);
  fp8_message message = message_of(context, 0);
  CHECK(message.severity == FP8_ERROR && message.remark_kind == 0);
  CHECK(strcmp(message.file, "bad.mlir") == 0);
  CHECK(message.line == 2 && message.column == 3);
  CHECK(strcmp(message.name, "") == 0);

  CHECK(fp8_module_parse_file(context, "/nowhere/m.mlir", &module) ==
        FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "'/nowhere/m.mlir'"));
  message = message_of(context, 0);
  CHECK(strcmp(message.file, "") == 0 && message.line == 0);
  CHECK(fp8_context_num_messages(context) == 1);

  CHECK(fp8_module_parse(context, NULL, 0, NULL, &module) ==
        FP8_INVALID_ARGUMENT);
  CHECK(has_message(context, FP8_ERROR, "but got null"));
  CHECK(fp8_module_parse(NULL, identity, 1, NULL, &module) ==
        FP8_INVALID_ARGUMENT);
}

static void test_pipeline(fp8_context *context, const char *path) {
  fp8_module *module = NULL;
  CHECK(fp8_module_parse_file(context, path, &module) == FP8_OK);
  CHECK(fp8_module_run(module, "builtin.module(fp8-train{target=sm_90})") ==
        FP8_OK);
  CHECK(has_message(context, FP8_REMARK, "(forward, 64x128x256) converted"));
  CHECK(strcmp(message_of(context, 0).name, "") != 0);
  int passed = 0;
  for (uint64_t i = 0; i < fp8_context_num_messages(context); ++i)
    passed += message_of(context, i).remark_kind == FP8_REMARK_PASSED;
  CHECK(passed == 3);
  fp8_string text = {0};
  CHECK(fp8_module_print(module, &text) == FP8_OK);
  CHECK(text.length == strlen(text.data));
  CHECK(strstr(text.data, "fp8.scaled_mm") != NULL);
  // Messages are those of the last call.
  CHECK(fp8_context_num_messages(context) == 0);
  fp8_string_free(&text);
  CHECK(text.data == NULL && text.length == 0);
  fp8_string_free(&text);

  CHECK(fp8_module_run(module, "builtin.module(fp8-nothing)") == FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "fp8-nothing"));
  CHECK(fp8_module_run(module, "func.func(canonicalize)") == FP8_FAILED);
  CHECK(
      has_message(context, FP8_ERROR, "expects a pipeline on builtin.module"));
  CHECK(fp8_module_run(module, NULL) == FP8_INVALID_ARGUMENT);
  fp8_module_destroy(module);
}

static fp8_compile_options options_for(const char *output) {
  fp8_compile_options options;
  memset(&options, 0, sizeof(options));
  options.struct_size = sizeof(options);
  options.output = output;
  return options;
}

/// What is wrong with options is said, and nothing is written.
static void test_bad_options(fp8_context *context, const char *path) {
  fp8_module *module = NULL;
  fp8_library *library = NULL;
  CHECK(fp8_module_parse_file(context, path, &module) == FP8_OK);

  fp8_compile_options options = options_for("/nowhere/m.so");
  CHECK(fp8_module_compile(module, &options, &library) == FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "cannot write beside '/nowhere/m.so'"));
  options.target = "sm_77";
  CHECK(fp8_module_compile(module, &options, &library) == FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "but got 'sm_77'"));
  options.target = NULL;
  options.recipe = "magic";
  CHECK(fp8_module_compile(module, &options, &library) == FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "but got 'magic'"));
  options.recipe = NULL;
  options.train_options = "min-q=3";
  CHECK(fp8_module_compile(module, &options, &library) == FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "min-q"));
  options.train_options = NULL;
  const char *names[] = {"x", "w", "b"};
  options.argument_names = names;
  options.num_argument_names = 3;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "2 arguments at most, but got 3"));
  names[1] = NULL;
  options.num_argument_names = 2;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_INVALID_ARGUMENT);
  CHECK(has_message(context, FP8_ERROR, "number 1 is null"));
  options = options_for("/nowhere/m.so");
  options.struct_size = 8;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_INVALID_ARGUMENT);
  CHECK(has_message(context, FP8_ERROR, "struct_size: expects"));
  options = options_for("/nowhere/m.so");
  options.backward = 2;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_INVALID_ARGUMENT);
  options = options_for("/nowhere/m.so");
  options.split = 1;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_FAILED);
  CHECK(has_message(context, FP8_ERROR, "expects a backward pass for two"));
  options = options_for(NULL);
  CHECK(fp8_module_compile(module, &options, &library) == FP8_INVALID_ARGUMENT);
  CHECK(has_message(context, FP8_ERROR, "output: expects"));
  CHECK(fp8_module_compile(module, NULL, &library) == FP8_INVALID_ARGUMENT);
  CHECK(library == NULL);
  fp8_module_destroy(module);
}

static void check_tensor(const fp8_library *library, uint64_t index,
                         const char *name, int64_t rows, int64_t columns) {
  fp8_tensor_info info = {0};
  info.struct_size = sizeof(info);
  CHECK(fp8_library_get_tensor(library, 0, index, &info) == FP8_OK);
  CHECK(strcmp(info.name, name) == 0);
  CHECK(info.type == FP8RT_BF16 && info.rank == 2);
  CHECK(info.sizes[0] == rows && info.sizes[1] == columns);
}

static void check_facts(const fp8_library *library) {
  CHECK(fp8_library_num_functions(library) == 1);
  fp8_function_info function = {0};
  function.struct_size = sizeof(function);
  CHECK(fp8_library_get_function(library, 0, &function) == FP8_OK);
  CHECK(strcmp(function.name, "capi_step") == 0);
  CHECK(function.num_arguments == 3 && function.num_results == 3);
  check_tensor(library, 0, "x", 64, 128);
  check_tensor(library, 1, "w", 256, 128);
  check_tensor(library, 2, "d_y", 64, 256);
  check_tensor(library, 3, "y", 64, 256);
  check_tensor(library, 4, "d_x", 64, 128);
  check_tensor(library, 5, "d_w", 256, 128);
  fp8_tensor_info none = {0};
  none.struct_size = sizeof(none);
  CHECK(fp8_library_get_tensor(library, 0, 6, &none) == FP8_INVALID_ARGUMENT);
  CHECK(fp8_library_get_tensor(library, 1, 0, &none) == FP8_INVALID_ARGUMENT);
  none.struct_size = 8;
  CHECK(fp8_library_get_tensor(library, 0, 0, &none) == FP8_INVALID_ARGUMENT);

  CHECK(fp8_library_num_linears(library) == 1);
  fp8_linear_info linear = {0};
  linear.struct_size = sizeof(linear);
  CHECK(fp8_library_get_linear(library, 0, &linear) == FP8_OK);
  CHECK(strcmp(linear.name, "w") == 0);
  CHECK(strcmp(linear.sizes, "64 x 128 x 256") == 0);
  CHECK(linear.matmuls == 3 && linear.converted == 3);
  CHECK(fp8_library_get_linear(library, 1, &linear) == FP8_INVALID_ARGUMENT);

  // x and W in a byte an element, and a descale of each.
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < fp8_library_num_kept(library); ++i) {
    fp8_kept_info kept = {0};
    kept.struct_size = sizeof(kept);
    CHECK(fp8_library_get_kept(library, i, &kept) == FP8_OK);
    CHECK(strlen(kept.description) > 0);
    bytes += kept.bytes;
  }
  CHECK(bytes == 64 * 128 + 256 * 128 + 2 * sizeof(float));
  CHECK(fp8_library_wide_kept_bytes(library) == 2 * (64 * 128 + 256 * 128));
}

static uint16_t x[64 * 128], w[256 * 128], dy[64 * 256];
static uint16_t y[64 * 256], dx[64 * 128], dw[256 * 128];

static void fill(uint16_t *to, int count) {
  for (int i = 0; i < count; ++i)
    to[i] = 0x3f80; // 1 in bf16
}

static int is_all(const uint16_t *values, int count, uint16_t value) {
  for (int i = 0; i < count; ++i)
    if (values[i] != value)
      return 0;
  return 1;
}

/// Ones: sums over 128, 256 and 64.
static void run_step(const char *path) {
  void *code = dlopen(path, RTLD_NOW);
  CHECK(code != NULL);
  if (!code)
    return;
  int32_t (*step)(const fp8rt_tensor *, fp8rt_context *, void *,
                  fp8rt_stream *);
  int32_t (*size)(const fp8rt_tensor *, uint64_t *);
  *(void **)&step = dlsym(code, "capi_step");
  *(void **)&size = dlsym(code, "capi_step_workspace");
  fill(x, 64 * 128);
  fill(w, 256 * 128);
  fill(dy, 64 * 256);
  int64_t xs[] = {64, 128}, ws[] = {256, 128}, ys[] = {64, 256};
  fp8rt_tensor tensors[] = {
      {x, xs, NULL, 2, FP8RT_BF16},  {w, ws, NULL, 2, FP8RT_BF16},
      {dy, ys, NULL, 2, FP8RT_BF16}, {y, ys, NULL, 2, FP8RT_BF16},
      {dx, xs, NULL, 2, FP8RT_BF16}, {dw, ws, NULL, 2, FP8RT_BF16}};
  uint64_t bytes = 0;
  CHECK(size(tensors, &bytes) == FP8RT_OK);
  void *workspace = aligned_alloc(256, (bytes + 255) / 256 * 256);
  CHECK(step(tensors, NULL, workspace, NULL) == FP8RT_OK);
  free(workspace);
  CHECK(is_all(y, 64 * 256, 0x4300));   // 128
  CHECK(is_all(dx, 64 * 128, 0x4380));  // 256
  CHECK(is_all(dw, 256 * 128, 0x4280)); // 64
  dlclose(code);
}

static void test_compile(fp8_context *context, const char *path,
                         const char *directory) {
  char output[4096];
  snprintf(output, sizeof(output), "%s/capi_step.so", directory);
  remove(output);
  fp8_module *module = NULL;
  fp8_library *library = NULL;
  CHECK(fp8_module_parse_file(context, path, &module) == FP8_OK);
  fp8_compile_options options = options_for(output);
  const char *arguments[] = {"x", "w"}, *results[] = {"y"};
  options.backward = 1;
  options.argument_names = arguments;
  options.num_argument_names = 2;
  options.result_names = results;
  options.num_result_names = 1;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_OK);
  CHECK(has_message(context, FP8_REMARK, "w (forward, 64x128x256) converted"));
  // The module is as it was: no backward pass, and no FP8.
  fp8_string text = {0};
  CHECK(fp8_module_print(module, &text) == FP8_OK);
  CHECK(strstr(text.data, "linalg.matmul") && !strstr(text.data, "f8E4M3FN"));
  fp8_string_free(&text);
  fp8_module_destroy(module);
  check_facts(library);
  fp8_library_destroy(library);
  run_step(output);
}

static fp8_tensor_info tensor_of(const fp8_library *library, uint64_t function,
                                 uint64_t index) {
  fp8_tensor_info info = {sizeof(info), "", NULL, 0, 0, 0, 0};
  CHECK(fp8_library_get_tensor(library, function, index, &info) == FP8_OK);
  return info;
}

/// Forward: x, w to y and what is saved. Backward: what is saved and d_y to
/// gradients.
/* The forward pass alone is one function, whether two are asked for or not. */
static void test_evaluation(fp8_context *context, const char *path,
                            const char *directory) {
  char output[4096];
  snprintf(output, sizeof(output), "%s/capi_evaluation.so", directory);
  fp8_module *module = NULL;
  CHECK(fp8_module_parse_file(context, path, &module) == FP8_OK);
  fp8_compile_options options = options_for(output);
  options.backward = 1;
  options.split = 1;
  options.train_options = "evaluation=true";
  fp8_library *library = NULL;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_OK);
  CHECK(fp8_library_num_functions(library) == 1);
  fp8_library_destroy(library);
  fp8_module_destroy(module);
}

static void test_split(fp8_context *context, const char *path,
                       const char *directory) {
  char output[4096];
  snprintf(output, sizeof(output), "%s/capi_split.so", directory);
  fp8_module *module = NULL;
  fp8_library *library = NULL;
  CHECK(fp8_module_parse_file(context, path, &module) == FP8_OK);
  fp8_compile_options options = options_for(output);
  options.backward = 1;
  options.split = 1;
  CHECK(fp8_module_compile(module, &options, &library) == FP8_OK);
  fp8_module_destroy(module);
  CHECK(fp8_library_num_functions(library) == 2);
  fp8_function_info forward = {sizeof(forward), "", 0, 0}, backward = forward;
  CHECK(fp8_library_get_function(library, 0, &forward) == FP8_OK);
  CHECK(fp8_library_get_function(library, 1, &backward) == FP8_OK);
  CHECK(strcmp(forward.name, "capi_split_forward") == 0);
  CHECK(strcmp(backward.name, "capi_split_backward") == 0);
  CHECK(forward.num_arguments == 2 && backward.num_results == 2);
  CHECK(tensor_of(library, 0, 0).kind == FP8_TENSOR_ARGUMENT);
  CHECK(tensor_of(library, 0, 0).origin == -1);
  CHECK(tensor_of(library, 0, 2).kind == FP8_TENSOR_RESULT);
  CHECK(tensor_of(library, 0, 3).kind == FP8_TENSOR_SAVED);
  // What the backward function takes of the forward function is of that type.
  uint64_t gradients = 0, residuals = 0;
  for (uint64_t i = 0; i < backward.num_arguments; ++i) {
    fp8_tensor_info tensor = tensor_of(library, 1, i);
    gradients += tensor.origin == -1;
    if (tensor.kind != FP8_TENSOR_RESIDUAL)
      continue;
    ++residuals;
    fp8_tensor_info origin = tensor_of(library, 0, tensor.origin);
    CHECK(origin.kind == FP8_TENSOR_SAVED && origin.type == tensor.type);
  }
  CHECK(gradients == 1);
  CHECK(residuals == forward.num_results - 1 && residuals > 0);
  fp8_library_destroy(library);
}

/// Null where a handle is expected crashes nothing.
static void test_null(void) {
  fp8_context_destroy(NULL);
  fp8_module_destroy(NULL);
  fp8_library_destroy(NULL);
  fp8_string_free(NULL);
  CHECK(fp8_context_create(NULL) == FP8_INVALID_ARGUMENT);
  CHECK(fp8_context_num_messages(NULL) == 0);
  fp8_message message = {0};
  message.struct_size = sizeof(message);
  CHECK(fp8_context_get_message(NULL, 0, &message) == FP8_INVALID_ARGUMENT);
  CHECK(fp8_module_run(NULL, "builtin.module()") == FP8_INVALID_ARGUMENT);
  CHECK(fp8_module_print(NULL, NULL) == FP8_INVALID_ARGUMENT);
  CHECK(fp8_module_compile(NULL, NULL, NULL) == FP8_INVALID_ARGUMENT);
  CHECK(fp8_library_num_functions(NULL) == 0);
  CHECK(fp8_library_num_linears(NULL) == 0 && fp8_library_num_kept(NULL) == 0);
  CHECK(fp8_library_get_function(NULL, 0, NULL) == FP8_INVALID_ARGUMENT);
  CHECK(strcmp(fp8_status_name(FP8_FAILED), "FP8_FAILED") == 0);
  CHECK(fp8_status_name(99) != NULL);
  CHECK(strchr(fp8_version(), '.') != NULL);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    printf("expects a module and a directory\n");
    return 2;
  }
  test_null();
  // Two at once: they do not share messages.
  fp8_context *context = NULL, *other = NULL;
  CHECK(fp8_context_create(&context) == FP8_OK);
  CHECK(fp8_context_create(&other) == FP8_OK);
  fp8_module *module = NULL;
  CHECK(fp8_module_parse(other, "?", 1, NULL, &module) == FP8_FAILED);
  test_parse(context);
  test_pipeline(context, argv[1]);
  test_bad_options(context, argv[1]);
  test_compile(context, argv[1], argv[2]);
  test_split(context, argv[1], argv[2]);
  test_evaluation(context, argv[1], argv[2]);
  CHECK(fp8_context_num_messages(other) == 1);
  fp8_context_destroy(other);
  fp8_context_destroy(context);
  printf("%d failures\n", failures);
  return failures != 0;
}
