//===- Tune.cpp - Tuning of plans -----------------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tries the algorithms of one matmul after the other: first whether each is
// right, then, all of them in turns, how fast it is.
//
//===----------------------------------------------------------------------===//

#include "../Common/Contain.h"
#include "../Common/Error.h"
#include "TuneBuffers.h"

#include <algorithm>

using namespace fp8rt;
using namespace fp8rt::cuda;

namespace {
struct Candidate {
  Algorithm algorithm;
  bool good = false;
  /// Microseconds of each round.
  std::vector<float> times;

  double median() const {
    std::vector<float> sorted = times;
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
};
} // namespace

namespace fp8rt::cuda {
/// Tunes one desc.
class Tuner {
public:
  Tuner(CudaContext &context, const fp8rt_tune_options &options,
        CuStream stream)
      : context(context), options(options), stream(stream) {}
  ~Tuner();

  /// Tunes `plan`. `report` is told of each of so many steps, and stops the
  /// tuning with a status.
  template <class Report> int32_t run(Plan &plan, Report report);

  fp8rt_tune_result result = {};
  /// The fastest; only after run().
  Algorithm best;

private:
  int32_t collect(Plan &plan);
  int32_t tryOne(const Plan &plan, TuneBuffers &buffers, Candidate &candidate,
                 bool isReference);
  int32_t time(const Plan &plan, const TuneBuffers &buffers,
               Candidate &candidate);
  void choose(const Plan &plan);

  CudaContext &context;
  const fp8rt_tune_options &options;
  CuStream stream;
  CuEvent start = nullptr, stop = nullptr;
  std::vector<Candidate> candidates;
  /// Calls between two events, so that short ones can be timed.
  int calls = 1;
};
} // namespace fp8rt::cuda

static constexpr int kRepeats = 3;

Tuner::~Tuner() {
  if (start)
    context.cu.eventDestroy(start);
  if (stop)
    context.cu.eventDestroy(stop);
}

/// Asks with several limits of the workspace: the library keeps back what needs
/// less than another answer. The first one is what a plan has without tuning.
int32_t Tuner::collect(Plan &plan) {
  const int count = options.algorithms ? options.algorithms : 32;
  const uint64_t most =
      options.max_workspace ? options.max_workspace : kMaxWorkspace;
  std::vector<LtHeuristicResult> results;
  for (uint64_t limit : {kMaxWorkspace, most, uint64_t(4) << 20, uint64_t(0)}) {
    if (limit > most)
      continue;
    askAlgorithms(context.lt, context.handle, plan, /*aligned=*/true, limit,
                  count, &results);
    for (const LtHeuristicResult &found : results) {
      const auto isSame = [&](const Candidate &other) {
        return memcmp(&other.algorithm.algo, &found.algo, sizeof(found.algo)) ==
               0;
      };
      if (std::any_of(candidates.begin(), candidates.end(), isSame))
        continue;
      candidates.emplace_back();
      candidates.back().algorithm.algo = found.algo;
      candidates.back().algorithm.workspace = found.workspaceSize;
      candidates.back().algorithm.present = true;
    }
  }
  if (candidates.empty())
    return fail(FP8RT_FAILED, "cuBLASLt: has no algorithm to tune for %s",
                describe(plan.desc).c_str());
  return FP8RT_OK;
}

int32_t Tuner::tryOne(const Plan &plan, TuneBuffers &buffers,
                      Candidate &candidate, bool isReference) {
  for (int i = 0; i < kRepeats; ++i) {
    if (int32_t status = buffers.clear(candidate.algorithm.workspace))
      return status;
    // The library may refuse an algorithm that its heuristic gave.
    if (context.run(plan, candidate.algorithm, buffers.args(), stream))
      return FP8RT_OK;
    if (i == 0) {
      if (isReference)
        if (int32_t status = buffers.keepAsReference())
          return status;
      if (int32_t status = buffers.keepAsFirst())
        return status;
    }
    Difference difference;
    if (int32_t status = i == 0 ? buffers.compareWithReference(&difference)
                                : buffers.compareWithFirst(&difference))
      return status;
    const bool wrong = i == 0 ? difference.values : difference.bits;
    if (wrong || difference.guards)
      return FP8RT_OK;
  }
  candidate.good = true;
  return FP8RT_OK;
}

int32_t Tuner::time(const Plan &plan, const TuneBuffers &buffers,
                    Candidate &candidate) {
  const Driver &cu = context.cu;
  if (int32_t status = cu.check(cu.eventRecord(start, stream), "cuEventRecord"))
    return status;
  for (int i = 0; i < calls; ++i)
    if (int32_t status =
            context.run(plan, candidate.algorithm, buffers.args(), stream))
      return status;
  if (int32_t status = cu.check(cu.eventRecord(stop, stream), "cuEventRecord"))
    return status;
  if (int32_t status =
          cu.check(cu.eventSynchronize(stop), "cuEventSynchronize"))
    return status;
  float milliseconds = 0;
  if (int32_t status = cu.check(cu.eventElapsedTime(&milliseconds, start, stop),
                                "cuEventElapsedTime"))
    return status;
  candidate.times.push_back(milliseconds * 1000 / static_cast<float>(calls));
  return FP8RT_OK;
}

void Tuner::choose(const Plan &plan) {
  size_t fastest = 0;
  for (size_t i = 1; i < candidates.size(); ++i) {
    const Candidate &each = candidates[i];
    if (!each.good)
      continue;
    const Candidate &chosen = candidates[fastest];
    // A hair's breadth is noise, and the library's own choice as good.
    const double worth = fastest == 0 ? 0.99 : 1;
    if (!chosen.good || each.median() < worth * chosen.median())
      fastest = i;
  }
  best = candidates[fastest].algorithm;
  result.best = static_cast<int32_t>(fastest);
  result.best_time = candidates[fastest].median();
  result.default_time = candidates[0].median();
  result.tried = static_cast<int32_t>(candidates.size());
  for (const Candidate &each : candidates)
    result.rejected += !each.good;
  result.workspace_size = plan.workspaceOf(best);
}

template <class Report> int32_t Tuner::run(Plan &plan, Report report) {
  const Driver &cu = context.cu;
  if (int32_t status = collect(plan))
    return status;
  uint64_t workspace = 0;
  for (const Candidate &each : candidates)
    workspace = std::max(workspace, each.algorithm.workspace);
  TuneBuffers buffers(context, plan, stream);
  if (int32_t status = buffers.open(workspace))
    return status;
  for (CuEvent *event : {&start, &stop})
    if (int32_t status =
            cu.check(cu.eventCreate(event, kCuEventDefault), "cuEventCreate"))
      return status;

  const int rounds = options.iterations ? options.iterations : 15;
  const int steps = static_cast<int>(candidates.size()) + rounds;
  int step = 0;
  for (Candidate &each : candidates) {
    if (int32_t status = report(step++, steps))
      return status;
    if (int32_t status = tryOne(plan, buffers, each, step == 1))
      return status;
  }
  // Short calls are timed in rows, of 200 microseconds or more.
  if (int32_t status = time(plan, buffers, candidates[0]))
    return status;
  const float once = std::max(candidates[0].times.back(), 1.0f);
  calls = std::clamp(static_cast<int>(200 / once), 1, 32);
  candidates[0].times.clear();
  for (int round = 0; round < rounds; ++round) {
    if (int32_t status = report(step++, steps))
      return status;
    for (Candidate &each : candidates)
      if (each.good || &each == candidates.data())
        if (int32_t status = time(plan, buffers, each))
          return status;
  }
  choose(plan);
  return report(steps, steps);
}

/// What the plan cache keeps of `tuner`'s work.
static TunedPlan makeTunedPlan(const BlasLt &lt, const fp8rt_matmul_desc &desc,
                               const Tuner &tuner) {
  TunedPlan plan;
  plan.desc = desc;
  plan.desc.struct_size = sizeof(desc);
  memcpy(plan.algorithm, &tuner.best.algo, sizeof(plan.algorithm));
  int32_t id = 0;
  size_t written = 0;
  lt.algoConfigGet(&tuner.best.algo, kLtAlgoId, &id, sizeof(id), &written);
  plan.algorithmId = id;
  plan.time = tuner.result.best_time;
  plan.defaultTime = tuner.result.default_time;
  return plan;
}

int32_t CudaContext::tuneOne(const fp8rt_matmul_desc &desc, uint64_t index,
                             uint64_t count, const fp8rt_tune_options &options,
                             CuStream stream, std::vector<TunedPlan> *tuned,
                             fp8rt_tune_result *result) {
  *result = {};
  if (int32_t status = prepare(desc))
    return status;
  const std::unique_ptr<Plan> *known = plans.find(DescKey(desc));
  if (!known || !(*known)->usesLibrary)
    return FP8RT_OK;
  Plan &plan = **known;
  Tuner tuner(*this, options, stream);
  const auto report = [&](int step, int steps) {
    if (options.progress &&
        options.progress(options.user, index, count, step, steps))
      return fail(FP8RT_FAILED, "tuning: was stopped");
    return int32_t(FP8RT_OK);
  };
  if (int32_t status = tuner.run(plan, report))
    return status;

  const std::lock_guard<std::mutex> guard(planLock);
  Choice choice = *plan.choice.load();
  tuner.result.changed = memcmp(&choice.aligned.algo, &tuner.best.algo,
                                sizeof(tuner.best.algo)) != 0;
  choice.aligned = tuner.best;
  plan.take(choice);
  *result = tuner.result;
  tuned->push_back(makeTunedPlan(lt, desc, tuner));
  return FP8RT_OK;
}

int32_t CudaContext::tune(const fp8rt_matmul_desc *descs, uint64_t count,
                          const fp8rt_tune_options &options,
                          fp8rt_tune_result *results) {
  Current current(*this);
  if (current.status)
    return current.status;
  if (int32_t status = loadKernels())
    return status;
  CuStream stream = nullptr;
  if (int32_t status = cu.check(cu.streamCreate(&stream, kCuStreamNonBlocking),
                                "cuStreamCreate"))
    return status;
  std::vector<TunedPlan> tuned;
  int32_t status = FP8RT_OK;
  for (uint64_t i = 0; i < count && !status; ++i) {
    fp8rt_tune_result result = {};
    status = contain([&] {
      return tuneOne(descs[i], i, count, options, stream, &tuned, &result);
    });
    if (results)
      results[i] = result;
  }
  cu.streamDestroy(stream);
  const std::lock_guard<std::mutex> guard(planLock);
  const int32_t saved = cache.add(tuned);
  return status ? status : saved;
}
