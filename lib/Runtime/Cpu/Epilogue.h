//===- Epilogue.h - What comes after the sums -------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descales, accumulator, bias and the rounding to the result's type, each a
// rounding of its own, over a block of finished sums.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_EPILOGUE_H
#define FP8RT_CPU_EPILOGUE_H

#include "CpuMatmul.h"
#include "Formats.h"
#include "Pack.h"

namespace fp8rt::cpu::FP8RT_ISA {

template <class T>
using LoadFunction = void (*)(const unsigned char *, int64_t, T *);
template <class T>
using StoreFunction = void (*)(const T *, int64_t, unsigned char *);

/// How a wide type is read and written with sums in `T`.
template <class T> struct RowAccess {
  int64_t size;
  LoadFunction<T> load;
  StoreFunction<T> store;
};

template <int32_t Type, class T> RowAccess<T> accessOf() {
  constexpr bool stored = (Type == FP8RT_F64) == (sizeof(T) == sizeof(double));
  RowAccess<T> access = {sizeof(typename Format<Type>::Storage),
                         loadRow<Type, T>, nullptr};
  if constexpr (stored)
    access.store = storeRow<Type, T>;
  return access;
}

template <class T> RowAccess<T> findAccess(int32_t type) {
  switch (type) {
  case FP8RT_F64:
    return accessOf<FP8RT_F64, T>();
  case FP8RT_F32:
    return accessOf<FP8RT_F32, T>();
  case FP8RT_F16:
    return accessOf<FP8RT_F16, T>();
  case FP8RT_BF16:
    return accessOf<FP8RT_BF16, T>();
  default:
    return {};
  }
}

/// Finishes the rows of a problem, at most `Columns` elements at a time.
template <class T, int Columns> class Epilogue {
public:
  explicit Epilogue(const Problem &problem)
      : problem(problem), result(findAccess<T>(problem.desc.type_d)),
        acc(findAccess<T>(problem.desc.type_acc)),
        bias(findAccess<T>(problem.desc.type_bias)) {}

  /// Reads what all rows of the columns from `first` on share.
  void startColumns(int64_t first, int64_t count) {
    firstColumn = first;
    columns = count;
    if (problem.bias)
      bias.load(problem.bias + first * bias.size, count, biasRow);
    if (problem.desc.scale_mode_b == FP8RT_SCALE_OUTER)
      memcpy(descales, problem.descaleB + first, count * sizeof(float));
    else if (problem.descaleB)
      for (int64_t i = 0; i < count; ++i)
        descales[i] = *problem.descaleB;
  }

  /// Finishes `sums`, the part of `row` in the columns, and writes it.
  void finishRow(int64_t row, T *sums) {
    scaleRow(row, sums);
    if (problem.acc) {
      const int64_t offset = row * problem.desc.ld_acc + firstColumn;
      acc.load(problem.acc + offset * acc.size, columns, accRow);
      addRow(accRow, sums);
    }
    if (problem.bias)
      addRow(biasRow, sums);
    const int64_t offset = row * problem.desc.ld_d + firstColumn;
    result.store(sums, columns, problem.d + offset * result.size);
  }

private:
  void addRow(const T *addends, T *sums) const {
    for (int64_t i = 0; i < columns; ++i)
      sums[i] += addends[i];
  }

  /// The product of the two descales is rounded before it meets the sum.
  void scaleRow(int64_t row, T *sums) const {
    const bool outer = problem.desc.scale_mode_a == FP8RT_SCALE_OUTER;
    const float *descaleA = outer ? problem.descaleA + row : problem.descaleA;
    if (descaleA && problem.descaleB)
      for (int64_t i = 0; i < columns; ++i)
        sums[i] *= *descaleA * descales[i];
    else if (descaleA)
      for (int64_t i = 0; i < columns; ++i)
        sums[i] *= *descaleA;
    else if (problem.descaleB)
      for (int64_t i = 0; i < columns; ++i)
        sums[i] *= descales[i];
  }

  const Problem &problem;
  const RowAccess<T> result;
  const RowAccess<T> acc;
  const RowAccess<T> bias;
  int64_t firstColumn = 0;
  int64_t columns = 0;
  float descales[Columns];
  T accRow[Columns];
  T biasRow[Columns];
};

} // namespace fp8rt::cpu::FP8RT_ISA

#endif // FP8RT_CPU_EPILOGUE_H
