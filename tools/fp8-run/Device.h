//===- Device.h -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device that a step runs on, and its memory, through fp8rt.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TOOLS_FP8RUN_DEVICE_H
#define FP8_TOOLS_FP8RUN_DEVICE_H

#include "fp8rt/fp8rt.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace fp8run {

/// A failing status of `what` as an error, with what the runtime said.
llvm::Error check(int32_t status, llvm::StringRef what);

/// The CPU, or a GPU with a stream.
class Device {
public:
  /// The device that code for `target` runs on: the CPU, or the first GPU of
  /// CUDA. The error says what was found in its place.
  static llvm::Expected<std::unique_ptr<Device>> open(llvm::StringRef target);
  ~Device();

  /// Null for the CPU, which fp8rt takes for it.
  fp8rt_context *getContext() const { return context; }
  fp8rt_stream *getStream() const { return stream; }
  /// Waits for what was enqueued.
  llvm::Error synchronize() const;

private:
  Device() = default;
  llvm::Error checkArch(llvm::StringRef target) const;

  fp8rt_context *context = nullptr;
  fp8rt_stream *stream = nullptr;
};

/// Memory of a device.
class Memory {
public:
  /// `bytes` bytes of 0xff, which is NaN in every float type: what a step reads
  /// without having written it, or does not write, shows.
  static llvm::Expected<Memory> allocate(const Device &device, uint64_t bytes);
  /// A copy of `bytes`.
  static llvm::Expected<Memory> copy(const Device &device,
                                     llvm::ArrayRef<char> bytes);
  Memory(Memory &&other) noexcept;
  Memory &operator=(Memory &&) = delete;
  ~Memory();

  void *get() const { return pointer; }
  /// Copies the first bytes of it to `bytes`, once the device is there.
  llvm::Error read(llvm::MutableArrayRef<char> bytes) const;

private:
  explicit Memory(const Device &device) : device(&device) {}

  const Device *device;
  void *pointer = nullptr;
};

} // namespace fp8run

#endif // FP8_TOOLS_FP8RUN_DEVICE_H
