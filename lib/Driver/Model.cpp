//===- Model.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model that is compiled.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Driver/Model.h"
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
using namespace mlir::fp8;

LogicalResult fp8::emitFailure(MLIRContext *context, const Twine &message) {
  return emitError(UnknownLoc::get(context), message);
}

LogicalResult fp8::emitFailure(MLIRContext *context, llvm::Error error) {
  return emitFailure(context, llvm::toString(std::move(error)));
}

LogicalResult fp8::checkTarget(MLIRContext *context, StringRef target) {
  if (lookupTarget(target))
    return success();
  return emitFailure(context, "expects a target among " + getTargetNames() +
                                  ", but got '" + target + "'");
}

LogicalResult fp8::checkRecipe(MLIRContext *context, StringRef recipe) {
  if (recipe == "none" || lookupRecipe(recipe))
    return success();
  return emitFailure(context, "expects a recipe among " + getRecipeNames() +
                                  ", none, but got '" + recipe + "'");
}

OwningOpRef<ModuleOp> fp8::parseModule(StringRef file, MLIRContext *context,
                                       llvm::SourceMgr &sources) {
  std::string message;
  auto buffer = openInputFile(file, &message);
  if (!buffer) {
    (void)emitFailure(context, message);
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
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

FailureOr<ModelNames> fp8::readNames(StringRef directory,
                                     MLIRContext *context) {
  ModelNames names;
  SmallString<128> path(directory);
  llvm::sys::path::append(path, "index.json");
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return names;
  llvm::Expected<llvm::json::Value> json =
      llvm::json::parse((*buffer)->getBuffer());
  if (!json)
    return emitFailure(context, path + ": " + llvm::toString(json.takeError()));
  auto readList = [&](StringRef key, SmallVectorImpl<std::string> &list) {
    llvm::json::Object *object = json->getAsObject();
    llvm::json::Array *entries = object ? object->getArray(key) : nullptr;
    if (!entries)
      return emitFailure(context, path + ": expects an object with a list '" +
                                      key + "'");
    for (llvm::json::Value &entry : *entries) {
      llvm::json::Object *fields = entry.getAsObject();
      auto name = fields ? fields->getString("name") : std::nullopt;
      if (!name)
        return emitFailure(context,
                           path + ": expects a 'name' in each entry of '" +
                               key + "'");
      list.push_back(name->str());
    }
    return success();
  };
  if (failed(readList("args", names.arguments)) ||
      failed(readList("results", names.results)))
    return failure();
  return names;
}

/// Makes up the names that are not given.
static void completeNames(func::FuncOp function, bool backward, Model &model) {
  for (unsigned i = model.argumentNames.size(); i < model.numArguments; ++i) {
    auto known = function.getArgAttrOfType<StringAttr>(i, kNameAttr);
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
        !function.getArgAttr(i, kFrozenAttr))
      model.resultNames.push_back("d_" + model.argumentNames[i]);
}

FailureOr<Model> fp8::makeModel(OwningOpRef<ModuleOp> module, ModelNames names,
                                bool backward) {
  FailureOr<func::FuncOp> function = findFunction(*module);
  if (failed(function))
    return failure();
  // With a backward pass, the tangents' names may follow.
  unsigned most = function->getNumArguments();
  if (backward)
    most += function->getNumResults();
  if (names.arguments.size() > most) {
    function->emitError("expects a name for each of its ")
        << most << (backward ? " arguments and tangents" : " arguments")
        << " at most, but got " << names.arguments.size();
    return failure();
  }
  Model model;
  model.module = std::move(module);
  model.function = function->getName().str();
  model.numArguments = function->getNumArguments();
  model.argumentNames = std::move(names.arguments);
  model.resultNames = std::move(names.results);
  completeNames(*function, backward, model);
  for (unsigned i = 0; i < model.numArguments; ++i)
    function->setArgAttr(
        i, kNameAttr,
        StringAttr::get(function->getContext(), model.argumentNames[i]));
  return model;
}

LogicalResult fp8::runStage(ModuleOp module, const Stage &stage) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  stage.build(pm);
  return pm.run(module);
}
