//===- TuneTest.cpp - Tuning on a device ----------------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans are tuned, kept in a file and found again.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "../../../../lib/Runtime/Common/DescKey.h"
#include <fstream>
#include <sstream>
#include <stdlib.h>

using namespace fp8test;

static const int32_t E4M3 = FP8RT_F8E4M3FN;

namespace {
class CudaTuneTest : public DeviceTest {
protected:
  void SetUp() override {
    DeviceTest::SetUp();
    char path[] = "/tmp/fp8rt-tune-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    folder = path;
  }
  void TearDown() override {
    DeviceTest::TearDown();
    if (system(("rm -r " + folder).c_str()))
      ADD_FAILURE() << folder;
  }

  static Matmul makeMatmul(int64_t m, int64_t n, int64_t k,
                           int32_t type = FP8RT_BF16) {
    Matmul matmul(E4M3, E4M3, type, {m, n, k, 1, false, true});
    matmul.fillA(1).fillB(2);
    matmul.setDescales(FP8RT_SCALE_TENSOR, {0.5f}, FP8RT_SCALE_TENSOR, {1});
    return matmul;
  }

  static std::string readFile(const std::string &path) {
    std::ifstream stream(path, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }
  static void writeFile(const std::string &path, const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  std::string folder;
};
} // namespace

TEST_F(CudaTuneTest, RoundTrip) {
  const int64_t size = isFake() ? 32 : 1024;
  fp8rt_context *tuning = makeContext((folder + "/deep/er").c_str());
  ASSERT_NE(tuning, nullptr);
  std::vector<Matmul> matmuls;
  matmuls.push_back(makeMatmul(size, size, size));
  matmuls.push_back(makeMatmul(size, 2 * size, size, FP8RT_F32));
  matmuls[1].desc.fast_accum = 1;
  matmuls.push_back(makeMatmul(3 * size, size, size));
  matmuls[2].withRandomBias(FP8RT_F32, 1);
  std::vector<fp8rt_matmul_desc> descs;
  for (const Matmul &m : matmuls)
    descs.push_back(m.desc);
  std::vector<fp8rt_tune_result> results(descs.size());
  ASSERT_FP8(
      fp8rt_tune(tuning, descs.data(), descs.size(), nullptr, results.data()));
  for (const fp8rt_tune_result &result : results) {
    EXPECT_GT(result.tried, 0);
    EXPECT_EQ(result.rejected, 0);
    EXPECT_GT(result.best_time, 0);
    EXPECT_LE(result.best_time, result.default_time);
    printf("           tried %d, %.2f us for %.2f us, algorithm %d, workspace "
           "%llu\n",
           result.tried, result.best_time, result.default_time, result.best,
           static_cast<unsigned long long>(result.workspace_size));
  }
  EXPECT_STREQ(fp8rt_plan_cache_message(tuning), "");

  fp8rt_context *using_ = makeContext((folder + "/deep/er").c_str());
  EXPECT_STREQ(fp8rt_plan_cache_path(using_), fp8rt_plan_cache_path(tuning));
  for (size_t i = 0; i < matmuls.size(); ++i) {
    ASSERT_FP8(fp8rt_matmul_prepare(using_, &descs[i]));
    uint64_t tuned = 0, found = 0;
    ASSERT_FP8(fp8rt_matmul_workspace_size(tuning, &descs[i], &tuned));
    ASSERT_FP8(fp8rt_matmul_workspace_size(using_, &descs[i], &found));
    EXPECT_EQ(tuned, found);
  }
  EXPECT_STREQ(fp8rt_plan_cache_message(using_), "");
  DeviceMatmul device(using_, matmuls[0]);
  device.run();
  EXPECT_EQ(matmuls[0].result(1, 2), static_cast<double>(size));
}

TEST_F(CudaTuneTest, OtherPlansStayInTheFile) {
  const Matmul first = makeMatmul(32, 32, 64), second = makeMatmul(32, 48, 64);
  for (const Matmul *m : {&first, &second}) {
    fp8rt_context *tuning = makeContext(folder.c_str());
    ASSERT_FP8(fp8rt_tune(tuning, &m->desc, 1, nullptr, nullptr));
  }
  const std::string text =
      readFile(fp8rt_plan_cache_path(makeContext(folder.c_str())));
  EXPECT_NE(text.find("N 32"), std::string::npos) << text;
  EXPECT_NE(text.find("N 48"), std::string::npos) << text;
}

TEST_F(CudaTuneTest, ProgressAndStopping) {
  struct Seen {
    int calls = 0;
    int last = -1;
    int stopAt = -1;
  } seen;
  fp8rt_tune_options options = {};
  options.struct_size = sizeof(options);
  options.iterations = 2;
  options.algorithms = 3;
  options.user = &seen;
  options.progress = [](void *user, uint64_t index, uint64_t count,
                        int32_t step, int32_t steps) {
    auto &seen = *static_cast<Seen *>(user);
    ++seen.calls;
    EXPECT_LE(step, steps);
    seen.last = step == steps ? 1 : 0;
    return int32_t(seen.calls == seen.stopAt);
  };
  const Matmul m = makeMatmul(32, 32, 32);
  ASSERT_FP8(fp8rt_tune(context, &m.desc, 1, &options, nullptr));
  EXPECT_GE(seen.calls, 4);
  EXPECT_EQ(seen.last, 1);
  seen.calls = 0;
  seen.stopAt = 2;
  EXPECT_EQ(fp8rt_tune(context, &m.desc, 1, &options, nullptr), FP8RT_FAILED);
  EXPECT_STREQ(fp8rt_last_error(), "tuning: was stopped");
  EXPECT_EQ(seen.calls, 2);
}

// Any change of the file: a reason, and the plans without tuning.
TEST_F(CudaTuneTest, DamagedFiles) {
  const Matmul m = makeMatmul(32, 32, 64);
  fp8rt_context *tuning = makeContext(folder.c_str());
  ASSERT_FP8(fp8rt_tune(tuning, &m.desc, 1, nullptr, nullptr));
  const std::string path = fp8rt_plan_cache_path(tuning);
  const std::string good = readFile(path);
  const auto replaced = [&](const std::string &from, const std::string &to) {
    std::string text = good;
    const size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  };
  const size_t algorithm = good.find("\"algorithm\": \"") + 14;
  std::string flipped = good;
  flipped[algorithm + 5] = flipped[algorithm + 5] == '1' ? '2' : '1';
  const std::pair<std::string, std::string> cases[] = {
      {"", "ends early"},
      {good.substr(0, good.size() / 2), ""},
      {good + "x", "expects the end"},
      {replaced("\"version\": 1", "\"version\": 2"), "expects version 1, but "},
      {replaced("\"cublaslt\": ", "\"cublaslt\": 9"), "expects cublaslt "},
      {replaced("\"device\": \"", "\"device\": \"X"), "expects device '"},
      {replaced("fp8rt plans", "other"), "is no file of plans"},
      {flipped, "plan 0 is damaged"},
      {replaced("\"m\": 32", "\"m\": 33"), "plan 0 is damaged"},
      {std::string(100000, '['), "is nested too deeply"},
      {std::string("\0\1\2", 3), "expects a value"}};
  for (const auto &[text, reason] : cases) {
    writeFile(path, text);
    fp8rt_context *user = makeContext(folder.c_str());
    ASSERT_NE(user, nullptr);
    const std::string message = fp8rt_plan_cache_message(user);
    EXPECT_NE(message.find(path + ": not used: "), std::string::npos)
        << message;
    EXPECT_NE(message.find(reason), std::string::npos) << message;
    Matmul copy = m;
    DeviceMatmul(user, copy).run();
    EXPECT_EQ(copy.result(0, 0), 64);
  }
  // Tuning again puts a good file in its place and keeps the other one.
  fp8rt_context *again = makeContext(folder.c_str());
  ASSERT_FP8(fp8rt_tune(again, &m.desc, 1, nullptr, nullptr));
  EXPECT_STREQ(fp8rt_plan_cache_message(makeContext(folder.c_str())), "");
  EXPECT_EQ(readFile(path + ".unusable"), cases[10].first);
}

// Files that are sound but for what they say of the algorithm, which only the
// library can judge.
TEST_F(CudaTuneTest, HostileAlgorithms) {
  const Matmul m = makeMatmul(32, 32, 64);
  fp8rt_context *tuning = makeContext(folder.c_str());
  ASSERT_FP8(fp8rt_tune(tuning, &m.desc, 1, nullptr, nullptr));
  const std::string path = fp8rt_plan_cache_path(tuning);
  const std::string good = readFile(path);
  const auto hex = [](const uint64_t *words, size_t count) {
    std::string text;
    char digits[17];
    for (size_t i = 0; i < count; ++i) {
      snprintf(digits, sizeof(digits), "%016llx",
               static_cast<unsigned long long>(words[i]));
      text += digits;
    }
    return text;
  };
  const auto put = [](std::string text, const std::string &key,
                      const std::string &value) {
    const size_t at = text.find("\"" + key + "\": ") + key.size() + 4;
    const size_t end = text.find_first_of(",}", at);
    return text.replace(at, end - at, value);
  };
  for (uint64_t seed = 0; seed < 64; ++seed) {
    // Zeros, then words that are ever wilder.
    uint64_t words[8] = {};
    for (size_t i = 0; i < 8 && seed; ++i)
      words[i] = fp8rt::hashWords(&seed, 1) * (2 * i + 1) >>
                 (seed < 32 ? 64 - 2 * seed : 0);
    if (seed == 0 || seed >= 48)
      words[0] = seed ? 66 + seed % 8 : 0;
    const auto id = static_cast<int32_t>(words[0]);
    const uint64_t parts[] = {hashOf(fp8rt::DescKey(m.desc)),
                              fp8rt::hashWords(words, 8),
                              static_cast<uint64_t>(int64_t(id))};
    const uint64_t checksum = fp8rt::hashWords(parts, 3);
    std::string text = put(good, "algorithm", '"' + hex(words, 8) + '"');
    text = put(text, "algorithm_id", std::to_string(id));
    text = put(text, "checksum", '"' + hex(&checksum, 1) + '"');
    writeFile(path, text);
    fp8rt_context *user = makeContext(folder.c_str());
    ASSERT_STREQ(fp8rt_plan_cache_message(user), "") << text;
    Matmul copy = m;
    DeviceMatmul(user, copy).run();
    EXPECT_EQ(copy.result(31, 31), 64) << seed;
    EXPECT_NE(std::string(fp8rt_plan_cache_message(user)).find("refuses"),
              std::string::npos)
        << seed;
    contexts.pop_back();
    fp8rt_context_destroy(user);
  }
}

TEST_F(CudaTuneTest, CpuHasNothingToTune) {
  const Matmul m = makeMatmul(16, 16, 16);
  fp8rt_tune_result result = {1, 1, 1, 1, 1, 1, 1};
  ASSERT_FP8(fp8rt_tune(nullptr, &m.desc, 1, nullptr, &result));
  EXPECT_EQ(result.tried, 0);
  EXPECT_STREQ(fp8rt_plan_cache_path(nullptr), "");
}
