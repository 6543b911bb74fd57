//===- MinCut.h -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A minimal cut of a directed graph, by Dinic's algorithm: augment along
// shortest paths, all of one length at a time.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_MINCUT_H
#define FP8_TRANSFORMS_MINCUT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/BitVector.h"

namespace mlir::fp8 {

class MinCut {
public:
  /// The capacity of an edge that is never cut. A flow of this much means that
  /// there is no cut.
  static constexpr int64_t kInfinite = int64_t(1) << 60;

  /// Adds `count` nodes and returns the number of the first.
  unsigned addNodes(unsigned count) {
    unsigned first = firstEdge.size();
    firstEdge.resize(first + count, kNone);
    return first;
  }
  void addEdge(unsigned from, unsigned to, int64_t capacity);

  /// The capacity of a minimal cut between `source` and `sink`; at most
  /// `kInfinite`.
  int64_t solve(unsigned source, unsigned sink);

  /// After `solve`: the nodes behind the cut, of all minimal cuts the one that
  /// is nearest to `sink`.
  llvm::BitVector getSinkSide(unsigned sink) const;

private:
  static constexpr unsigned kNone = ~0u;
  /// An edge and, with the number that differs in the last bit, its reverse.
  struct Edge {
    unsigned to, next;
    int64_t capacity;
  };

  /// Numbers the nodes by their distance from `source`. False if `sink` is out
  /// of reach.
  bool findLevels(unsigned source, unsigned sink);
  /// Sends flow along one shortest path; 0 if there is none.
  int64_t augment(unsigned source, unsigned sink);

  SmallVector<unsigned> firstEdge;
  SmallVector<Edge> edges;
  /// The next edge to try of each node, and each node's distance.
  SmallVector<unsigned> current, level;
};

} // namespace mlir::fp8

#endif // FP8_TRANSFORMS_MINCUT_H
