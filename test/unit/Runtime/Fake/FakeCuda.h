//===- FakeCuda.h - A stand-in for a CUDA device ----------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libcuda and libcublasLt in one library that runs everything on the CPU, so
// that most of the tests of the cuda backend run where there is no device. It
// is stricter than the real ones: a call without the right current context
// fails, and so does what may not happen while a stream is captured.
//
// The environment says what it is to pretend, when the call is made:
// FP8FAKE_ARCH (90), FP8FAKE_DEVICES (1), FP8FAKE_VERSION (130100),
// FP8FAKE_ALGORITHMS (4; results of the heuristic), FP8FAKE_BAD (1 makes the
// algorithms after the first each wrong in another way), FP8FAKE_REFUSE (1 lets
// no algorithm pass its check), FP8FAKE_MEMORY (bytes that one allocation may
// have).
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TEST_UNIT_RUNTIME_FAKE_FAKECUDA_H
#define FP8_TEST_UNIT_RUNTIME_FAKE_FAKECUDA_H

#include <functional>
#include <string>
#include <vector>

/// A stream: work runs at once, or is kept while it is captured.
struct FakeStream {
  bool capturing = false;
  std::vector<std::function<void()>> captured;
};

namespace fp8fake {

/// A number of the environment.
long setting(const char *name, long otherwise);

/// Runs `work`, or keeps it for the graph that `stream` is captured into. It
/// takes `microseconds` of the device's time.
void enqueue(void *stream, double microseconds, std::function<void()> work);

/// Whether the calling thread has the context of a device.
bool hasContext();

/// Calls of the function since the library was loaded.
void count(const char *function);

} // namespace fp8fake

extern "C" {
/// For tests, through dlsym: how often a function was called.
long fp8fake_calls(const char *function);
/// Allocations that were not freed.
long fp8fake_allocations(void);
}

#endif // FP8_TEST_UNIT_RUNTIME_FAKE_FAKECUDA_H
