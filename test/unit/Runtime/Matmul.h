//===- Matmul.h - A matmul to test ------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A desc with the memory of its operands. Rows and batches may be padded: what
// belongs to no operand holds NaNs in the inputs and a pattern in the result,
// and the expected result is compared with all of the memory.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TEST_UNIT_RUNTIME_MATMUL_H
#define FP8_TEST_UNIT_RUNTIME_MATMUL_H

#include "Reference.h"

#include <gtest/gtest.h>
#include <initializer_list>
#include <vector>

namespace fp8test {

struct Shape {
  int64_t m, n, k;
  int64_t batch = 1;
  bool transA = false;
  bool transB = false;
  /// Elements between the end of a row and the next, and likewise of batches.
  int64_t pad = 0;
};

/// The elements of one operand in memory.
struct Buffer {
  int32_t type = FP8RT_NONE;
  std::vector<unsigned char> bytes;
  int64_t offset = 0;

  double get(int64_t index) const;
  void set(int64_t index, double value);
};

class Matmul {
public:
  /// Inputs are zeros.
  Matmul(int32_t typeA, int32_t typeB, int32_t typeD, Shape shape);

  /// Row by row, of op(A) and op(B), the same for each batch.
  Matmul &setA(std::initializer_list<double> values);
  Matmul &setB(std::initializer_list<double> values);
  Matmul &fillA(double value);
  Matmul &fillB(double value);
  Matmul &setDescales(int32_t modeA, std::vector<float> valuesA, int32_t modeB,
                      std::vector<float> valuesB);
  /// One row of N elements.
  Matmul &setBias(int32_t type, std::initializer_list<double> values);
  Matmul &setAcc(int32_t type, std::initializer_list<double> values);
  /// Finite random codes for all that is there. `exponents` bounds those of
  /// wide types; 0 takes all finite codes.
  Matmul &randomize(unsigned seed, int exponents = 4);
  Matmul &withRandomBias(int32_t type, unsigned seed);
  Matmul &withRandomAcc(int32_t type, unsigned seed);
  Matmul &withRandomDescales(int32_t modeA, int32_t modeB, unsigned seed);

  int64_t indexA(int64_t row, int64_t column, int64_t batch = 0) const;
  int64_t indexB(int64_t row, int64_t column, int64_t batch = 0) const;
  int64_t indexD(int64_t row, int64_t column, int64_t batch = 0) const;
  int64_t indexAcc(int64_t row, int64_t column, int64_t batch = 0) const;

  fp8rt_matmul_args args();
  int32_t run();
  /// Element of the result after run().
  double result(int64_t row, int64_t column, int64_t batch = 0) const;
  std::vector<double> results() const;
  /// The memory of the result as it should be: one product at a time.
  std::vector<unsigned char> expected() const;
  /// Runs and compares all of the memory.
  void check();

  fp8rt_matmul_desc desc = {};
  Buffer a, b, acc, bias, d;
  std::vector<float> descaleA, descaleB;
  /// What to hand over as the accumulator is the result itself.
  bool accIsResult = false;
};

} // namespace fp8test

#endif // FP8_TEST_UNIT_RUNTIME_MATMUL_H
