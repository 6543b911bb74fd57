//===- Recipe.h -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recipes: how the scales of a quantized matmul are chosen.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_RECIPE_H
#define FP8_TRANSFORMS_RECIPE_H

#include "Fp8/IR/Fp8Ops.h"

namespace mlir::fp8 {

/// What a recipe's name stands for. Every operand has one scale, from its own
/// amax.
struct Recipe {
  StringRef name;
  /// What becomes of the quotient of the type's maximum and the amax.
  Pow2 pow2;
};

/// The recipe of that name, or null.
const Recipe *lookupRecipe(StringRef name);

/// All names, separated by commas.
std::string getRecipeNames();

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_RECIPE_H
