//===- Model.cpp ---------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that a tool works on.
//
//===----------------------------------------------------------------------===//

#include "Model.h"
#include "Fp8/IR/Fp8Ops.h"
#include "Fp8/Target/Target.h"
#include "Fp8/Transforms/Recipe.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace fp8tools;

StringRef fp8tools::toolName;

LogicalResult fp8tools::report(const Twine &message) {
  llvm::errs() << toolName << ": error: " << message << "\n";
  return failure();
}

LogicalResult fp8tools::report(llvm::Error error) {
  return report(llvm::toString(std::move(error)));
}

LogicalResult fp8tools::checkTarget(StringRef target) {
  if (fp8::lookupTarget(target))
    return success();
  return report("expects a target among " + fp8::getTargetNames() +
                ", but got '" + target + "'");
}

LogicalResult fp8tools::checkRecipe(StringRef recipe) {
  if (recipe == "none" || fp8::lookupRecipe(recipe))
    return success();
  return report("expects a recipe among " + fp8::getRecipeNames() +
                ", none, but got '" + recipe + "'");
}

/// The only public function of `module` that has a body.
static FailureOr<func::FuncOp> findFunction(ModuleOp module) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      functions.push_back(function);
  if (functions.size() != 1) {
    module.emitError("expects one public function with a body, but found ")
        << functions.size();
    return failure();
  }
  for (Type type : functions[0].getFunctionType().getInputs())
    if (!isa<RankedTensorType>(type)) {
      functions[0].emitError("expects ranked tensors as arguments, but got ")
          << type;
      return failure();
    }
  return functions[0];
}

/// Takes the names in `index.json` of the directory of inputs, if there is one.
static LogicalResult readNames(StringRef directory, Model &model) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, "index.json");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return success();
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return report(path + ": " + llvm::toString(json.takeError()));
  auto readList = [&](StringRef key, SmallVectorImpl<std::string> &names) {
    llvm::json::Object *object = json->getAsObject();
    llvm::json::Array *list = object ? object->getArray(key) : nullptr;
    if (!list)
      return report(path + ": expects an object with a list '" + key + "'");
    for (llvm::json::Value &entry : *list) {
      llvm::json::Object *fields = entry.getAsObject();
      auto name = fields ? fields->getString("name") : std::nullopt;
      if (!name)
        return report(path + ": expects a 'name' in each entry of '" + key +
                      "'");
      names.push_back(name->str());
    }
    return success();
  };
  return success(succeeded(readList("args", model.argumentNames)) &&
                 succeeded(readList("results", model.resultNames)));
}

/// Makes up the names that `index.json` did not give.
static void completeNames(func::FuncOp function, bool backward, Model &model) {
  for (unsigned i = model.argumentNames.size(); i < model.numArguments; ++i) {
    auto known = function.getArgAttrOfType<StringAttr>(i, fp8::kNameAttr);
    model.argumentNames.push_back(known ? known.str()
                                        : "arg" + std::to_string(i));
  }
  for (unsigned i = model.resultNames.size(); i < function.getNumResults(); ++i)
    model.resultNames.push_back("result" + std::to_string(i));
  if (!backward || model.resultNames.size() > function.getNumResults())
    return;
  for (unsigned i = 0; i < model.numArguments; ++i)
    if (isa<FloatType>(
            getElementTypeOrSelf(function.getArgument(i).getType())) &&
        !function.getArgAttr(i, fp8::kFrozenAttr))
      model.resultNames.push_back("d_" + model.argumentNames[i]);
}

LogicalResult fp8tools::loadModel(StringRef fileName, StringRef inputs,
                                  bool backward, MLIRContext &context,
                                  llvm::SourceMgr &sources, Model &model) {
  std::string message;
  auto file = openInputFile(fileName, &message);
  if (!file)
    return report(message);
  sources.AddNewSourceBuffer(std::move(file), SMLoc());
  model.module = parseSourceFile<ModuleOp>(sources, &context);
  if (!model.module)
    return failure();
  FailureOr<func::FuncOp> function = findFunction(*model.module);
  if (failed(function))
    return failure();
  model.function = function->getName().str();
  model.numArguments = function->getNumArguments();
  if (!inputs.empty()) {
    if (!llvm::sys::fs::is_directory(inputs))
      return report("expects a directory of inputs, but '" + inputs +
                    "' is none");
    if (failed(readNames(inputs, model)))
      return failure();
  }
  completeNames(*function, backward, model);
  for (unsigned i = 0; i < model.numArguments; ++i)
    function->setArgAttr(i, fp8::kNameAttr,
                         StringAttr::get(&context, model.argumentNames[i]));
  return success();
}

LogicalResult fp8tools::runStage(ModuleOp module, const fp8::Stage &stage) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  stage.build(pm);
  return pm.run(module);
}
