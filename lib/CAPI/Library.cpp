//===- Library.cpp ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiling a module, and what is known of the library.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Conversion/RuntimeAbi.h"
#include "Handles.h"

using namespace mlir;
using namespace fp8capi;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Copies `count` strings.
static int32_t copyNames(fp8_context *context, const char *field,
                         const char *const *names, uint64_t count,
                         SmallVectorImpl<std::string> &copies) {
  if (count && !names)
    return invalid(context, Twine(field) + ": expects " + Twine(count) +
                                " names, but got null");
  for (uint64_t i = 0; i < count; ++i) {
    if (!names[i])
      return invalid(context, Twine(field) + ": expects a name, but number " +
                                  Twine(i) + " is null");
    copies.push_back(names[i]);
  }
  return FP8_OK;
}

static int32_t checkOptions(fp8_context *context,
                            const fp8_compile_options *options) {
  if (!options)
    return invalid(context, "expects options, but got null");
  if (options->struct_size < sizeof(*options))
    return invalid(context, "fp8_compile_options.struct_size: expects " +
                                Twine(sizeof(*options)) + ", but got " +
                                Twine(options->struct_size));
  if (!options->output)
    return invalid(context, "fp8_compile_options.output: expects a file to "
                            "write, but got null");
  if ((options->backward & ~1) || (options->split & ~1))
    return invalid(context,
                   "fp8_compile_options: expects 0 or 1 as `backward` and as "
                   "`split`, but got " +
                       Twine(options->backward) + " and " +
                       Twine(options->split));
  return FP8_OK;
}

/// What is not null replaces what `to` has.
static void assign(std::string &to, const char *from) {
  if (from)
    to = from;
}

static int32_t convertOptions(fp8_context *context,
                              const fp8_compile_options &from,
                              fp8::CompileOptions &to) {
  if (from.train_options) {
    std::string message;
    llvm::raw_string_ostream os(message);
    if (failed(to.train.parseFromString(from.train_options, os))) {
      (void)fp8::emitFailure(&context->context, "train options: " + message);
      return FP8_FAILED;
    }
  }
  to.train.target = from.target ? from.target : "cpu";
  to.train.recipe = from.recipe ? from.recipe : "tensorwise";
  to.train.partition = from.split != 0;
  to.backward = from.backward;
  to.output = from.output;
  assign(to.cudaPath, from.cuda_path);
  assign(to.cpu, from.cpu);
  return FP8_OK;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static fp8_tensor_kind getKind(fp8::TensorKind kind) {
  switch (kind) {
  case fp8::TensorKind::Argument:
    return FP8_TENSOR_ARGUMENT;
  case fp8::TensorKind::Residual:
    return FP8_TENSOR_RESIDUAL;
  case fp8::TensorKind::Saved:
    return FP8_TENSOR_SAVED;
  case fp8::TensorKind::Result:
  case fp8::TensorKind::Statistic:
    return FP8_TENSOR_RESULT;
  }
  llvm_unreachable("unknown kind");
}

static fp8_library::Tensor makeTensor(const fp8::TensorInfo &port,
                                      int64_t origin) {
  std::vector<int64_t> sizes(port.type.getShape());
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = -1;
  return {port.name, std::move(sizes),
          fp8::runtime::getRuntimeType(port.type.getElementType()),
          getKind(port.kind), static_cast<int32_t>(origin)};
}

static fp8_library *makeLibrary(const fp8::TrainedStep &step) {
  auto library = std::make_unique<fp8_library>();
  const fp8::FunctionInfo *before = nullptr;
  for (const fp8::FunctionInfo &info : step.functions) {
    fp8_library::Function function{info.name, info.arguments.size(), {}};
    for (const fp8::TensorInfo &port : info.arguments)
      function.tensors.push_back(
          makeTensor(port, before ? fp8::getOrigin(*before, port) : -1));
    for (const fp8::TensorInfo &port : info.results)
      function.tensors.push_back(makeTensor(port, -1));
    library->functions.push_back(std::move(function));
    before = &info;
  }
  for (const fp8::Linear &linear : step.linears)
    library->linears.push_back(
        {linear.name, linear.sizes, linear.matmuls, linear.converted});
  for (const fp8::Residual &residual : step.kept)
    library->kept.push_back({residual.description, residual.bytes});
  library->wideKeptBytes = step.wideKeptBytes;
  return library.release();
}

static int32_t compile(const fp8_module *module,
                       const fp8_compile_options *options,
                       fp8_library **library) {
  fp8_context *context = module->context;
  if (!library)
    return invalid(context, "expects a place for the library, but got null");
  *library = nullptr;
  if (int32_t status = checkOptions(context, options))
    return status;
  fp8::CompileOptions compileOptions;
  if (int32_t status = convertOptions(context, *options, compileOptions))
    return status;
  fp8::ModelNames names;
  if (int32_t status =
          copyNames(context, "argument_names", options->argument_names,
                    options->num_argument_names, names.arguments))
    return status;
  if (int32_t status = copyNames(context, "result_names", options->result_names,
                                 options->num_result_names, names.results))
    return status;
  // The stages lower a copy.
  auto model = fp8::makeModel(
      OwningOpRef<ModuleOp>(cast<ModuleOp>((*module->module)->clone())),
      std::move(names), options->backward);
  if (failed(model))
    return FP8_FAILED;
  auto result = fp8::compileModel(*model, compileOptions);
  if (failed(result))
    return FP8_FAILED;
  *library = makeLibrary(*result);
  return FP8_OK;
}

int32_t fp8_module_compile(fp8_module *module,
                           const fp8_compile_options *options,
                           fp8_library **library) {
  if (!module)
    return FP8_INVALID_ARGUMENT;
  return enter(module->context,
               [&] { return compile(module, options, library); });
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void fp8_library_destroy(fp8_library *library) { delete library; }

uint64_t fp8_library_num_functions(const fp8_library *library) {
  return library ? library->functions.size() : 0;
}

int32_t fp8_library_get_function(const fp8_library *library, uint64_t index,
                                 fp8_function_info *info) {
  if (index >= fp8_library_num_functions(library))
    return FP8_INVALID_ARGUMENT;
  const fp8_library::Function &function = library->functions[index];
  return fill<fp8_function_info>(
      info,
      {sizeof(fp8_function_info), function.name.c_str(), function.numArguments,
       function.tensors.size() - function.numArguments});
}

int32_t fp8_library_get_tensor(const fp8_library *library, uint64_t function,
                               uint64_t index, fp8_tensor_info *info) {
  if (function >= fp8_library_num_functions(library) ||
      index >= library->functions[function].tensors.size())
    return FP8_INVALID_ARGUMENT;
  const fp8_library::Tensor &tensor =
      library->functions[function].tensors[index];
  return fill<fp8_tensor_info>(info, {sizeof(fp8_tensor_info),
                                      tensor.name.c_str(), tensor.sizes.data(),
                                      static_cast<int32_t>(tensor.sizes.size()),
                                      tensor.type, tensor.kind, tensor.origin});
}

uint64_t fp8_library_num_linears(const fp8_library *library) {
  return library ? library->linears.size() : 0;
}

int32_t fp8_library_get_linear(const fp8_library *library, uint64_t index,
                               fp8_linear_info *info) {
  if (index >= fp8_library_num_linears(library))
    return FP8_INVALID_ARGUMENT;
  const fp8_library::Linear &linear = library->linears[index];
  return fill<fp8_linear_info>(info, {sizeof(fp8_linear_info),
                                      linear.name.c_str(), linear.sizes.c_str(),
                                      linear.matmuls, linear.converted});
}

uint64_t fp8_library_num_kept(const fp8_library *library) {
  return library ? library->kept.size() : 0;
}

int32_t fp8_library_get_kept(const fp8_library *library, uint64_t index,
                             fp8_kept_info *info) {
  if (index >= fp8_library_num_kept(library))
    return FP8_INVALID_ARGUMENT;
  const fp8_library::Kept &kept = library->kept[index];
  return fill<fp8_kept_info>(info,
                             {sizeof(fp8_kept_info), kept.description.c_str(),
                              static_cast<uint64_t>(kept.bytes)});
}

uint64_t fp8_library_wide_kept_bytes(const fp8_library *library) {
  return library ? library->wideKeptBytes : 0;
}
