//===- CostModel.cpp --------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of fp8-select-matmuls.
//
//===----------------------------------------------------------------------===//

#include "Fp8/Transforms/CostModel.h"

using namespace mlir;
using namespace mlir::fp8;

double fp8::predictGain(const LinearCost &cost, const TargetRates &rates) {
  const MatmulSizes &sizes = cost.sizes;
  double operations =
      2.0 * cost.matmuls * sizes.batch * sizes.m * sizes.n * sizes.k;
  // One amax reads, one cast reads and writes.
  double bytes = 0, launches = 0;
  for (const QuantizedOperand &operand : cost.operands) {
    double each = 2.0 * operand.wideBytes + 1 + operand.transposedCopy;
    bytes += each * operand.elements / operand.sharing;
    launches += 2.0 / operand.sharing;
  }
  double launch = rates.launchMicroseconds * 1e-6;
  double wide = operations / (rates.wideTflops * 1e12) + cost.matmuls * launch;
  double fp8 = operations / (rates.fp8Tflops * 1e12) +
               bytes / (rates.terabytesPerSecond * 1e12) +
               (cost.matmuls + launches) * launch;
  return wide / fp8;
}
