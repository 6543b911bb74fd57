//===- CudaMatmul.cpp - The matmul of the cuda backend --------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes plans, and runs them: a look-up, checks of pointers, a descriptor on
// the stack, one call of the library and at most one kernel.
//
//===----------------------------------------------------------------------===//

#include "../Common/Error.h"
#include "../Common/Types.h"
#include "../Common/Validate.h"
#include "CudaContext.h"

using namespace fp8rt;
using namespace fp8rt::cuda;

static bool isEmpty(const fp8rt_matmul_desc &desc) {
  return desc.m == 0 || desc.n == 0 || desc.batch == 0;
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// Whether the library said no to the problem, rather than failing.
static bool isRefusal(LtStatus status) {
  return status == kLtInvalidValue || status == kLtNotSupported ||
         status == kLtArchMismatch;
}

static int32_t refusePlan(const BlasLt &lt, const fp8rt_matmul_desc &desc,
                          LtStatus status) {
  if (!isRefusal(status))
    return lt.check(status, "cublasLtMatmulAlgoGetHeuristic");
  const bool narrow = findType(desc.type_a)->kind == TypeKind::Narrow;
  const bool odd = desc.k % 16 || desc.ld_a % 16 || desc.ld_b % 16;
  char hint[160] = "";
  if (narrow && odd)
    snprintf(hint, sizeof(hint),
             "; K, ld_a and ld_b should be multiples of 16, but are %lld, %lld "
             "and %lld",
             (long long)desc.k, (long long)desc.ld_a, (long long)desc.ld_b);
  return fail(FP8RT_UNSUPPORTED, "cuBLASLt: has no algorithm for %s: %s (%d)%s",
              describe(desc).c_str(), lt.nameOf(status), status, hint);
}

static Algorithm takeResult(const std::vector<LtHeuristicResult> &results) {
  Algorithm algorithm;
  if (results.empty())
    return algorithm;
  algorithm.algo = results.front().algo;
  algorithm.workspace = results.front().workspaceSize;
  algorithm.present = true;
  return algorithm;
}

bool CudaContext::findTuned(const fp8rt_matmul_desc &desc, Plan &plan,
                            Algorithm *algorithm) {
  const TunedPlan *tuned = cache.find(desc);
  if (!tuned)
    return false;
  LtMatmulDesc ltDesc;
  const uintptr_t standIn = 4096;
  const auto *pointer = reinterpret_cast<const void *>(standIn);
  LtAlgo algo;
  memcpy(&algo, tuned->algorithm, sizeof(algo));
  int32_t id = -1;
  uint32_t scheme = 0;
  size_t written = 0;
  LtHeuristicResult result = {};
  const bool accepted =
      lt.algoConfigGet(&algo, kLtAlgoId, &id, sizeof(id), &written) ==
          kLtSuccess &&
      id == tuned->algorithmId &&
      lt.algoConfigGet(&algo, kLtAlgoReductionScheme, &scheme, sizeof(scheme),
                       &written) == kLtSuccess &&
      (scheme == kLtReductionNone || scheme == kLtReductionComputeType) &&
      buildDesc(lt, plan, plan.desc.scale_mode_b ? pointer : nullptr,
                plan.desc.scale_mode_a ? pointer : nullptr, pointer,
                &ltDesc) == kLtSuccess &&
      lt.algoCheck(handle, &ltDesc, &plan.first, &plan.second, &plan.acc,
                   &plan.sum, &algo, &result) == kLtSuccess;
  if (!accepted) {
    cache.note("plan cache " + cache.path() +
               ": the library refuses the algorithm for " + describe(desc));
    return false;
  }
  algorithm->algo = algo;
  algorithm->workspace = result.workspaceSize;
  algorithm->present = true;
  return true;
}

int32_t CudaContext::makePlan(const fp8rt_matmul_desc &desc,
                              std::unique_ptr<Plan> *made) {
  auto plan = std::make_unique<Plan>();
  if (int32_t status = planParts(desc, arch, plan.get()))
    return status;
  Choice choice;
  std::vector<LtHeuristicResult> results;
  while (plan->usesLibrary) {
    LtStatus status = buildLayouts(lt, plan.get());
    if (status == kLtSuccess)
      status = askAlgorithms(lt, handle, *plan, /*aligned=*/true, kMaxWorkspace,
                             1, &results);
    if (status == kLtSuccess)
      break;
    if (!isRefusal(status) || !handOver(plan.get()))
      return refusePlan(lt, desc, status);
  }
  if (plan->usesLibrary) {
    choice.aligned = takeResult(results);
    askAlgorithms(lt, handle, *plan, /*aligned=*/false, kMaxWorkspace, 1,
                  &results);
    choice.unaligned = takeResult(results);
    findTuned(desc, *plan, &choice.aligned);
  }
  if (plan->finishes)
    if (int32_t status = loadKernels())
      return status;
  plan->take(choice);
  *made = std::move(plan);
  return FP8RT_OK;
}

int32_t CudaContext::findOrMakePlan(const fp8rt_matmul_desc &desc,
                                    Plan **plan) {
  const DescKey key(desc);
  if (std::unique_ptr<Plan> *known = plans.find(key)) {
    *plan = known->get();
    return FP8RT_OK;
  }
  std::unique_ptr<Plan> made;
  if (int32_t status = makePlan(desc, &made))
    return status;
  *plan = made.get();
  plans.add(key,
            [&](std::unique_ptr<Plan> &value) { value = std::move(made); });
  return FP8RT_OK;
}

int32_t CudaContext::prepare(const fp8rt_matmul_desc &desc) {
  if (isEmpty(desc))
    return FP8RT_OK;
  Current current(*this);
  if (current.status)
    return current.status;
  const std::lock_guard<std::mutex> guard(planLock);
  Plan *plan = nullptr;
  return findOrMakePlan(desc, &plan);
}

int32_t CudaContext::workspaceSize(const fp8rt_matmul_desc &desc,
                                   uint64_t *bytes) {
  if (isEmpty(desc))
    return FP8RT_OK;
  const std::unique_ptr<Plan> *plan = plans.find(DescKey(desc));
  if (!plan)
    return refuse(desc, {});
  *bytes = (*plan)->workspaceSize();
  return FP8RT_OK;
}

int32_t CudaContext::preparedMatmuls(fp8rt_matmul_desc *descs,
                                     uint64_t capacity, uint64_t *count) {
  const std::lock_guard<std::mutex> guard(planLock);
  *count = 0;
  plans.forEach([&](const DescKey &key, const std::unique_ptr<Plan> &) {
    if (*count < capacity)
      descs[*count] = key.desc();
    ++*count;
  });
  return FP8RT_OK;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

int32_t CudaContext::refuse(const fp8rt_matmul_desc &desc,
                            const fp8rt_matmul_args &args) {
  return fail(FP8RT_NOT_PREPARED, "desc: was not prepared: %s",
              describe(desc).c_str());
}

static bool isAligned(const void *pointer, uint32_t alignment) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

namespace {
/// What a pointer is to be aligned to.
struct Aligned {
  const char *name;
  const void *pointer;
  uint32_t alignment;
};
} // namespace

static int32_t refuseAlignment(const Aligned &field) {
  return fail(FP8RT_INVALID_ARGUMENT,
              "args.%s: expects a pointer aligned to %u bytes, but got %p",
              field.name, field.alignment, field.pointer);
}

static int32_t checkAlignment(const Plan &plan, const fp8rt_matmul_args &args,
                              const Alignment &alignment) {
  // The library reads descales by 16 bytes.
  const uint32_t descale = plan.libraryDescales ? 16 : 4;
  const Aligned fields[] = {{"a", args.a, alignment.second},
                            {"b", args.b, alignment.first},
                            {"acc", args.acc, alignment.acc},
                            {"bias", args.bias, alignment.bias},
                            {"descale_a", args.descale_a, descale},
                            {"descale_b", args.descale_b, descale},
                            {"d", args.d, alignment.sum}};
  for (const Aligned &field : fields)
    if (!isAligned(field.pointer, field.alignment))
      return refuseAlignment(field);
  return FP8RT_OK;
}

/// The algorithm for the pointers of a call; null, and a status, if none is.
static const Algorithm *chooseAlgorithm(const Plan &plan,
                                        const fp8rt_matmul_args &args,
                                        int32_t *status) {
  const Choice &choice = *plan.choice.load(std::memory_order_acquire);
  const auto all = reinterpret_cast<uintptr_t>(args.a) |
                   reinterpret_cast<uintptr_t>(args.b) |
                   reinterpret_cast<uintptr_t>(args.acc) |
                   reinterpret_cast<uintptr_t>(args.bias) |
                   reinterpret_cast<uintptr_t>(args.d);
  const bool aligned = all % 16 == 0;
  *status = checkAlignment(plan, args, alignmentOf(plan, false));
  if (*status)
    return nullptr;
  if (aligned || !plan.usesLibrary)
    return &choice.aligned;
  if (choice.unaligned.present)
    return &choice.unaligned;
  *status = checkAlignment(plan, args, alignmentOf(plan, true));
  return *status ? nullptr : &choice.aligned;
}

static int32_t checkWorkspace(const Plan &plan, const Algorithm &algorithm,
                              const fp8rt_matmul_args &args) {
  const uint64_t needed = plan.workspaceOf(algorithm);
  if (needed == 0)
    return FP8RT_OK;
  if (!args.workspace || args.workspace_size < needed)
    return fail(FP8RT_INVALID_ARGUMENT,
                "args.workspace: expects %llu bytes, but got %llu",
                (unsigned long long)needed,
                (unsigned long long)(args.workspace ? args.workspace_size : 0));
  if (!isAligned(args.workspace, kWorkspaceAlignment))
    return refuseAlignment({"workspace", args.workspace, kWorkspaceAlignment});
  return FP8RT_OK;
}

int32_t CudaContext::matmul(const fp8rt_matmul_desc &desc,
                            const fp8rt_matmul_args &args,
                            fp8rt_stream *stream) {
  const std::unique_ptr<Plan> *known = plans.find(DescKey(desc));
  if (!known) {
    if (int32_t status = validateMatmul(desc, args))
      return status;
    return isEmpty(desc) ? FP8RT_OK : refuse(desc, args);
  }
  const Plan &plan = **known;
  if (int32_t status = validateArgs(desc, args))
    return status;
  int32_t status = FP8RT_OK;
  const Algorithm *algorithm = chooseAlgorithm(plan, args, &status);
  if (!algorithm)
    return status;
  if ((status = checkWorkspace(plan, *algorithm, args)))
    return status;
  Current current(*this);
  if (current.status)
    return current.status;
  return run(plan, *algorithm, args, reinterpret_cast<CuStream>(stream));
}

int32_t CudaContext::run(const Plan &plan, const Algorithm &algorithm,
                         const fp8rt_matmul_args &args, CuStream stream) {
  void *sum = plan.sumsInWorkspace ? args.workspace : args.d;
  if (plan.usesLibrary) {
    static const float ones32[] = {0, 1};
    static const double ones64[] = {0, 1};
    const bool wide64 = plan.scaleType == kLtF64;
    const auto scalar = [&](bool one) -> const void * {
      return wide64 ? static_cast<const void *>(&ones64[one]) : &ones32[one];
    };
    LtMatmulDesc desc;
    LtStatus status =
        buildDesc(lt, plan, args.descale_b, args.descale_a, args.bias, &desc);
    // The library takes layouts that are not const, and leaves them as they
    // are.
    Plan &shared = const_cast<Plan &>(plan);
    auto *workspace = static_cast<char *>(args.workspace);
    if (status == kLtSuccess)
      status =
          lt.matmul(handle, &desc, scalar(true), args.b, &shared.first, args.a,
                    &shared.second, scalar(plan.libraryAcc),
                    plan.libraryAcc ? args.acc : sum, &shared.acc, sum,
                    &shared.sum, &algorithm.algo,
                    algorithm.workspace ? workspace + plan.sumBytes : nullptr,
                    algorithm.workspace, stream);
    if (status != kLtSuccess)
      return lt.check(status, "cublasLtMatmul");
  }
  if (!plan.finishes)
    return FP8RT_OK;
  return launchFinish(plan, args, plan.usesLibrary ? sum : nullptr, stream);
}
