//===- CudaKernels.cpp - Kernels of the cuda backend ----------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads images and launches their kernels, those of compiled libraries and the
// runtime's own.
//
//===----------------------------------------------------------------------===//

#include "../Common/Error.h"
#include "CudaContext.h"

using namespace fp8rt;
using namespace fp8rt::cuda;

static const char kernelsPtx[] =
#include "Kernels.inc"
    ;

//===----------------------------------------------------------------------===//
// The runtime's own
//===----------------------------------------------------------------------===//

int32_t CudaContext::loadKernels() {
  const std::lock_guard<std::mutex> guard(moduleLock);
  if (kernels)
    return FP8RT_OK;
  CuModule module = nullptr;
  if (int32_t status = loadImage(
          {kernelsPtx, sizeof(kernelsPtx), FP8RT_IMAGE_PTX, 80, 0, 0}, &module))
    return status;
  const struct {
    const char *name;
    CuFunction *function;
  } functions[] = {{"fp8rt_finish_f32", &finish32},
                   {"fp8rt_finish_f64", &finish64},
                   {"fp8rt_fill", &fill},
                   {"fp8rt_compare", &compare},
                   {"fp8rt_check", &check}};
  for (const auto &each : functions)
    if (int32_t status =
            cu.check(cu.moduleGetFunction(each.function, module, each.name),
                     "cuModuleGetFunction")) {
      cu.moduleUnload(module);
      return status;
    }
  kernels = module;
  return FP8RT_OK;
}

int32_t CudaContext::launchFinish(const Plan &plan,
                                  const fp8rt_matmul_args &args,
                                  const void *sum, CuStream stream) {
  const fp8rt_matmul_desc &d = plan.desc;
  Finish f = {};
  f.sum = sum;
  f.acc = args.acc, f.bias = args.bias;
  f.descaleA = args.descale_a, f.descaleB = args.descale_b;
  f.d = args.d;
  f.m = d.m, f.n = d.n, f.batch = d.batch;
  f.ldSum = plan.sumsInWorkspace ? d.n : d.ld_d;
  f.strideSum = plan.sumsInWorkspace ? d.m * d.n : d.stride_d;
  f.ldAcc = d.ld_acc, f.strideAcc = d.stride_acc;
  f.ldD = d.ld_d, f.strideD = d.stride_d;
  f.strideBias = d.stride_bias;
  f.strideDescaleA = d.stride_descale_a;
  f.strideDescaleB = d.stride_descale_b;
  f.typeAcc = plan.libraryAcc ? 0 : d.type_acc;
  f.typeBias = plan.libraryBias ? 0 : d.type_bias;
  f.typeD = d.type_d;
  f.modeA = plan.libraryDescales ? 0 : d.scale_mode_a;
  f.modeB = plan.libraryDescales ? 0 : d.scale_mode_b;

  const unsigned threads = 256;
  const int64_t most = 65535;
  const int64_t across = (d.n + threads - 1) / threads;
  const int64_t rows = d.m * d.batch;
  void *params[] = {&f};
  return cu.check(
      cu.launchKernel(plan.scaleType == kLtF64 ? finish64 : finish32,
                      static_cast<unsigned>(across < most ? across : most),
                      static_cast<unsigned>(rows < most ? rows : most), 1,
                      threads, 1, 1, 0, stream, params, nullptr),
      "cuLaunchKernel of fp8rt_finish");
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

int32_t CudaContext::loadImage(const fp8rt_image &image, CuModule *module) {
  char log[320] = "";
  int options[] = {kCuJitErrorLogBuffer, kCuJitErrorLogBufferSize};
  void *values[] = {log, reinterpret_cast<void *>(sizeof(log) - 1)};
  const CuResult result =
      cu.moduleLoadDataEx(module, image.data, 2, options, values);
  if (result != kCuSuccess && log[0])
    return fail(FP8RT_FAILED, "CUDA driver: cuModuleLoadDataEx failed: %s",
                log);
  return cu.check(result, "cuModuleLoadDataEx");
}

/// Whether `image` runs on a device of `arch`.
static bool fits(const fp8rt_image &image, int32_t arch) {
  if (image.arch_exact)
    return image.arch == arch;
  if (image.kind == FP8RT_IMAGE_CUBIN)
    return image.arch / 10 == arch / 10 && image.arch <= arch;
  return image.kind == FP8RT_IMAGE_PTX && image.arch <= arch;
}

/// Whether `image` is to be preferred to `other`.
static bool isBetter(const fp8rt_image &image, const fp8rt_image &other) {
  if (image.kind != other.kind)
    return image.kind == FP8RT_IMAGE_CUBIN;
  if (image.arch != other.arch)
    return image.arch > other.arch;
  return image.arch_exact > other.arch_exact;
}

static const fp8rt_image *chooseImage(const fp8rt_binary &binary,
                                      int32_t arch) {
  const fp8rt_image *best = nullptr;
  for (uint32_t i = 0; i < binary.num_images; ++i) {
    const fp8rt_image &image = binary.images[i];
    if (fits(image, arch) && (!best || isBetter(image, *best)))
      best = &image;
  }
  return best;
}

static std::string describeImages(const fp8rt_binary &binary) {
  std::string text;
  for (uint32_t i = 0; i < binary.num_images; ++i) {
    const fp8rt_image &image = binary.images[i];
    text += i == 0 ? "" : ", ";
    if (image.kind != FP8RT_IMAGE_CUBIN && image.kind != FP8RT_IMAGE_PTX)
      text += "an image of another vendor";
    else
      text +=
          image.kind == FP8RT_IMAGE_CUBIN ? "a cubin for sm_" : "PTX for sm_";
    if (image.kind == FP8RT_IMAGE_CUBIN || image.kind == FP8RT_IMAGE_PTX)
      text += std::to_string(image.arch) + (image.arch_exact ? "a" : "");
  }
  return text;
}

static uint64_t hashContents(const fp8rt_binary &binary) {
  uint64_t hash = binary.num_images;
  for (uint32_t i = 0; i < binary.num_images; ++i) {
    const fp8rt_image &image = binary.images[i];
    const char *at = static_cast<const char *>(image.data);
    uint64_t words[4] = {hash, image.size, static_cast<uint64_t>(image.kind),
                         static_cast<uint64_t>(image.arch)};
    hash = hashWords(words, 4);
    for (uint64_t done = 0; done < image.size; done += sizeof(words)) {
      const uint64_t left = image.size - done;
      memset(words, 0, sizeof(words));
      memcpy(words, at + done, left < sizeof(words) ? left : sizeof(words));
      hash = hash * 31 + hashWords(words, 4);
    }
  }
  for (uint32_t i = 0; i < binary.num_kernels; ++i)
    for (const char *c = binary.kernel_names[i]; *c; ++c)
      hash = hash * 31 + static_cast<unsigned char>(*c);
  return hash;
}

//===----------------------------------------------------------------------===//
// Binaries
//===----------------------------------------------------------------------===//

/// What the driver says of a kernel; gives it all the shared memory there is.
static LoadedBinary::Kernel inspectKernel(const Driver &cu, CuFunction function,
                                          int32_t maxShared) {
  int fixed = 0;
  LoadedBinary::Kernel kernel = {function, -1, 48 << 10};
  if (cu.funcGetAttribute(&fixed, kCuFuncSharedBytes, function) == kCuSuccess &&
      cu.funcSetAttribute(function, kCuFuncMaxDynamicShared,
                          maxShared - fixed) == kCuSuccess)
    kernel.maxShared = static_cast<uint32_t>(maxShared - fixed);
  if (!cu.funcGetParamInfo)
    return kernel;
  size_t offset = 0, size = 0;
  int32_t count = 0;
  while (cu.funcGetParamInfo(function, static_cast<size_t>(count), &offset,
                             &size) == kCuSuccess)
    ++count;
  kernel.params = count;
  return kernel;
}

int32_t CudaContext::loadBinary(const fp8rt_binary &binary,
                                LoadedBinary *loaded) {
  const fp8rt_image *image = chooseImage(binary, arch);
  if (!image)
    return fail(FP8RT_UNSUPPORTED,
                "binary: expects an image for sm_%d, the device, but has %s",
                arch, describeImages(binary).c_str());
  if (int32_t status = loadImage(*image, &loaded->module))
    return status;
  for (uint32_t i = 0; i < binary.num_kernels; ++i) {
    CuFunction function = nullptr;
    const char *name = binary.kernel_names[i];
    if (cu.moduleGetFunction(&function, loaded->module, name) != kCuSuccess) {
      cu.moduleUnload(loaded->module);
      return fail(FP8RT_FAILED, "binary: has no kernel '%.80s' in its image",
                  name);
    }
    loaded->kernels.push_back(inspectKernel(cu, function, maxShared));
  }
  return FP8RT_OK;
}

int32_t CudaContext::prepare(const fp8rt_binary &binary) {
  Current current(*this);
  if (current.status)
    return current.status;
  const uint64_t hash = hashContents(binary);
  const std::lock_guard<std::mutex> guard(moduleLock);
  std::atomic<const LoadedBinary *> *known = binaries.find({&binary});
  if (known && known->load()->contentHash == hash)
    return FP8RT_OK;
  auto loaded = std::make_unique<LoadedBinary>();
  loaded->contentHash = hash;
  if (int32_t status = loadBinary(binary, loaded.get()))
    return status;
  const LoadedBinary *made = loaded.get();
  loadedBinaries.push_back(std::move(loaded));
  if (known)
    known->store(made, std::memory_order_release);
  else
    binaries.add({&binary}, [&](auto &value) { value = made; });
  return FP8RT_OK;
}

static int32_t checkLaunch(const fp8rt_binary &binary, uint32_t index,
                           const LoadedBinary &loaded,
                           const fp8rt_launch_dims &dims) {
  if (index >= loaded.kernels.size())
    return fail(FP8RT_INVALID_ARGUMENT,
                "kernel: expects less than %zu, but got %u",
                loaded.kernels.size(), index);
  const LoadedBinary::Kernel &kernel = loaded.kernels[index];
  const char *name = binary.kernel_names[index];
  if (kernel.params >= 0 &&
      dims.num_args != static_cast<uint32_t>(kernel.params))
    return fail(FP8RT_INVALID_ARGUMENT,
                "dims.num_args: expects %d for kernel '%.80s', but got %u",
                kernel.params, name, dims.num_args);
  if (dims.shared_bytes > kernel.maxShared)
    return fail(FP8RT_INVALID_ARGUMENT,
                "dims.shared_bytes: expects at most %u for kernel '%.80s', but "
                "got %u",
                kernel.maxShared, name, dims.shared_bytes);
  return FP8RT_OK;
}

int32_t CudaContext::launch(const fp8rt_binary &binary, uint32_t kernel,
                            const fp8rt_launch_dims &dims, void *const *args,
                            fp8rt_stream *stream) {
  const std::atomic<const LoadedBinary *> *known = binaries.find({&binary});
  if (!known)
    return fail(FP8RT_NOT_PREPARED, "binary: was not prepared");
  const LoadedBinary &loaded = *known->load(std::memory_order_acquire);
  if (int32_t status = checkLaunch(binary, kernel, loaded, dims))
    return status;
  const uint32_t *grid = dims.grid, *block = dims.block;
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    return FP8RT_OK;
  Current current(*this);
  if (current.status)
    return current.status;
  const CuResult result = cu.launchKernel(
      loaded.kernels[kernel].function, grid[0], grid[1], grid[2], block[0],
      block[1], block[2], dims.shared_bytes, reinterpret_cast<CuStream>(stream),
      const_cast<void **>(args), nullptr);
  if (result == kCuSuccess)
    return FP8RT_OK;
  return cu.check(result, binary.kernel_names[kernel]);
}
