//===- Target.h -------------------------------------------------*- C++ -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each target's matmul library takes, as data. Passes read it and give a
// reason for what they do; no op's verifier does.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TARGET_TARGET_H
#define FP8_TARGET_TARGET_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

namespace mlir::fp8 {

/// Which pair of fp8 types the matrix units take.
enum class Fp8Family {
  /// None: matmuls stay wide.
  None,
  /// f8E4M3FN and f8E5M2, of the Open Compute Project.
  Ocp,
  /// f8E4M3FNUZ and f8E5M2FNUZ.
  Fnuz
};

/// The ways of reading the operands of op(A)·op(B), as bits of a set. N: as
/// stored, T: transposed; the first letter is A, the second B. In a
/// column-major library's own terms, A·Bᵀ of row-major matrices is called "TN".
enum MatmulForm : unsigned {
  kFormNN = 1,
  kFormNT = 2,
  kFormTN = 4,
  kFormTT = 8,
  kFormsAll = kFormNN | kFormNT | kFormTN | kFormTT
};

/// The set bit of the form with these flags.
constexpr unsigned getMatmulForm(bool transA, bool transB) {
  return transA ? (transB ? kFormTT : kFormTN) : (transB ? kFormNT : kFormNN);
}

/// Scale shapes that the library applies itself, as bits of a set.
enum ScaleMode : unsigned {
  kScaleTensor = 1,
  /// A scale a row of op(A), a column of op(B).
  kScaleOuter = 2,
  /// 1x128 with 128x128, or 1x128 with 1x128.
  kScaleBlock128 = 4,
  /// 1x32 with f8E8M0FNU scales (MX).
  kScaleMx = 8
};

/// What a device reaches, for predictions. All zero if it is not known.
struct TargetRates {
  /// The device that stands for the target, and where its peaks are from.
  StringLiteral device = "", source = "";
  /// Peaks of dense matmuls, in 10^12 operations a second, and of memory, in
  /// 10^12 bytes a second.
  double peakWideTflops = 0, peakFp8Tflops = 0, peakTerabytesPerSecond = 0;
  /// What predictions use: large matmuls, and bytes that elementwise kernels
  /// read and write.
  double wideTflops = 0, fp8Tflops = 0, terabytesPerSecond = 0;
  /// What a kernel costs on top, in a graph.
  double launchMicroseconds = 0;
  /// Whether they were measured on the device, not predicted from its peaks.
  bool measured = false;

  bool isKnown() const { return fp8Tflops > 0; }
};

struct TargetInfo {
  /// As options spell it: `cpu`, `sm_90`, `gfx942`.
  StringLiteral name;
  /// The pair that matmuls are quantized to.
  Fp8Family family;
  /// Whether matmuls take operands of the other pair, too.
  bool otherFamily;
  /// Set of MatmulForm that fp8 operands may have.
  unsigned forms;
  /// Set of ScaleMode.
  unsigned scaleModes;
  /// What M, N and K of an fp8 matmul must be multiples of.
  int64_t alignM, alignN, alignK;
  /// Whether there is a flag for accumulating with fewer bits.
  bool fastAccum;
  /// Whether both operands may be e5m2; with an e4m3 one it may be either.
  bool e5m2Pair;
  /// The first PTX version (times ten) with the fp8 convert; 0 for none.
  unsigned ptxConvert;
  /// Where the facts of this row are from.
  StringLiteral source;
  TargetRates rates;

  bool hasFp8() const { return family != Fp8Family::None; }
  bool takesForm(bool transA, bool transB) const {
    return forms & getMatmulForm(transA, transB);
  }
  /// Whether an operand of a matmul may have this element type.
  bool takesType(Type type) const;
  /// The type for activations and weights, and the one for gradients.
  FloatType getE4M3(MLIRContext *context) const;
  FloatType getE5M2(MLIRContext *context) const;
};

/// All targets, in the order of the documentation.
ArrayRef<TargetInfo> getTargets();

/// The target of that name, or null.
const TargetInfo *lookupTarget(StringRef name);

/// The names of all targets, for messages: "cpu, sm_80, ...".
std::string getTargetNames();

} // namespace mlir::fp8

#endif // FP8_TARGET_TARGET_H
