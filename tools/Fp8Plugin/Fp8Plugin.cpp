//===- Fp8Plugin.cpp --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Our dialects and passes for a driver that knows nothing of them, such as
// mlir-opt: the two entry points that --load-dialect-plugin and
// --load-pass-plugin look for. Everything else is in libFp8, which a process
// has once, whether it links it, loads the plugin, or both.
//
//===----------------------------------------------------------------------===//

#include "Fp8/InitAll.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

static constexpr const char *kName = "Fp8";

extern "C" DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {
      MLIR_PLUGIN_API_VERSION, kName, FP8_VERSION,
      [](DialectRegistry *registry) { fp8::registerAllDialects(*registry); }};
}

extern "C" PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, FP8_VERSION,
          [] { fp8::registerAllPasses(); }};
}
