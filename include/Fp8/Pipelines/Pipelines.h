//===- Pipelines.h ----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes strung together: from a model to a training step on tensors, and
// from there to a target's code. A pipeline is a list of stages, each of which
// a tool can stop after.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_PIPELINES_PIPELINES_H
#define FP8_PIPELINES_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir::fp8 {

/// Options of `fp8-train` and `fp8-quantize`.
struct TrainOptions : PassPipelineOptions<TrainOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The device, a row of the target table: cpu, sm_90, "
                     "gfx942, ..."),
      llvm::cl::init("cpu")};
  Option<std::string> recipe{
      *this, "recipe",
      llvm::cl::desc("How scales are chosen: tensorwise, tensorwise_pow2; or "
                     "none, which keeps every matmul wide"),
      llvm::cl::init("tensorwise")};
  Option<bool> evaluation{
      *this, "evaluation",
      llvm::cl::desc("Only the forward pass: nothing is derived, and a joint "
                     "function loses its tangents and gradients"),
      llvm::cl::init(false)};
  Option<bool> partition{
      *this, "partition",
      llvm::cl::desc(
          "Make NAME_forward and NAME_backward of the joint function "
          "(fp8-partition)"),
      llvm::cl::init(false)};
  ListOption<unsigned> tangents{
      *this, "tangents",
      llvm::cl::desc("Of a joint function that an exporter made: the arguments "
                     "that are gradients of results")};
  ListOption<unsigned> results{
      *this, "results",
      llvm::cl::desc("For evaluation and partition of one: the results of the "
                     "forward pass")};
  Option<int64_t> maxBytes{
      *this, "max-bytes",
      llvm::cl::desc("For partition: the most bytes to keep for the backward "
                     "pass, arguments aside (-1: no limit)"),
      llvm::cl::init(-1)};
  Option<bool> recomputeArguments{
      *this, "recompute-arguments",
      llvm::cl::desc("For partition: cast arguments again in the backward pass "
                     "rather than saving their fp8 bytes"),
      llvm::cl::init(false)};
  Option<int64_t> dynamicSize{
      *this, "dynamic-size",
      llvm::cl::desc(
          "For partition: what a dynamic size is taken for in bytes"),
      llvm::cl::init(1024)};
  Option<std::string> include{
      *this, "include",
      llvm::cl::desc("Convert only matmuls whose name has a match of this "
                     "regular expression")};
  Option<std::string> exclude{
      *this, "exclude",
      llvm::cl::desc("Keep matmuls wide whose name has a match of this regular "
                     "expression")};
  Option<int64_t> minM{*this, "min-m",
                       llvm::cl::desc("Keep matmuls with fewer rows wide"),
                       llvm::cl::init(0)};
  Option<int64_t> minN{*this, "min-n",
                       llvm::cl::desc("Keep matmuls with fewer columns wide"),
                       llvm::cl::init(0)};
  Option<int64_t> minK{*this, "min-k",
                       llvm::cl::desc("Keep matmuls with shorter sums wide"),
                       llvm::cl::init(0)};
  Option<bool> computed{
      *this, "computed",
      llvm::cl::desc("Convert products of two computed tensors too, as in "
                     "attention"),
      llvm::cl::init(false)};
  Option<bool> pad{*this, "pad",
                   llvm::cl::desc("Convert sizes that need padding"),
                   llvm::cl::init(true)};
  Option<int64_t> alignment{
      *this, "alignment",
      llvm::cl::desc(
          "What sizes must be multiples of, in place of the target's"),
      llvm::cl::init(0)};
  Option<bool> cost{
      *this, "cost",
      llvm::cl::desc(
          "Keep matmuls wide that are predicted to be slower in fp8"),
      llvm::cl::init(false)};
  Option<double> minGain{
      *this, "min-gain",
      llvm::cl::desc("The least predicted speed of fp8, relative to the wide "
                     "type"),
      llvm::cl::init(1.0)};
};

/// Options of `fp8-lower-to-nvidia`.
struct NvidiaOptions : PassPipelineOptions<NvidiaOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The device, a row of the target table: sm_90, ..."),
      llvm::cl::init("sm_90")};
  Option<unsigned> ptxVersion{
      *this, "ptx-version",
      llvm::cl::desc("PTX version times ten, 78 for 7.8; 0 is the least that "
                     "the kernels are at their best with"),
      llvm::cl::init(0)};
  Option<std::string> cudaPath{
      *this, "cuda-path",
      llvm::cl::desc("The folder of the CUDA toolkit, where bin/ptxas is; by "
                     "default that of CUDA_HOME, or of the ptxas in PATH. "
                     "Without one PTX is embedded"),
      llvm::cl::init("")};
};

/// A named part of a pipeline. Names are what `fp8-run --emit` takes.
struct Stage {
  StringLiteral name;
  std::function<void(OpPassManager &)> build;
};

/// raise, derive (with `backward`), or evaluation if asked for, quantize,
/// pad, layout, and partition if asked for: from a wide model to the step on
/// tensors. The recipe `none` ends before quantize.
SmallVector<Stage> getTrainStages(const TrainOptions &options, bool backward);

/// linalg, blaslt, bufferize, runtime, llvm: from tensors to the LLVM dialect
/// for a CPU.
SmallVector<Stage> getLowerToCpuStages();

/// linalg, fuse, blaslt, bufferize, kernels, runtime, llvm: from tensors to the
/// LLVM dialect for the host of an NVIDIA device, with its machine code.
SmallVector<Stage> getLowerToNvidiaStages(const NvidiaOptions &options);

/// The stages from tensors to the LLVM dialect for `target`; none if it has no
/// lowering yet.
SmallVector<Stage> getLowerStages(StringRef target, StringRef cudaPath = "");

/// Appends all of `stages` to `pm`.
void buildStages(OpPassManager &pm, ArrayRef<Stage> stages);

/// Registers `fp8-train`, `fp8-quantize`, `fp8-lower-to-cpu` and
/// `fp8-lower-to-nvidia`.
void registerPipelines();

} // namespace mlir::fp8

#endif // FP8_PIPELINES_PIPELINES_H
