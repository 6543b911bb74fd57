//===- Header.cpp -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C header of a compiled library.
//
//===----------------------------------------------------------------------===//

#include "Library.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::fp8;

std::string fp8::getCName(const CompileOptions &options, const Model &model,
                          StringRef function) {
  if (model.function != "main")
    return function.str();
  std::string name = llvm::sys::path::stem(options.output).str();
  for (char &c : name)
    c = llvm::isAlnum(c) ? c : '_';
  if (llvm::isDigit(name.front()))
    name = "_" + name;
  return name + function.substr(model.function.size()).str();
}

/// One line for each tensor of `function`.
static void describeTensors(raw_ostream &os, const FunctionInfo &function,
                            const FunctionInfo *before,
                            const FunctionInfo *next) {
  os << "//\n// Tensors of " << function.name
     << ", in this order, row-major without gaps: the arguments\n";
  unsigned number = 0;
  auto describe = [&](const TensorInfo &tensor) -> raw_ostream & {
    return os << "//   " << number++ << "  " << tensor.name << ": "
              << tensor.type;
  };
  for (const TensorInfo &argument : function.arguments) {
    describe(argument);
    int64_t origin = before ? getOrigin(*before, argument) : -1;
    if (origin >= 0)
      os << ", tensor " << origin << " of " << before->name;
    os << "\n";
  }
  os << "// and the results\n";
  bool saved = false;
  for (const TensorInfo &result : function.results) {
    if (next && !saved && result.kind == TensorKind::Saved) {
      os << "// and what " << next->name << " needs besides\n";
      saved = true;
    }
    describe(result) << "\n";
  }
}

/// Which tensors of `before` the arguments of `function` are, for programs.
static void declareOrigins(raw_ostream &os, const FunctionInfo &function,
                           const FunctionInfo &before) {
  os << "/// Argument i of " << function.name << " is this tensor of "
     << before.name << "; -1 is none.\n"
     << "static const int32_t " << function.name << "_from[] = {";
  llvm::interleaveComma(
      function.arguments, os,
      [&](const TensorInfo &argument) { os << getOrigin(before, argument); });
  os << "};\n\n";
}

static void declare(raw_ostream &os, StringRef name) {
  os << "/// Runs the step and returns an fp8rt_status. `workspace` starts at "
        "a\n"
     << "/// multiple of 256 bytes and has the size that " << name
     << "_workspace gives;\n"
     << "/// it may hold anything, and what a call leaves there can make the "
        "next one\n"
     << "/// faster. " << name
     << "_prepare was called before for these sizes.\n";
  os << "int32_t " << name
     << "(const fp8rt_tensor *tensors, fp8rt_context *context,\n"
     << "    void *workspace, fp8rt_stream *stream);\n\n"
     << "/// The bytes of workspace for these sizes. Pointers are not looked "
        "at.\n"
     << "int32_t " << name
     << "_workspace(const fp8rt_tensor *tensors, uint64_t *bytes);\n\n"
     << "/// Does once, for these sizes and this device, what calls rely on.\n"
     << "int32_t " << name
     << "_prepare(const fp8rt_tensor *tensors, fp8rt_context *context);\n\n"
     << "/// The sizes of all results, one behind the other, from the "
        "arguments.\n"
     << "int32_t " << name
     << "_sizes(const fp8rt_tensor *tensors, int64_t *sizes);\n\n"
     << "/// What the tensors are: arguments, then results.\n"
     << "int32_t " << name << "_tensors(const fp8rt_tensor_spec **specs,\n"
     << "    int64_t *num_arguments, int64_t *num_results);\n\n";
}

std::string fp8::makeHeader(StringRef guard, const CompileOptions &options,
                            ArrayRef<FunctionInfo> functions) {
  std::string macro = "FP8_COMPILED_" + guard.upper() + "_H";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// Made by fp8-compile for " << options.train.target.getValue()
     << ", recipe " << options.train.recipe.getValue() << ".\n";
  for (auto [index, function] : llvm::enumerate(functions))
    describeTensors(os, function, index > 0 ? &functions[index - 1] : nullptr,
                    index + 1 < functions.size() ? &functions[index + 1]
                                                 : nullptr);
  os << "\n#ifndef " << macro << "\n#define " << macro
     << "\n\n#include \"fp8rt/fp8rt.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n"
     << "#endif\n\n";
  for (auto [index, function] : llvm::enumerate(functions)) {
    if (index > 0)
      declareOrigins(os, function, functions[index - 1]);
    declare(os, function.name);
  }
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif // " << macro << "\n";
  return text;
}
