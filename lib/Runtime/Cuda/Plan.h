//===- Plan.h - The plan of a matmul ----------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is decided once for a desc: who does which part of the matmul, the
// descriptors of the library, its algorithm. The library thinks in columns:
// row-major D = op(A)·op(B) is, to it, D^T = op(B)^T·op(A)^T, so that its first
// operand is our B, and with it go the descale, the layout and the
// transposition.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CUDA_PLAN_H
#define FP8RT_CUDA_PLAN_H

#include "BlasLt.h"
#include "fp8rt/fp8rt.h"

#include <atomic>
#include <memory>
#include <vector>

namespace fp8rt::cuda {

/// An algorithm of the library and its workspace in bytes.
struct Algorithm {
  LtAlgo algo;
  uint64_t workspace = 0;
  bool present = false;
};

/// The algorithms of a plan. A tuned plan gets new ones; the old ones stay, as
/// a call may be using them.
struct Choice {
  /// For pointers aligned to 16 bytes, and for those aligned to their elements
  /// only, operands of FP8 excepted.
  Algorithm aligned;
  Algorithm unaligned;
};

struct Plan {
  /// Who does what. The library sums; what it does besides.
  bool usesLibrary = false;
  bool libraryDescales = false;
  bool libraryAcc = false;
  bool libraryBias = false;
  /// Whether it rounds to the type of the result.
  bool libraryRounds = false;
  /// The kernel after it does the rest.
  bool finishes = false;
  /// Whether the library's result is in the workspace, and its bytes there.
  bool sumsInWorkspace = false;
  uint64_t sumBytes = 0;

  /// What the library is told.
  LtCompute compute = kLtCompute32f;
  LtType scaleType = kLtF32;
  LtType sumType = kLtF32;
  bool transFirst = false;
  bool transSecond = false;
  bool fastAccum = false;
  bool outerScales = false;
  LtType biasType = kLtF32;
  int64_t biasStride = 0;
  LtLayout first, second, acc, sum;

  /// The desc, with leading dimensions that the library takes.
  fp8rt_matmul_desc desc = {};
  std::atomic<const Choice *> choice{nullptr};
  std::vector<std::unique_ptr<const Choice>> choices;

  /// Puts `next` in the place of the algorithms of the plan.
  void take(const Choice &next);
  /// Bytes of workspace of a call with `algorithm`.
  uint64_t workspaceOf(const Algorithm &algorithm) const;
  /// Of any call.
  uint64_t workspaceSize() const;
};

/// How well pointers are aligned, in bytes.
struct Alignment {
  uint32_t first, second, acc, sum, bias;
};

/// The alignment that a plan's aligned or unaligned algorithm is for.
Alignment alignmentOf(const Plan &plan, bool aligned);

/// Fills in the descriptor of the library for one call, in memory of the
/// caller. Pointers may be stand-ins where nothing is run.
LtStatus buildDesc(const BlasLt &lt, const Plan &plan, const void *descaleFirst,
                   const void *descaleSecond, const void *bias,
                   LtMatmulDesc *desc);

/// Decides for `desc`, which has been checked, who does what, as much as
/// possible in the library. A status; the reasons name `arch`.
int32_t planParts(const fp8rt_matmul_desc &desc, int32_t arch, Plan *plan);

/// Hands one more part from the library to the kernel. False when there is none
/// left.
bool handOver(Plan *plan);

/// Makes the layouts for the library.
LtStatus buildLayouts(const BlasLt &lt, Plan *plan);

/// Asks for up to `count` algorithms with at most `maxWorkspace` bytes. Only
/// those that sum in the type of the computation come back, in `results`.
LtStatus askAlgorithms(const BlasLt &lt, LtHandle handle, Plan &plan,
                       bool aligned, uint64_t maxWorkspace, int count,
                       std::vector<LtHeuristicResult> *results);

/// Bytes that plans let the library have for its workspace.
constexpr uint64_t kMaxWorkspace = 32 << 20;
/// Alignment of a workspace and of the parts of it.
constexpr uint64_t kWorkspaceAlignment = 256;

} // namespace fp8rt::cuda

#endif // FP8RT_CUDA_PLAN_H
