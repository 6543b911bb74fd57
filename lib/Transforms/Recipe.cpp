//===- Recipe.cpp -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/Recipe.h"

using namespace mlir;
using namespace mlir::fp8;

static constexpr Recipe kRecipes[] = {{"tensorwise", Pow2::Off},
                                      {"tensorwise_pow2", Pow2::Down}};

const Recipe *fp8::lookupRecipe(StringRef name) {
  const auto *recipe = llvm::find_if(
      kRecipes, [&](const Recipe &recipe) { return recipe.name == name; });
  return recipe == std::end(kRecipes) ? nullptr : recipe;
}

std::string fp8::getRecipeNames() {
  return llvm::join(
      llvm::map_range(kRecipes,
                      [](const Recipe &recipe) { return recipe.name; }),
      ", ");
}
