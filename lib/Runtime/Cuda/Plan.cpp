//===- Plan.cpp - The plan of a matmul ------------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides a matmul between the library and the kernel after it, and tells the
// library what it is to do.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "../Common/Error.h"
#include "../Common/Types.h"

using namespace fp8rt;
using namespace fp8rt::cuda;

static bool isNarrow(int32_t type) {
  return findType(type)->kind == TypeKind::Narrow;
}

static LtType libraryType(int32_t type) {
  switch (type) {
  case FP8RT_F64:
    return kLtF64;
  case FP8RT_F16:
    return kLtF16;
  case FP8RT_BF16:
    return kLtBf16;
  case FP8RT_F8E4M3FN:
    return kLtE4m3;
  case FP8RT_F8E5M2:
    return kLtE5m2;
  default:
    return kLtF32;
  }
}

//===----------------------------------------------------------------------===//
// What the library takes
//===----------------------------------------------------------------------===//

/// Whether the library rounds sums of these operands to the type of the result.
static bool canRound(const fp8rt_matmul_desc &desc) {
  if (desc.type_d == FP8RT_F32 || desc.type_d == FP8RT_F64)
    return true;
  return isNarrow(desc.type_a) || desc.type_a == desc.type_d;
}

/// One factor for all of the result, or one for each row times one for each
/// column.
static bool canDescale(const fp8rt_matmul_desc &desc) {
  if (!isNarrow(desc.type_a))
    return false;
  if (desc.scale_mode_a == FP8RT_SCALE_OUTER ||
      desc.scale_mode_b == FP8RT_SCALE_OUTER)
    return desc.scale_mode_a == desc.scale_mode_b && desc.batch == 1;
  return desc.batch == 1 ||
         (desc.stride_descale_a == 0 && desc.stride_descale_b == 0);
}

/// The bias has the type of the result, but bf16 where FP8 gives f32.
static bool canAddBias(const fp8rt_matmul_desc &desc) {
  if (desc.type_d == FP8RT_F64)
    return false;
  if (isNarrow(desc.type_a) && desc.type_d == FP8RT_F32)
    return desc.type_bias == FP8RT_BF16;
  return desc.type_bias == desc.type_d;
}

/// Devices whose FP8 units read both operands along K.
static bool readsAlongK(int32_t arch) {
  return arch == 89 || arch == 90 || arch / 10 == 12;
}

static int32_t checkNarrow(const fp8rt_matmul_desc &desc, int32_t arch) {
  const char *a = findType(desc.type_a)->name;
  const char *b = findType(desc.type_b)->name;
  for (int32_t type : {desc.type_a, desc.type_b})
    if (type != FP8RT_F8E4M3FN && type != FP8RT_F8E5M2)
      return fail(FP8RT_UNSUPPORTED,
                  "desc: expects f8E4M3FN or f8E5M2 operands on a CUDA device, "
                  "but got %s and %s",
                  a, b);
  if (arch < 89)
    return fail(FP8RT_UNSUPPORTED,
                "desc: expects sm_89 or later for FP8 operands, but the device "
                "is sm_%d",
                arch);
  if (desc.type_a == FP8RT_F8E5M2 && desc.type_b == FP8RT_F8E5M2)
    return fail(FP8RT_UNSUPPORTED,
                "desc: expects an f8E4M3FN operand, as no CUDA device "
                "multiplies two of f8E5M2, but got %s and %s",
                a, b);
  if (readsAlongK(arch) && (desc.trans_a || !desc.trans_b))
    return fail(FP8RT_UNSUPPORTED,
                "desc: expects A as it is stored and B transposed with FP8 "
                "operands on sm_%d, but got trans_a %d and trans_b %d",
                arch, desc.trans_a, desc.trans_b);
  return FP8RT_OK;
}

/// Gives operands of one row or one column the layout that the library wants:
/// there, several layouts are the same memory.
static void normalizeNarrow(fp8rt_matmul_desc *desc) {
  const int64_t unit = 16;
  if (desc->m == 1 && desc->trans_a && desc->ld_a == 1) {
    desc->trans_a = 0;
    desc->ld_a = desc->k;
  }
  if (desc->n == 1 && !desc->trans_b && desc->ld_b == 1) {
    desc->trans_b = 1;
    desc->ld_b = desc->k;
  }
  const auto roundUp = [&](int64_t size) {
    return (size + unit - 1) / unit * unit;
  };
  if ((desc->trans_a ? desc->k : desc->m) == 1)
    desc->ld_a = roundUp(desc->trans_a ? desc->m : desc->k);
  if ((desc->trans_b ? desc->n : desc->k) == 1)
    desc->ld_b = roundUp(desc->trans_b ? desc->k : desc->n);
}

//===----------------------------------------------------------------------===//
// Who does what
//===----------------------------------------------------------------------===//

/// What follows from the parts that the library has.
static void settleParts(Plan *plan) {
  const fp8rt_matmul_desc &desc = plan->desc;
  const bool descales = desc.scale_mode_a || desc.scale_mode_b;
  const int32_t sumType = desc.type_a == FP8RT_F64 ? FP8RT_F64 : FP8RT_F32;
  const auto libraryDoesAll = [&] {
    return plan->usesLibrary && plan->libraryRounds &&
           (!descales || plan->libraryDescales) &&
           (!desc.type_acc || plan->libraryAcc) &&
           (!desc.type_bias || plan->libraryBias);
  };
  plan->finishes = !libraryDoesAll();
  // The kernel rounds and comes last: what is rounded or added before it would
  // be in the wrong order.
  if (plan->finishes) {
    plan->libraryBias = false;
    plan->libraryAcc &= desc.type_acc == sumType;
  }
  // The kernel reads the accumulator last, which may be where the result goes.
  const bool kernelAdds = desc.type_acc && !plan->libraryAcc;
  plan->sumsInWorkspace = plan->usesLibrary && plan->finishes &&
                          (desc.type_d != sumType || kernelAdds);
  plan->sumType = libraryType(plan->finishes ? sumType : desc.type_d);
  plan->sumBytes = 0;
  if (!plan->sumsInWorkspace)
    return;
  const auto count = static_cast<uint64_t>(desc.m) *
                     static_cast<uint64_t>(desc.n) *
                     static_cast<uint64_t>(desc.batch);
  plan->sumBytes = (count * static_cast<uint64_t>(sizeOf(sumType)) +
                    kWorkspaceAlignment - 1) &
                   ~(kWorkspaceAlignment - 1);
}

int32_t cuda::planParts(const fp8rt_matmul_desc &desc, int32_t arch,
                        Plan *plan) {
  plan->desc = desc;
  const bool narrow = isNarrow(desc.type_a);
  plan->usesLibrary = desc.k != 0;
  if (narrow) {
    normalizeNarrow(&plan->desc);
    if (int32_t status = checkNarrow(plan->desc, arch))
      return status;
  }
  const int64_t most = INT32_MAX;
  if (desc.m > most || desc.n > most || desc.k > most || desc.batch > most)
    return fail(FP8RT_UNSUPPORTED,
                "desc: expects M, N, K and batch below 2^31 on a CUDA device, "
                "but got %lld, %lld, %lld and %lld",
                (long long)desc.m, (long long)desc.n, (long long)desc.k,
                (long long)desc.batch);
  const bool wide64 = desc.type_a == FP8RT_F64;
  plan->compute = wide64 ? kLtCompute64f : kLtCompute32f;
  plan->scaleType = wide64 ? kLtF64 : kLtF32;
  plan->transFirst = plan->desc.trans_b;
  plan->transSecond = plan->desc.trans_a;
  plan->fastAccum = narrow && desc.fast_accum;
  plan->outerScales = desc.scale_mode_a == FP8RT_SCALE_OUTER;
  plan->biasType = libraryType(desc.type_bias);
  plan->biasStride = desc.stride_bias;

  const bool descales = desc.scale_mode_a || desc.scale_mode_b;
  plan->libraryRounds = canRound(desc);
  plan->libraryDescales = plan->usesLibrary && descales && canDescale(desc);
  const bool scaled = !descales || plan->libraryDescales;
  plan->libraryAcc =
      plan->usesLibrary && scaled && desc.type_acc == desc.type_d;
  plan->libraryBias = plan->usesLibrary && scaled && desc.type_bias &&
                      (!desc.type_acc || plan->libraryAcc) && canAddBias(desc);
  settleParts(plan);
  return FP8RT_OK;
}

bool cuda::handOver(Plan *plan) {
  const bool rounding = plan->sumType != plan->scaleType;
  if (plan->libraryBias)
    plan->libraryBias = false;
  else if (plan->libraryAcc)
    plan->libraryAcc = false;
  else if (plan->libraryDescales)
    plan->libraryDescales = false;
  else if (rounding)
    plan->libraryRounds = false;
  else
    return false;
  settleParts(plan);
  return true;
}

//===----------------------------------------------------------------------===//
// What the library is told
//===----------------------------------------------------------------------===//

/// Keeps the first failure of a row of calls.
static void keep(LtStatus *first, LtStatus status) {
  if (*first == kLtSuccess)
    *first = status;
}

/// `rows` stored rows of `columns` elements: to the library, as many columns.
static LtStatus buildLayout(const BlasLt &lt, LtType type, int64_t rows,
                            int64_t columns, int64_t ld, int64_t batch,
                            int64_t stride, LtLayout *layout) {
  LtStatus status = lt.layoutInit(layout, sizeof(*layout), type,
                                  static_cast<uint64_t>(columns),
                                  static_cast<uint64_t>(rows), ld);
  if (batch == 1)
    return status;
  const auto count = static_cast<int32_t>(batch);
  keep(&status,
       lt.layoutSet(layout, kLtLayoutBatchCount, &count, sizeof(count)));
  keep(&status,
       lt.layoutSet(layout, kLtLayoutBatchStride, &stride, sizeof(stride)));
  return status;
}

LtStatus cuda::buildLayouts(const BlasLt &lt, Plan *plan) {
  const fp8rt_matmul_desc &d = plan->desc;
  const bool ta = d.trans_a, tb = d.trans_b;
  LtStatus status =
      buildLayout(lt, libraryType(d.type_b), tb ? d.n : d.k, tb ? d.k : d.n,
                  d.ld_b, d.batch, d.stride_b, &plan->first);
  keep(&status,
       buildLayout(lt, libraryType(d.type_a), ta ? d.k : d.m, ta ? d.m : d.k,
                   d.ld_a, d.batch, d.stride_a, &plan->second));
  if (plan->sumsInWorkspace)
    keep(&status, buildLayout(lt, plan->sumType, d.m, d.n, d.n, d.batch,
                              d.m * d.n, &plan->sum));
  else
    keep(&status, buildLayout(lt, plan->sumType, d.m, d.n, d.ld_d, d.batch,
                              d.stride_d, &plan->sum));
  plan->acc = plan->sum;
  if (plan->libraryAcc)
    keep(&status, buildLayout(lt, libraryType(d.type_acc), d.m, d.n, d.ld_acc,
                              d.batch, d.stride_acc, &plan->acc));
  return status;
}

template <class T>
static void set(const BlasLt &lt, LtStatus *status, LtMatmulDesc *desc,
                int attribute, T value) {
  keep(status, lt.descSet(desc, attribute, &value, sizeof(value)));
}

LtStatus cuda::buildDesc(const BlasLt &lt, const Plan &plan,
                         const void *descaleFirst, const void *descaleSecond,
                         const void *bias, LtMatmulDesc *desc) {
  LtStatus status =
      lt.descInit(desc, sizeof(*desc), plan.compute, plan.scaleType);
  if (plan.transFirst)
    set(lt, &status, desc, kLtDescTransA, int32_t(kLtOpT));
  if (plan.transSecond)
    set(lt, &status, desc, kLtDescTransB, int32_t(kLtOpT));
  if (plan.fastAccum)
    set(lt, &status, desc, kLtDescFastAccum, int8_t(1));
  if (plan.libraryDescales) {
    if (plan.outerScales) {
      set(lt, &status, desc, kLtDescScaleModeA, kLtScaleOuterVector);
      set(lt, &status, desc, kLtDescScaleModeB, kLtScaleOuterVector);
    }
    if (descaleFirst)
      set(lt, &status, desc, kLtDescScalePointerA, descaleFirst);
    if (descaleSecond)
      set(lt, &status, desc, kLtDescScalePointerB, descaleSecond);
  }
  if (plan.libraryBias) {
    set(lt, &status, desc, kLtDescEpilogue, kLtEpilogueBias);
    set(lt, &status, desc, kLtDescBiasPointer, bias);
    set(lt, &status, desc, kLtDescBiasType, int32_t(plan.biasType));
    if (plan.desc.batch > 1)
      set(lt, &status, desc, kLtDescBiasBatchStride, plan.biasStride);
  }
  return status;
}

Alignment cuda::alignmentOf(const Plan &plan, bool aligned) {
  const uint32_t most = 16;
  const fp8rt_matmul_desc &desc = plan.desc;
  if (aligned)
    return {most, most, most, most, most};
  const auto size = [&](int32_t type) {
    return type == FP8RT_NONE ? most : static_cast<uint32_t>(sizeOf(type));
  };
  const bool narrow = isNarrow(desc.type_a);
  return {narrow ? most : size(desc.type_b), narrow ? most : size(desc.type_a),
          size(desc.type_acc), plan.sumsInWorkspace ? most : size(desc.type_d),
          size(desc.type_bias)};
}

static LtStatus buildPreference(const BlasLt &lt, const Plan &plan,
                                bool aligned, uint64_t maxWorkspace,
                                LtPreference *preference) {
  LtStatus status = lt.preferenceInit(preference, sizeof(*preference));
  const auto setValue = [&](int attribute, auto value) {
    keep(&status,
         lt.preferenceSet(preference, attribute, &value, sizeof(value)));
  };
  const Alignment alignment = alignmentOf(plan, aligned);
  setValue(kLtPreferenceMaxWorkspace, maxWorkspace);
  setValue(kLtPreferenceReductionMask, kLtReductionComputeType);
  setValue(kLtPreferenceAlignmentA, alignment.first);
  setValue(kLtPreferenceAlignmentB, alignment.second);
  setValue(kLtPreferenceAlignmentC,
           plan.libraryAcc ? alignment.acc : alignment.sum);
  setValue(kLtPreferenceAlignmentD, alignment.sum);
  return status;
}

/// Partial sums in the type of the result, or in place, are not for us.
static bool sumsAsWeWant(const BlasLt &lt, const LtAlgo &algo) {
  uint32_t scheme = 0;
  size_t written = 0;
  return lt.algoConfigGet(&algo, kLtAlgoReductionScheme, &scheme,
                          sizeof(scheme), &written) == kLtSuccess &&
         (scheme == kLtReductionNone || scheme == kLtReductionComputeType);
}

LtStatus cuda::askAlgorithms(const BlasLt &lt, LtHandle handle, Plan &plan,
                             bool aligned, uint64_t maxWorkspace, int count,
                             std::vector<LtHeuristicResult> *results) {
  results->clear();
  LtMatmulDesc desc;
  LtPreference preference;
  // The library looks at the alignment of a pointer to the bias, only.
  const uintptr_t standIn = 4096;
  const uintptr_t bias =
      aligned ? standIn : standIn + alignmentOf(plan, false).bias;
  LtStatus status =
      buildDesc(lt, plan, plan.desc.scale_mode_b ? &standIn : nullptr,
                plan.desc.scale_mode_a ? &standIn : nullptr,
                reinterpret_cast<const void *>(bias), &desc);
  keep(&status, buildPreference(lt, plan, aligned, maxWorkspace, &preference));
  if (status != kLtSuccess)
    return status;
  std::vector<LtHeuristicResult> all(static_cast<size_t>(count));
  int found = 0;
  status = lt.getHeuristic(handle, &desc, &plan.first, &plan.second, &plan.acc,
                           &plan.sum, &preference, count, all.data(), &found);
  if (status != kLtSuccess)
    return status;
  for (int i = 0; i < found && i < count; ++i)
    if (all[i].state == kLtSuccess && all[i].workspaceSize <= maxWorkspace &&
        sumsAsWeWant(lt, all[i].algo))
      results->push_back(all[i]);
  return results->empty() ? kLtNotSupported : kLtSuccess;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

void Plan::take(const Choice &next) {
  choices.push_back(std::make_unique<const Choice>(next));
  choice.store(choices.back().get(), std::memory_order_release);
}

uint64_t Plan::workspaceOf(const Algorithm &algorithm) const {
  return sumBytes + algorithm.workspace;
}

uint64_t Plan::workspaceSize() const {
  const Choice &now = *choice.load(std::memory_order_acquire);
  const uint64_t aligned = workspaceOf(now.aligned);
  const uint64_t unaligned = workspaceOf(now.unaligned);
  return aligned > unaligned ? aligned : unaligned;
}
