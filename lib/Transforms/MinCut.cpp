//===- MinCut.cpp -----------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dinic's algorithm, without recursion: paths are as long as a network is deep.
//
//===----------------------------------------------------------------------===//

#include "MinCut.h"

using namespace mlir;
using namespace mlir::fp8;

void MinCut::addEdge(unsigned from, unsigned to, int64_t capacity) {
  edges.push_back({to, firstEdge[from], capacity});
  firstEdge[from] = edges.size() - 1;
  edges.push_back({from, firstEdge[to], 0});
  firstEdge[to] = edges.size() - 1;
}

bool MinCut::findLevels(unsigned source, unsigned sink) {
  level.assign(firstEdge.size(), kNone);
  level[source] = 0;
  SmallVector<unsigned> queue = {source};
  for (size_t next = 0; next < queue.size(); ++next) {
    unsigned node = queue[next];
    for (unsigned e = firstEdge[node]; e != kNone; e = edges[e].next) {
      unsigned to = edges[e].to;
      if (edges[e].capacity == 0 || level[to] != kNone)
        continue;
      level[to] = level[node] + 1;
      queue.push_back(to);
    }
  }
  return level[sink] != kNone;
}

int64_t MinCut::augment(unsigned source, unsigned sink) {
  SmallVector<unsigned> path;
  unsigned node = source;
  while (node != sink) {
    unsigned &e = current[node];
    while (e != kNone &&
           (edges[e].capacity == 0 || level[edges[e].to] != level[node] + 1))
      e = edges[e].next;
    if (e != kNone) {
      path.push_back(e);
      node = edges[e].to;
      continue;
    }
    if (path.empty())
      return 0;
    // A dead end: back by one edge, which is not tried again.
    unsigned last = path.pop_back_val();
    node = edges[last ^ 1].to;
    current[node] = edges[last].next;
  }
  int64_t flow = kInfinite;
  for (unsigned e : path)
    flow = std::min(flow, edges[e].capacity);
  for (unsigned e : path) {
    edges[e].capacity -= flow;
    edges[e ^ 1].capacity += flow;
  }
  return flow;
}

int64_t MinCut::solve(unsigned source, unsigned sink) {
  int64_t total = 0;
  while (findLevels(source, sink)) {
    current = firstEdge;
    while (int64_t flow = augment(source, sink)) {
      total += flow;
      if (total >= kInfinite)
        return kInfinite;
    }
  }
  return total;
}

llvm::BitVector MinCut::getSinkSide(unsigned sink) const {
  llvm::BitVector side(firstEdge.size());
  side.set(sink);
  SmallVector<unsigned> queue = {sink};
  while (!queue.empty()) {
    unsigned node = queue.pop_back_val();
    for (unsigned e = firstEdge[node]; e != kNone; e = edges[e].next) {
      // The reverse of each edge that starts here is one that ends here.
      unsigned from = edges[e].to;
      if (edges[e ^ 1].capacity == 0 || side.test(from))
        continue;
      side.set(from);
      queue.push_back(from);
    }
  }
  return side;
}
