//===- Step.cpp -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what fp8-partition marked.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Driver/Step.h"
#include "Fp8/IR/Fp8Ops.h"

using namespace mlir;
using namespace mlir::fp8;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

FailureOr<JointSignature> fp8::getSignature(Model &model,
                                            const TrainOptions &options) {
  func::FuncOp function = model.getFunction();
  if (auto marked = getJointSignature(function))
    return *marked;
  return getJointSignature(
      function,
      SmallVector<unsigned>(options.tangents.begin(), options.tangents.end()),
      SmallVector<unsigned>(options.results.begin(), options.results.end()));
}

static std::optional<unsigned> getNumber(func::FuncOp function, unsigned index,
                                         StringRef attribute) {
  auto number = function.getArgAttrOfType<IntegerAttr>(index, attribute);
  if (!number)
    return std::nullopt;
  return number.getInt();
}

/// Argument `index` of `function`, as argument `number` of the step.
static TensorInfo getArgument(const Model &model, func::FuncOp function,
                              unsigned index, unsigned number) {
  std::string name;
  // Names of tangents may follow those of arguments.
  if (number < model.argumentNames.size())
    name = model.argumentNames[number];
  else if (auto result = getNumber(function, index, kTangentAttr))
    name = "d_" + model.resultNames[*result];
  return {TensorKind::Argument, number, name,
          cast<RankedTensorType>(function.getArgument(index).getType())};
}

/// The results of `function`; those of the step among them are `numbers`.
static SmallVector<TensorInfo> getResults(const Model &model,
                                          func::FuncOp function,
                                          ArrayRef<unsigned> numbers) {
  SmallVector<TensorInfo> tensors;
  for (auto [index, type] : llvm::enumerate(function.getResultTypes())) {
    auto tensorType = cast<RankedTensorType>(type);
    auto getName = [&, index = index](StringRef attribute) {
      return function.getResultAttrOfType<StringAttr>(index, attribute);
    };
    if (auto name = getName(kSavedAttr)) {
      tensors.push_back({TensorKind::Saved, 0, name.str(), tensorType});
    } else if (auto name = getName(kStatisticAttr)) {
      tensors.push_back({TensorKind::Statistic, 0, name.str(), tensorType});
    } else {
      unsigned number = numbers[index];
      tensors.push_back({TensorKind::Result, number,
                         number < model.resultNames.size()
                             ? model.resultNames[number]
                             : "result" + std::to_string(number),
                         tensorType});
    }
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// The numbers below `count` that are not in `without`.
static SmallVector<unsigned> getOthers(unsigned count,
                                       ArrayRef<unsigned> without) {
  SmallVector<unsigned> numbers;
  for (unsigned number = 0; number < count; ++number)
    if (!llvm::is_contained(without, number))
      numbers.push_back(number);
  return numbers;
}

/// A function whose arguments and results are those of the step in order, as
/// far as `arguments` and `results` tell.
static FunctionInfo getPlain(const Model &model, func::FuncOp function,
                             ArrayRef<unsigned> arguments,
                             ArrayRef<unsigned> results) {
  FunctionInfo plain{function.getName().str(), {}, {}};
  for (auto [index, number] : llvm::enumerate(arguments))
    plain.arguments.push_back(getArgument(model, function, index, number));
  plain.results = getResults(model, function, results);
  return plain;
}

/// The backward function: residuals and arguments of the model, which have
/// marks, then the tangents.
static FunctionInfo getBackward(const Model &model, func::FuncOp function,
                                const FunctionInfo &forward,
                                const JointSignature &signature) {
  FunctionInfo backward{function.getName().str(), {}, {}};
  ArrayRef<unsigned> tangents = signature.tangents;
  for (unsigned index = 0; index < function.getNumArguments(); ++index) {
    auto type = cast<RankedTensorType>(function.getArgument(index).getType());
    if (auto number = getNumber(function, index, kResidualAttr)) {
      backward.arguments.push_back(
          {TensorKind::Residual, *number, forward.results[*number].name, type});
    } else if (auto number = getNumber(function, index, kArgumentAttr)) {
      backward.arguments.push_back(forward.arguments[*number]);
    } else {
      backward.arguments.push_back(
          getArgument(model, function, index, tangents.front()));
      tangents = tangents.drop_front();
    }
  }
  unsigned numGradients =
      llvm::count_if(llvm::seq(function.getNumResults()), [&](unsigned index) {
        return !function.getResultAttr(index, kStatisticAttr);
      });
  backward.results = getResults(
      model, function,
      getOthers(signature.results.size() + numGradients, signature.results));
  return backward;
}

SmallVector<FunctionInfo>
fp8::getFunctions(const Model &model, ModuleOp module,
                  const std::optional<JointSignature> &signature) {
  SmallVector<FunctionInfo> functions;
  auto lookup = [&](const Twine &name) {
    return module.lookupSymbol<func::FuncOp>(name.str());
  };
  if (signature) {
    func::FuncOp forward = lookup(model.function + "_forward");
    unsigned numArguments =
        forward.getNumArguments() + signature->tangents.size();
    functions.push_back(getPlain(model, forward,
                                 getOthers(numArguments, signature->tangents),
                                 signature->results));
    functions.push_back(getBackward(model, lookup(model.function + "_backward"),
                                    functions.front(), *signature));
  } else {
    func::FuncOp joint = lookup(model.function);
    functions.push_back(getPlain(model, joint,
                                 getOthers(joint.getNumArguments(), {}),
                                 getOthers(joint.getNumResults(), {})));
  }
  for (FunctionInfo &function : functions)
    for (auto [index, tensor] : llvm::enumerate(function.arguments))
      lookup(function.name)
          .setArgAttr(index, kNameAttr,
                      StringAttr::get(module.getContext(), tensor.name));
  return functions;
}

int64_t fp8::getOrigin(const FunctionInfo &before, const TensorInfo &tensor) {
  if (tensor.kind == TensorKind::Residual)
    return before.arguments.size() + tensor.number;
  const TensorInfo *argument =
      llvm::find_if(before.arguments, [&](const TensorInfo &argument) {
        return argument.number == tensor.number;
      });
  return argument == before.arguments.end()
             ? -1
             : argument - before.arguments.begin();
}
