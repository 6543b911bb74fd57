//===- Array.cpp ------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays of numbers on the host.
//
//===----------------------------------------------------------------------===//

#include "Array.h"
#include "Fp8/Transforms/ByteSize.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include <cmath>

using namespace mlir;
using namespace fp8run;
using llvm::APFloat;
using llvm::createStringError;
using llvm::Expected;

std::string fp8run::describeShape(ArrayRef<int64_t> shape, StringRef type) {
  std::string text;
  for (int64_t size : shape)
    text += (ShapedType::isDynamic(size) ? "?" : std::to_string(size)) + "x";
  return text + type.str();
}

//===----------------------------------------------------------------------===//
// .npy
//===----------------------------------------------------------------------===//

namespace {
/// What the header of an `.npy` file says.
struct NpyHeader {
  std::string type;
  SmallVector<int64_t> shape;
  size_t dataOffset;
};
} // namespace

/// Reads the header; the error is a sentence without the file's name.
static Expected<NpyHeader> parseNpyHeader(StringRef bytes) {
  if (!bytes.starts_with("\x93NUMPY") || bytes.size() < 12)
    return createStringError("expects an .npy file, but it does not start with "
                             "the .npy signature");
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    return createStringError("expects .npy version 1 to 3, but got %u",
                             version);
  size_t start = version == 1 ? 10 : 12;
  size_t length = version == 1
                      ? llvm::support::endian::read16le(bytes.data() + 8)
                      : llvm::support::endian::read32le(bytes.data() + 8);
  if (start + length > bytes.size())
    return createStringError("expects a header of %zu bytes, but the file ends "
                             "after %zu",
                             length, bytes.size() - start);
  StringRef header = bytes.substr(start, length);
  SmallVector<StringRef> descr, order, shape;
  if (!llvm::Regex("'descr': *'([^']*)'").match(header, &descr) ||
      !llvm::Regex("'fortran_order': *(True|False)").match(header, &order) ||
      !llvm::Regex("'shape': *\\(([0-9, ]*)\\)").match(header, &shape))
    return createStringError("expects 'descr', 'fortran_order' and 'shape' in "
                             "the header, but got '%s'",
                             header.trim().str().c_str());
  if (order[1] == "True")
    return createStringError("expects C order, but got Fortran order");
  NpyHeader result{descr[1].str(), {}, start + length};
  SmallVector<StringRef> sizes;
  shape[1].split(sizes, ',', -1, /*KeepEmpty=*/false);
  for (StringRef text : sizes) {
    int64_t size;
    if (text.trim().empty())
      continue;
    if (text.trim().getAsInteger(10, size))
      return createStringError("expects sizes below 2^63, but got %s",
                               text.trim().str().c_str());
    result.shape.push_back(size);
  }
  return result;
}

/// One element of the .npy type `type`.
static double readElement(const char *data, StringRef type) {
  using namespace llvm::support::endian;
  if (type == "<f4")
    return llvm::bit_cast<float>(read32le(data));
  if (type == "<f8")
    return llvm::bit_cast<double>(read64le(data));
  if (type == "<f2")
    return APFloat(APFloat::IEEEhalf(), llvm::APInt(16, read16le(data)))
        .convertToDouble();
  if (type == "<i4")
    return static_cast<int32_t>(read32le(data));
  if (type == "<i8")
    return static_cast<double>(static_cast<int64_t>(read64le(data)));
  return *data != 0;
}

Expected<Array> fp8run::parseNpy(StringRef bytes) {
  Expected<NpyHeader> header = parseNpyHeader(bytes);
  if (!header)
    return header.takeError();
  static constexpr StringLiteral known[] = {"<f2", "<f4", "<f8",
                                            "<i4", "<i8", "|b1"};
  if (!llvm::is_contained(known, header->type))
    return createStringError("expects elements of type <f2, <f4, <f8, <i4, <i8 "
                             "or |b1, but got '%s'",
                             header->type.c_str());
  size_t width = header->type.back() - '0';
  size_t available = bytes.size() - header->dataOffset;
  if (fp8::getByteSize(header->shape, width) != available)
    return createStringError(
        "expects the data of %s, but the file holds %zu bytes of data",
        describeShape(header->shape, header->type).c_str(), available);
  size_t count = available / width;
  Array array{header->shape, std::vector<double>(count)};
  for (size_t i = 0; i < count; ++i) {
    double value = readElement(bytes.data() + header->dataOffset + i * width,
                               header->type);
    if (header->type == "<i8" && std::abs(value) > 0x1p53)
      return createStringError("expects integers of at most 2^53, but element "
                               "%zu is about %.17g",
                               i, value);
    array.values[i] = value;
  }
  return array;
}

Expected<Array> fp8run::readNpy(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("%s: expects an .npy file, but it cannot be read: "
                             "%s",
                             path.str().c_str(),
                             buffer.getError().message().c_str());
  Expected<Array> array = parseNpy((*buffer)->getBuffer());
  if (!array)
    return createStringError(path.str() + ": " +
                             llvm::toString(array.takeError()));
  return array;
}

std::string fp8run::encodeNpy(const Array &array) {
  std::string shape;
  for (int64_t size : array.shape)
    shape += std::to_string(size) + ", ";
  if (array.shape.size() != 1)
    shape = StringRef(shape).rtrim(", ").str();
  else
    shape = StringRef(shape).rtrim(' ').str();
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Magic, version, length, header and newline fill a multiple of 64 bytes.
  header.resize(llvm::alignTo(10 + header.size() + 1, 64) - 11, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  for (double value : array.values) {
    char element[4];
    llvm::support::endian::write32le(
        element, llvm::bit_cast<uint32_t>(static_cast<float>(value)));
    bytes.append(element, sizeof(element));
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Bytes of elements
//===----------------------------------------------------------------------===//

/// The bytes of one element; none for a type that functions do not take.
static std::optional<int64_t> getWidth(Type type) {
  if (isa<FloatType>(type) || type.isInteger(32) || type.isInteger(64)) {
    unsigned bits = type.getIntOrFloatBitWidth();
    if (bits == 8 || bits == 16 || bits == 32 || bits == 64)
      return bits / 8;
  }
  if (type.isInteger(1) || type.isInteger(8))
    return 1;
  return std::nullopt;
}

/// `value` as the bits of an element, rounded to nearest even if need be.
static uint64_t toBits(double value, Type type) {
  if (type.isF32())
    return llvm::bit_cast<uint32_t>(static_cast<float>(value));
  if (type.isF64())
    return llvm::bit_cast<uint64_t>(value);
  auto floatType = dyn_cast<FloatType>(type);
  if (type.isInteger(1))
    return value != 0;
  // What no integer is does not come back either: NaN and what is too large.
  if (!floatType)
    return value >= -0x1p63 && value < 0x1p63
               ? static_cast<uint64_t>(static_cast<int64_t>(value))
               : 0;
  APFloat number(value);
  bool losesInfo;
  number.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

static double fromBits(uint64_t bits, Type type) {
  if (type.isF32())
    return llvm::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type.isF64())
    return llvm::bit_cast<double>(bits);
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return static_cast<double>(llvm::SignExtend64(
        bits, type.isInteger(1) ? 8 : type.getIntOrFloatBitWidth()));
  return APFloat(floatType.getFloatSemantics(),
                 llvm::APInt(floatType.getWidth(), bits))
      .convertToDouble();
}

Expected<std::vector<char>>
fp8run::encode(const Array &array, RankedTensorType type, StringRef what) {
  std::string element;
  llvm::raw_string_ostream(element) << type.getElementType();
  if (failed(verifyCompatibleShape(array.shape, type.getShape())))
    return createStringError("%s: expects shape %s, but got %s",
                             what.str().c_str(),
                             describeShape(type.getShape(), element).c_str(),
                             describeShape(array.shape, element).c_str());
  std::optional<int64_t> width = getWidth(type.getElementType());
  if (!width)
    return createStringError("%s: expects an argument of 8-, 16-, 32- or "
                             "64-bit floats or of 1-, 8-, 32- or 64-bit "
                             "integers, but it has %s",
                             what.str().c_str(), element.c_str());
  std::vector<char> bytes(array.values.size() * *width);
  for (auto [index, value] : llvm::enumerate(array.values)) {
    uint64_t bits = toBits(value, type.getElementType());
    double back = fromBits(bits, type.getElementType());
    if (back != value && !(std::isnan(back) && std::isnan(value)))
      return createStringError(
          "%s: expects values that %s holds exactly, but element %zu is %.17g",
          what.str().c_str(), element.c_str(), index, value);
    std::memcpy(bytes.data() + index * *width, &bits, *width);
  }
  return bytes;
}

Array fp8run::decode(ArrayRef<char> bytes, RankedTensorType type) {
  int64_t width = *getWidth(type.getElementType());
  Array array{SmallVector<int64_t>(type.getShape()),
              std::vector<double>(bytes.size() / width)};
  for (auto [index, value] : llvm::enumerate(array.values)) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + index * width, width);
    value = fromBits(bits, type.getElementType());
  }
  return array;
}

//===----------------------------------------------------------------------===//
// Random arrays and errors
//===----------------------------------------------------------------------===//

/// The next 64 bits of SplitMix64 (Steele, Lea, Flood 2014, doi
/// 10.1145/2660193.2660195).
static uint64_t nextRandom(uint64_t &state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// A sum of twelve uniform numbers: mean 0, variance 1, close to normal, and
/// the same on every machine, which a logarithm is not.
static double nextNormal(uint64_t &state) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i)
    sum += static_cast<double>(nextRandom(state) >> 11) * 0x1p-53;
  return sum;
}

Array fp8run::makeRandom(RankedTensorType type, uint64_t seed,
                         uint64_t number) {
  Array array{SmallVector<int64_t>(type.getShape()),
              std::vector<double>(type.getNumElements())};
  if (!isa<FloatType>(type.getElementType()))
    return array;
  uint64_t state = seed * 0x9e3779b97f4a7c15 + number;
  state = nextRandom(state);
  for (double &value : array.values)
    value = fromBits(toBits(nextNormal(state), type.getElementType()),
                     type.getElementType());
  return array;
}

double fp8run::getDecibels(const Array &reference, const Array &output) {
  double signal = 0, noise = 0;
  for (auto [ref, out] : llvm::zip_equal(reference.values, output.values)) {
    signal += ref * ref;
    noise += (ref - out) * (ref - out);
  }
  if (noise == 0)
    return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}
