//===- InitAll.cpp -------------------------------------------------*- C++
//-*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of everything, for tools and for other compilers.
//
//===----------------------------------------------------------------------===//

#include "Fp8/InitAll.h"
#include "Fp8/BlasLt/BlasLt.h"
#include "Fp8/Conversion/Passes.h"
#include "Fp8/IR/Fp8Dialect.h"
#include "Fp8/Pipelines/Pipelines.h"
#include "Fp8/Transforms/Passes.h"
#include "Fp8/Transforms/Vjp.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"

using namespace mlir;

void fp8::registerAllDialects(DialectRegistry &registry) {
  registry.insert<Fp8Dialect, blaslt::BlasLtDialect>();
  blaslt::registerBufferizableOpInterfaceExternalModels(registry);
  registerVjpExternalModels(registry);
  // fp8-derive-backward inlines calls.
  func::registerInlinerExtension(registry);
}

void fp8::registerAllPasses() {
  registerFp8TransformsPasses();
  registerFp8ConversionPasses();
  registerPipelines();
}
