//===- Pack.h - Decoding of blocks ------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies a block of an operand into a row-major block of decoded values,
// transposing on the way where the operand is stored the other way round. A
// transposition works on the codes, before they become four or eight times as
// wide.
//
//===----------------------------------------------------------------------===//

#ifndef FP8RT_CPU_PACK_H
#define FP8RT_CPU_PACK_H

#include "Formats.h"

namespace fp8rt::cpu::FP8RT_ISA {

/// The block of an operand that starts at `data`. Element (row, column) is at
/// row * ld + column, or at column * ld + row where it is transposed.
struct View {
  const unsigned char *data;
  int64_t ld;
  bool transposed;

  View at(int64_t row, int64_t column, int64_t size) const {
    const int64_t offset = transposed ? column * ld + row : row * ld + column;
    return {data + offset * size, ld, transposed};
  }
};

inline int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/// 16 bytes of codes as integers, which is all that moving them needs.
template <int Size> struct Lanes;
template <> struct Lanes<1> {
  typedef uint8_t Vector __attribute__((vector_size(16)));
  static Vector low(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                   21, 6, 22, 7, 23);
  }
  static Vector high(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                   13, 29, 14, 30, 15, 31);
  }
};
template <> struct Lanes<2> {
  typedef uint16_t Vector __attribute__((vector_size(16)));
  static Vector low(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  }
  static Vector high(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
};
template <> struct Lanes<4> {
  typedef uint32_t Vector __attribute__((vector_size(16)));
  static Vector low(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
  }
  static Vector high(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
  }
};
template <> struct Lanes<8> {
  typedef uint64_t Vector __attribute__((vector_size(16)));
  static Vector low(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 0, 2);
  }
  static Vector high(Vector a, Vector b) {
    return __builtin_shufflevector(a, b, 1, 3);
  }
};

/// Transposes the square of codes whose rows are 16 bytes: each step deals the
/// two halves of the rows out alternately, and log2(rows) steps are a
/// transposition.
template <int Size> void transposeTile(typename Lanes<Size>::Vector *rows) {
  constexpr int count = 16 / Size;
  typename Lanes<Size>::Vector next[count];
  for (int step = 1; step < count; step *= 2) {
    for (int i = 0; i < count / 2; ++i) {
      next[2 * i] = Lanes<Size>::low(rows[i], rows[i + count / 2]);
      next[2 * i + 1] = Lanes<Size>::high(rows[i], rows[i + count / 2]);
    }
    memcpy(rows, next, sizeof(next));
  }
}

/// Transposes one tile: reads `height` rows of `width` codes, each no more than
/// 16 bytes, and writes `16 / Size` rows `pitch` bytes apart. What is not read
/// is zero.
template <int Size>
void moveTile(const unsigned char *source, int64_t ld, int64_t height,
              int64_t width, unsigned char *target, int64_t pitch) {
  constexpr int count = 16 / Size;
  typename Lanes<Size>::Vector rows[count] = {};
  if (height >= count && width >= count)
    for (int i = 0; i < count; ++i)
      memcpy(&rows[i], source + i * ld * Size, 16);
  else
    for (int i = 0; i < lesser(height, count); ++i)
      memcpy(&rows[i], source + i * ld * Size, lesser(width, count) * Size);
  transposeTile<Size>(rows);
  for (int i = 0; i < count; ++i)
    memcpy(target + i * pitch, &rows[i], 16);
}

/// pack for an operand that is stored the other way round: by strips of as many
/// rows as a tile has, 64 columns at a time.
template <int32_t Type, class T>
void packTransposed(const View &view, int64_t rows, int64_t columns, T *target,
                    int64_t targetLd) {
  constexpr int size = sizeof(typename Format<Type>::Storage);
  constexpr int tile = 16 / size;
  constexpr int64_t chunk = 64;
  alignas(64) unsigned char codes[tile][chunk * size];
  for (int64_t row = 0; row < rows; row += tile) {
    for (int64_t first = 0; first < columns; first += chunk) {
      const int64_t width = lesser(chunk, columns - first);
      for (int64_t i = 0; i < width; i += tile)
        moveTile<size>(view.at(row, first + i, size).data, view.ld, width - i,
                       rows - row, codes[0] + i * size, sizeof(codes[0]));
      for (int64_t i = 0; i < lesser(tile, rows - row); ++i)
        loadRow<Type, T>(codes[i], width,
                         target + (row + i) * targetLd + first);
    }
  }
}

/// Decodes `rows` x `columns` elements into rows that are `targetLd` apart.
template <int32_t Type, class T>
void pack(const View &view, int64_t rows, int64_t columns, T *target,
          int64_t targetLd) {
  constexpr int size = sizeof(typename Format<Type>::Storage);
  if (view.transposed)
    return packTransposed<Type, T>(view, rows, columns, target, targetLd);
  for (int64_t row = 0; row < rows; ++row)
    loadRow<Type, T>(view.at(row, 0, size).data, columns,
                     target + row * targetLd);
}

} // namespace fp8rt::cpu::FP8RT_ISA

#endif // FP8RT_CPU_PACK_H
