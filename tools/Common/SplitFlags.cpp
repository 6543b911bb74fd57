//===- SplitFlags.cpp -------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The flags of a step in two functions.
//
//===----------------------------------------------------------------------===//

#include "SplitFlags.h"
#include "Tool.h"

using namespace mlir;
using namespace fp8tools;
namespace cl = llvm::cl;

SplitFlags::SplitFlags(cl::OptionCategory &category)
    : split("split", cl::cat(category),
            cl::desc("Make two functions, NAME_forward and NAME_backward, with "
                     "residuals between them")),
      maxBytes("max-bytes", cl::init(-1), cl::cat(category),
               cl::desc("With --split, the most bytes to keep for the backward "
                        "pass, arguments aside (default: no limit)")),
      recomputeArguments(
          "recompute-arguments", cl::cat(category),
          cl::desc("With --split, cast arguments again in the backward pass "
                   "rather than keeping their fp8 bytes")),
      tangents("tangents", cl::CommaSeparated, cl::cat(category),
               cl::value_desc("numbers"),
               cl::desc("Arguments that are gradients of results, in a step "
                        "that is differentiated already")),
      results("results", cl::CommaSeparated, cl::cat(category),
              cl::value_desc("numbers"),
              cl::desc("Results of the forward pass of such a step, with "
                       "--split (default: 0)")) {}

LogicalResult SplitFlags::check(bool backward) const {
  if (split && !backward && tangents.empty())
    return report("expects --backward with --split, or --tangents of a step "
                  "that is differentiated already");
  if (!split && (maxBytes >= 0 || recomputeArguments))
    return report("expects --split with --max-bytes and --recompute-arguments");
  return success();
}

void SplitFlags::apply(fp8::TrainOptions &options) const {
  options.partition = split.getValue();
  options.maxBytes = maxBytes.getValue();
  options.recomputeArguments = recomputeArguments.getValue();
  for (unsigned number : tangents)
    options.tangents.push_back(number);
  for (unsigned number : results)
    options.results.push_back(number);
}
