//===- Matmul.cpp - A matmul to test --------------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, random inputs and the naive loop.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <cmath>
#include <random>
#include <string.h>

using namespace fp8test;

static constexpr unsigned char kPattern = 0xa5;
static constexpr int64_t kGuard = 64;

double Buffer::get(int64_t index) const {
  return decode(type, &bytes[(offset + index) * sizeOf(type)]);
}

void Buffer::set(int64_t index, double value) {
  encode(type, value, &bytes[(offset + index) * sizeOf(type)]);
}

/// An input: exactly as much memory as it spans, all NaN.
static Buffer makeInput(int32_t type, int64_t extent) {
  Buffer buffer;
  buffer.type = type;
  buffer.bytes.resize(extent * sizeOf(type));
  for (int64_t i = 0; i < extent; ++i)
    buffer.set(i, NAN);
  return buffer;
}

static int64_t extentOf(int64_t rows, int64_t columns, int64_t ld,
                        int64_t batch, int64_t stride) {
  if (rows == 0 || columns == 0 || batch == 0)
    return 0;
  return (batch - 1) * stride + (rows - 1) * ld + columns;
}

Matmul::Matmul(int32_t typeA, int32_t typeB, int32_t typeD, Shape s) {
  desc.struct_size = sizeof(desc);
  desc.type_a = typeA, desc.type_b = typeB, desc.type_d = typeD;
  desc.trans_a = s.transA, desc.trans_b = s.transB;
  desc.m = s.m, desc.n = s.n, desc.k = s.k, desc.batch = s.batch;
  // Different paddings, so that no leading dimension can stand in for another.
  const int64_t pad = s.pad;
  const int64_t rowsA = s.transA ? s.k : s.m, rowsB = s.transB ? s.n : s.k;
  desc.ld_a = (s.transA ? s.m : s.k) + pad;
  desc.ld_b = (s.transB ? s.k : s.n) + 2 * pad;
  desc.ld_d = s.n + 3 * pad;
  desc.stride_a = rowsA * desc.ld_a + pad;
  desc.stride_b = rowsB * desc.ld_b + pad;
  desc.stride_d = s.m * desc.ld_d + pad;

  a = makeInput(typeA, extentOf(rowsA, desc.ld_a - pad, desc.ld_a, s.batch,
                                desc.stride_a));
  b = makeInput(typeB, extentOf(rowsB, desc.ld_b - 2 * pad, desc.ld_b, s.batch,
                                desc.stride_b));
  d.type = typeD;
  d.offset = kGuard;
  const int64_t extent = extentOf(s.m, s.n, desc.ld_d, s.batch, desc.stride_d);
  d.bytes.assign((extent + 2 * kGuard) * sizeOf(typeD), kPattern);
  fillA(0).fillB(0);
}

int64_t Matmul::indexA(int64_t row, int64_t column, int64_t batch) const {
  return batch * desc.stride_a +
         (desc.trans_a ? column * desc.ld_a + row : row * desc.ld_a + column);
}

int64_t Matmul::indexB(int64_t row, int64_t column, int64_t batch) const {
  return batch * desc.stride_b +
         (desc.trans_b ? column * desc.ld_b + row : row * desc.ld_b + column);
}

int64_t Matmul::indexD(int64_t row, int64_t column, int64_t batch) const {
  return batch * desc.stride_d + row * desc.ld_d + column;
}

int64_t Matmul::indexAcc(int64_t row, int64_t column, int64_t batch) const {
  return batch * desc.stride_acc + row * desc.ld_acc + column;
}

template <class Function>
static void forEach(int64_t batch, int64_t rows, int64_t columns,
                    Function function) {
  for (int64_t i = 0; i < batch; ++i)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        function(row, column, i);
}

Matmul &Matmul::setA(std::initializer_list<double> values) {
  forEach(desc.batch, desc.m, desc.k, [&](int64_t r, int64_t c, int64_t i) {
    a.set(indexA(r, c, i), values.begin()[r * desc.k + c]);
  });
  return *this;
}

Matmul &Matmul::setB(std::initializer_list<double> values) {
  forEach(desc.batch, desc.k, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    b.set(indexB(r, c, i), values.begin()[r * desc.n + c]);
  });
  return *this;
}

Matmul &Matmul::fillA(double value) {
  forEach(desc.batch, desc.m, desc.k, [&](int64_t r, int64_t c, int64_t i) {
    a.set(indexA(r, c, i), value);
  });
  return *this;
}

Matmul &Matmul::fillB(double value) {
  forEach(desc.batch, desc.k, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    b.set(indexB(r, c, i), value);
  });
  return *this;
}

Matmul &Matmul::setDescales(int32_t modeA, std::vector<float> valuesA,
                            int32_t modeB, std::vector<float> valuesB) {
  desc.scale_mode_a = modeA, desc.scale_mode_b = modeB;
  descaleA = std::move(valuesA), descaleB = std::move(valuesB);
  return *this;
}

Matmul &Matmul::setBias(int32_t type, std::initializer_list<double> values) {
  desc.type_bias = type;
  bias = makeInput(type, values.size());
  for (size_t i = 0; i < values.size(); ++i)
    bias.set(i, values.begin()[i]);
  return *this;
}

Matmul &Matmul::setAcc(int32_t type, std::initializer_list<double> values) {
  withRandomAcc(type, 0);
  forEach(desc.batch, desc.m, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    acc.set(indexAcc(r, c, i), values.begin()[r * desc.n + c]);
  });
  return *this;
}

/// A finite random value of a type. Codes are uniform, or so are values of wide
/// types with an exponent between plus and minus `exponents`.
static double randomValue(int32_t type, std::mt19937 &random, int exponents) {
  if (sizeOf(type) > 1 && exponents) {
    const double significand =
        std::uniform_real_distribution<double>(-2, 2)(random);
    unsigned char bytes[8];
    encode(type,
           std::ldexp(significand,
                      static_cast<int>(random() % (2 * exponents)) - exponents),
           bytes);
    return decode(type, bytes);
  }
  while (true) {
    const uint64_t code = (static_cast<uint64_t>(random()) << 32) | random();
    const double value = decode(type, &code);
    if (std::isfinite(value))
      return value;
  }
}

Matmul &Matmul::randomize(unsigned seed, int exponents) {
  std::mt19937 random(seed);
  forEach(desc.batch, desc.m, desc.k, [&](int64_t r, int64_t c, int64_t i) {
    a.set(indexA(r, c, i), randomValue(a.type, random, exponents));
  });
  forEach(desc.batch, desc.k, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    b.set(indexB(r, c, i), randomValue(b.type, random, exponents));
  });
  return *this;
}

Matmul &Matmul::withRandomBias(int32_t type, unsigned seed) {
  std::mt19937 random(seed);
  desc.type_bias = type;
  desc.stride_bias = desc.n + 1;
  bias = makeInput(type, extentOf(1, desc.n, 0, desc.batch, desc.stride_bias));
  forEach(desc.batch, 1, desc.n, [&](int64_t, int64_t c, int64_t i) {
    bias.set(i * desc.stride_bias + c, randomValue(type, random, 4));
  });
  return *this;
}

Matmul &Matmul::withRandomAcc(int32_t type, unsigned seed) {
  std::mt19937 random(seed);
  desc.type_acc = type;
  desc.ld_acc = desc.n + 2;
  desc.stride_acc = desc.m * desc.ld_acc + 1;
  acc = makeInput(
      type, extentOf(desc.m, desc.n, desc.ld_acc, desc.batch, desc.stride_acc));
  forEach(desc.batch, desc.m, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    acc.set(indexAcc(r, c, i), randomValue(type, random, 4));
  });
  return *this;
}

Matmul &Matmul::withRandomDescales(int32_t modeA, int32_t modeB,
                                   unsigned seed) {
  std::mt19937 random(seed);
  const auto make = [&](int32_t mode, int64_t length, int64_t *stride) {
    if (mode == FP8RT_SCALE_NONE)
      return std::vector<float>();
    const int64_t count = mode == FP8RT_SCALE_OUTER ? length : 1;
    *stride = count + 1;
    std::vector<float> values((desc.batch - 1) * *stride + count);
    for (float &value : values)
      value = static_cast<float>(randomValue(FP8RT_F32, random, 3));
    return values;
  };
  desc.scale_mode_a = modeA, desc.scale_mode_b = modeB;
  descaleA = make(modeA, desc.m, &desc.stride_descale_a);
  descaleB = make(modeB, desc.n, &desc.stride_descale_b);
  return *this;
}

static const void *pointerTo(const Buffer &buffer) {
  return buffer.bytes.empty()
             ? nullptr
             : &buffer.bytes[buffer.offset * sizeOf(buffer.type)];
}

fp8rt_matmul_args Matmul::args() {
  fp8rt_matmul_args args = {};
  args.struct_size = sizeof(args);
  args.a = pointerTo(a);
  args.b = pointerTo(b);
  args.bias = pointerTo(bias);
  args.descale_a = descaleA.empty() ? nullptr : descaleA.data();
  args.descale_b = descaleB.empty() ? nullptr : descaleB.data();
  args.d = const_cast<void *>(pointerTo(d));
  args.acc = accIsResult ? args.d : pointerTo(acc);
  return args;
}

int32_t Matmul::run() {
  const fp8rt_matmul_args arguments = args();
  return fp8rt_matmul(nullptr, &desc, &arguments, nullptr);
}

double Matmul::result(int64_t row, int64_t column, int64_t batch) const {
  return d.get(indexD(row, column, batch));
}

std::vector<double> Matmul::results() const {
  std::vector<double> values;
  forEach(desc.batch, desc.m, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    values.push_back(result(r, c, i));
  });
  return values;
}

/// The sum of one element, one product at a time, k ascending. `rowOfA` and
/// `columnOfB` are decoded.
template <class T>
static T referenceSum(const std::vector<double> &rowOfA,
                      const std::vector<double> &columnOfB) {
  T sum = 0;
  for (size_t k = 0; k < rowOfA.size(); ++k) {
    const T product = static_cast<T>(rowOfA[k]) * static_cast<T>(columnOfB[k]);
    sum = sum + product;
  }
  return sum;
}

/// What comes after the sum, before it is rounded to the type of the result.
template <class T>
static T finishElement(const Matmul &m, T sum, int64_t row, int64_t column,
                       int64_t i) {
  const fp8rt_matmul_desc &desc = m.desc;
  const auto descale = [&](const std::vector<float> &values, int32_t mode,
                           int64_t stride, int64_t position) {
    return values[i * stride + (mode == FP8RT_SCALE_OUTER ? position : 0)];
  };
  float factor = 1;
  if (desc.scale_mode_a)
    factor = descale(m.descaleA, desc.scale_mode_a, desc.stride_descale_a, row);
  if (desc.scale_mode_b)
    factor = factor * descale(m.descaleB, desc.scale_mode_b,
                              desc.stride_descale_b, column);
  if (desc.scale_mode_a || desc.scale_mode_b)
    sum = sum * factor;
  if (desc.type_acc) {
    const Buffer &acc = m.accIsResult ? m.d : m.acc;
    sum = sum + static_cast<T>(acc.get(m.indexAcc(row, column, i)));
  }
  if (desc.type_bias)
    sum = sum + static_cast<T>(m.bias.get(i * desc.stride_bias + column));
  return sum;
}

std::vector<unsigned char> Matmul::expected() const {
  // Rows of op(A) and columns of op(B) of all batches.
  std::vector<std::vector<double>> rows(desc.batch * desc.m);
  std::vector<std::vector<double>> columns(desc.batch * desc.n);
  forEach(desc.batch, desc.m, desc.k, [&](int64_t r, int64_t c, int64_t i) {
    rows[i * desc.m + r].push_back(a.get(indexA(r, c, i)));
  });
  forEach(desc.batch, desc.k, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    columns[i * desc.n + c].push_back(b.get(indexB(r, c, i)));
  });

  Buffer result = d;
  forEach(desc.batch, desc.m, desc.n, [&](int64_t r, int64_t c, int64_t i) {
    const std::vector<double> &row = rows[i * desc.m + r];
    const std::vector<double> &column = columns[i * desc.n + c];
    result.set(
        indexD(r, c, i),
        desc.type_a == FP8RT_F64
            ? finishElement(*this, referenceSum<double>(row, column), r, c, i)
            : finishElement(*this, referenceSum<float>(row, column), r, c, i));
  });
  return result.bytes;
}

void Matmul::check() {
  const std::vector<unsigned char> wanted = expected();
  ASSERT_EQ(run(), FP8RT_OK) << fp8rt_last_error();
  if (d.bytes == wanted)
    return;
  size_t byte = 0;
  while (d.bytes[byte] == wanted[byte])
    ++byte;
  const int64_t index = byte / sizeOf(d.type);
  Buffer other = d;
  other.bytes = wanted;
  other.offset = 0;
  const double found = decode(d.type, &d.bytes[index * sizeOf(d.type)]);
  ADD_FAILURE() << nameOf(a.type) << " x " << nameOf(b.type) << " -> "
                << nameOf(d.type) << ", " << desc.m << "x" << desc.n << "x"
                << desc.k << ": element " << index - d.offset
                << " in memory is " << found << ", expected "
                << other.get(index);
}
