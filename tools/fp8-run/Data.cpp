//===- Data.cpp -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a step reads and writes.
//
//===----------------------------------------------------------------------===//

#include "Data.h"
#include "Fp8/Transforms/ByteSize.h"
#include "Tool.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include <unistd.h>

using namespace mlir;
using namespace fp8run;
using fp8tools::report;

static std::string getInputPath(const Source &source, size_t index) {
  SmallString<128> path(source.directory);
  llvm::sys::path::append(path, "arg" + std::to_string(index) + ".npy");
  return path.str().str();
}

/// `type` with the sizes of a random array.
static RankedTensorType getRandomType(const Source &source,
                                      RankedTensorType type) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = source.dynamicSize;
  return type.clone(shape);
}

/// Appends a random array of `type`, which has to fit in memory.
static LogicalResult addRandom(const Source &source, RankedTensorType type,
                               SmallVectorImpl<Array> &inputs) {
  type = getRandomType(source, type);
  uint64_t memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                    static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  // Arrays hold numbers of 64 bits.
  if (fp8::getByteSize(type.getShape(), sizeof(double)) > memory)
    return report(
        "expects random arrays that fit in the " + Twine(memory >> 30) +
        " GiB of this machine with 8 bytes an element, but argument " +
        Twine(inputs.size()) + " is " + llvm::formatv("{0}", type).str());
  inputs.push_back(makeRandom(type, source.seed, inputs.size()));
  return success();
}

/// Appends the array in the file `path`, which has to be one of `type`.
static LogicalResult addFile(StringRef path, RankedTensorType type,
                             SmallVectorImpl<Array> &inputs) {
  llvm::Expected<Array> array = readNpy(path);
  if (!array)
    return report(array.takeError());
  // Only to check shape and values, which the wide program would take.
  auto bytes = encode(*array, type, path);
  if (!bytes)
    return report(bytes.takeError());
  inputs.push_back(std::move(*array));
  return success();
}

FailureOr<SmallVector<Array>>
fp8run::getInputs(const Source &source, ArrayRef<RankedTensorType> types) {
  SmallVector<Array> inputs;
  for (auto [index, type] : llvm::enumerate(types))
    if (failed(source.directory.empty()
                   ? addRandom(source, type, inputs)
                   : addFile(getInputPath(source, index), type, inputs)))
      return failure();
  return inputs;
}

LogicalResult fp8run::addTangents(const Source &source,
                                  ArrayRef<RankedTensorType> types,
                                  SmallVectorImpl<Array> &inputs) {
  for (RankedTensorType type : types) {
    std::string path = getInputPath(source, inputs.size());
    bool isRandom = source.directory.empty() || !llvm::sys::fs::exists(path);
    if (failed(isRandom ? addRandom(source, type, inputs)
                        : addFile(path, type, inputs)))
      return failure();
  }
  return success();
}

FailureOr<std::vector<Buffer>>
fp8run::makeBuffers(StringRef what, ArrayRef<RankedTensorType> types,
                    ArrayRef<Array> inputs) {
  std::vector<Buffer> buffers;
  for (auto [array, type] : llvm::zip_equal(inputs, types)) {
    auto bytes = encode(array, type, what);
    if (!bytes)
      return report(bytes.takeError());
    buffers.push_back({type.clone(array.shape), std::move(*bytes)});
  }
  return buffers;
}

LogicalResult fp8run::writeArrays(StringRef directory, StringRef kind,
                                  ArrayRef<Array> arrays) {
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return report("cannot make the directory '" + directory +
                  "': " + error.message());
  std::vector<std::unique_ptr<llvm::ToolOutputFile>> files;
  for (auto [index, array] : llvm::enumerate(arrays)) {
    SmallString<128> path(directory);
    llvm::sys::path::append(path, kind + std::to_string(index) + ".npy");
    std::error_code error;
    files.push_back(std::make_unique<llvm::ToolOutputFile>(
        path, error, llvm::sys::fs::OF_None));
    if (error)
      return report("cannot write '" + path + "': " + error.message());
    files.back()->os() << encodeNpy(array);
    files.back()->os().flush();
    if (files.back()->os().has_error()) {
      (void)report("cannot write '" + path +
                   "': " + files.back()->os().error().message());
      files.back()->os().clear_error();
      return failure();
    }
  }
  for (auto &file : files)
    file->keep();
  return success();
}
