//===- Device.cpp -----------------------------------------------*- C++ -*-===//
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

#include "Device.h"
#include "fp8rt/tools.h"
#include <utility>

using namespace fp8run;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

Error fp8run::check(int32_t status, StringRef what) {
  if (status == FP8RT_OK)
    return Error::success();
  return llvm::createStringError("%s: %s: %s", what.str().c_str(),
                                 fp8rt_status_name(status), fp8rt_last_error());
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Device>> Device::open(StringRef target) {
  std::unique_ptr<Device> device(new Device());
  if (target == "cpu")
    return device;
  fp8rt_context_options options = {};
  options.struct_size = sizeof(options);
  options.backend = "cuda";
  if (fp8rt_context_create(&options, &device->context))
    return llvm::createStringError("expects a GPU, with cuBLASLt, to run a "
                                   "step for %s, but opening it failed: %s",
                                   target.str().c_str(), fp8rt_last_error());
  if (Error error = device->checkArch(target))
    return error;
  if (Error error = check(fp8rt_stream_create(device->context, &device->stream),
                          "a stream"))
    return error;
  return device;
}

/// Machine code runs within its generation, on what is as new or newer.
Error Device::checkArch(StringRef target) const {
  fp8rt_device_info info = {};
  info.struct_size = sizeof(info);
  if (Error error = check(fp8rt_get_device_info(context, &info), "the device"))
    return error;
  int arch = 0;
  target.drop_front(StringRef("sm_").size()).getAsInteger(10, arch);
  if (info.arch / 10 == arch / 10 && info.arch >= arch)
    return Error::success();
  return llvm::createStringError(
      "expects a GPU that runs code for %s, but found sm_%d (%s)",
      target.str().c_str(), info.arch, info.name);
}

Device::~Device() {
  if (stream)
    fp8rt_stream_destroy(context, stream);
  fp8rt_context_destroy(context);
}

Error Device::synchronize() const {
  return check(fp8rt_stream_synchronize(context, stream), "the device");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<Memory> Memory::allocate(const Device &device, uint64_t bytes) {
  Memory memory(device);
  if (Error error = check(
          fp8rt_malloc(device.getContext(), bytes, &memory.pointer), "memory"))
    return error;
  if (Error error =
          check(fp8rt_memset(device.getContext(), memory.pointer,
                             /*value=*/0xff, bytes, device.getStream()),
                "memory"))
    return error;
  return memory;
}

Expected<Memory> Memory::copy(const Device &device,
                              llvm::ArrayRef<char> bytes) {
  Expected<Memory> memory = allocate(device, bytes.size());
  if (!memory)
    return memory;
  if (Error error =
          check(fp8rt_memcpy(device.getContext(), memory->pointer, bytes.data(),
                             bytes.size(), device.getStream()),
                "a copy to the device"))
    return error;
  return memory;
}

Memory::Memory(Memory &&other) noexcept
    : device(other.device), pointer(std::exchange(other.pointer, nullptr)) {}

Memory::~Memory() { fp8rt_free(device->getContext(), pointer); }

Error Memory::read(llvm::MutableArrayRef<char> bytes) const {
  if (Error error =
          check(fp8rt_memcpy(device->getContext(), bytes.data(), pointer,
                             bytes.size(), device->getStream()),
                "a copy from the device"))
    return error;
  return device->synchronize();
}
