//===- FakeGpuTest.cpp - The cuda backend on a stand-in -------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a real device does not do on request: a library without answers, other
// devices, algorithms that misbehave, files of plans that are changed anywhere.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include "fp8rt/tools.h"
#include <dlfcn.h>
#include <fstream>
#include <sstream>
#include <stdlib.h>
#include <unistd.h>

using namespace fp8test;

static const int32_t E4M3 = FP8RT_F8E4M3FN;

namespace {
class FakeGpuTest : public ::testing::Test {
protected:
  void SetUp() override {
    pretend("FP8RT_LIBCUDA", FP8_FAKE_GPU_LIBRARY);
    pretend("FP8RT_CUBLASLT", FP8_FAKE_GPU_LIBRARY);
    char path[] = "/tmp/fp8rt-fake-XXXXXX";
    ASSERT_NE(mkdtemp(path), nullptr);
    folder = path;
  }
  void TearDown() override {
    fp8rt_context_destroy(context);
    for (const std::string &name : variables)
      unsetenv(name.c_str());
    if (system(("rm -r " + folder).c_str()))
      ADD_FAILURE() << folder;
  }

  void pretend(const char *name, const std::string &value) {
    setenv(name, value.c_str(), 1);
    variables.push_back(name);
  }

  /// Replaces the context.
  fp8rt_context *open(const char *planCache = "") {
    fp8rt_context_destroy(context);
    const fp8rt_context_options options = {sizeof(options), "cuda", 0, 0,
                                           planCache};
    EXPECT_EQ(fp8rt_context_create(&options, &context), FP8RT_OK)
        << fp8rt_last_error();
    return context;
  }

  static long calls(const char *function) {
    void *library = dlopen(FP8_FAKE_GPU_LIBRARY, RTLD_NOW);
    return reinterpret_cast<long (*)(const char *)>(
        dlsym(library, "fp8fake_calls"))(function);
  }
  static long allocations() {
    void *library = dlopen(FP8_FAKE_GPU_LIBRARY, RTLD_NOW);
    return reinterpret_cast<long (*)()>(
        dlsym(library, "fp8fake_allocations"))();
  }

  /// Ones of FP8 in memory that is aligned as the device has it.
  struct Ones {
    explicit Ones(int32_t typeD = FP8RT_BF16, int32_t typeB = E4M3)
        : m(E4M3, typeB, typeD, {16, 16, 32, 1, false, true}) {
      m.fillA(1).fillB(1);
      memcpy(a, m.a.bytes.data(), sizeof(a));
      memcpy(b, m.b.bytes.data(), sizeof(b));
      memset(d, 0xa5, sizeof(d));
      args.struct_size = sizeof(args);
      args.a = a, args.b = b, args.d = d;
      args.workspace = workspace;
      args.workspace_size = sizeof(workspace);
    }
    bool isUntouched() const {
      for (unsigned char byte : d)
        if (byte != 0xa5)
          return false;
      return true;
    }
    double result() const { return decode(m.desc.type_d, d); }

    Matmul m;
    fp8rt_matmul_args args = {};
    alignas(256) unsigned char a[512], b[512], d[1024], workspace[8192];
  };

  std::string readCache() const {
    std::ifstream stream(fp8rt_plan_cache_path(context), std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  fp8rt_context *context = nullptr;
  std::string folder;
  std::vector<std::string> variables;
};
} // namespace

// C25 e: no algorithm is an error, and the result is not touched.
TEST_F(FakeGpuTest, C25HeuristicWithoutResults) {
  pretend("FP8FAKE_ALGORITHMS", "0");
  open();
  Ones ones;
  EXPECT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_UNSUPPORTED);
  EXPECT_STREQ(fp8rt_last_error(),
               "cuBLASLt: has no algorithm for f8E4M3FN x f8E4M3FN -> bf16, "
               "M 16, N 16, K 32, trans_b: CUBLAS_STATUS_NOT_SUPPORTED (15)");
  EXPECT_EQ(fp8rt_matmul(context, &ones.m.desc, &ones.args, nullptr),
            FP8RT_NOT_PREPARED);
  EXPECT_TRUE(ones.isUntouched());
}

// C25 d.
TEST_F(FakeGpuTest, C25DeviceWithoutFp8) {
  pretend("FP8FAKE_ARCH", "80");
  open();
  Ones ones;
  EXPECT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_UNSUPPORTED);
  EXPECT_STREQ(fp8rt_last_error(), "desc: expects sm_89 or later for FP8 "
                                   "operands, but the device is sm_80");
}

TEST_F(FakeGpuTest, NoDevice) {
  pretend("FP8FAKE_DEVICES", "0");
  const fp8rt_context_options options = {sizeof(options), "cuda", 0, 0, ""};
  EXPECT_EQ(fp8rt_context_create(&options, &context), FP8RT_FAILED);
  EXPECT_STREQ(fp8rt_last_error(), "CUDA driver: finds no device");
}

// After prepare: no heuristic, no allocation, no plan is made.
TEST_F(FakeGpuTest, CallsAskNothing) {
  open();
  Ones ones;
  ASSERT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_OK);
  const long asked = calls("cublasLtMatmulAlgoGetHeuristic");
  const long before = calls("cublasLtMatmul");
  EXPECT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_OK);
  for (int i = 0; i < 10; ++i)
    ASSERT_EQ(fp8rt_matmul(context, &ones.m.desc, &ones.args, nullptr),
              FP8RT_OK);
  EXPECT_EQ(calls("cublasLtMatmulAlgoGetHeuristic"), asked);
  EXPECT_EQ(calls("cublasLtMatmul"), before + 10);
  EXPECT_EQ(ones.result(), 32);
}

// A kernel of ours runs exactly where the library cannot do it all.
TEST_F(FakeGpuTest, WhoDoesWhat) {
  open();
  const auto kernels = [&](Ones &ones) {
    EXPECT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_OK)
        << fp8rt_last_error();
    const long before = calls("fp8rt_finish_f32");
    EXPECT_EQ(fp8rt_matmul(context, &ones.m.desc, &ones.args, nullptr),
              FP8RT_OK)
        << fp8rt_last_error();
    return calls("fp8rt_finish_f32") - before;
  };
  alignas(16) float descales[16];
  alignas(16) uint16_t biases[16];
  std::fill(descales, descales + 16, 0.5f);
  std::fill(biases, biases + 16, uint16_t(0x3f80));
  Ones plain;
  EXPECT_EQ(kernels(plain), 0);
  Ones outer;
  outer.m.desc.scale_mode_a = outer.m.desc.scale_mode_b = FP8RT_SCALE_OUTER;
  outer.args.descale_a = outer.args.descale_b = descales;
  EXPECT_EQ(kernels(outer), 0);
  EXPECT_EQ(outer.result(), 8);
  Ones mixed;
  mixed.m.desc.scale_mode_a = FP8RT_SCALE_OUTER;
  mixed.args.descale_a = descales;
  EXPECT_EQ(kernels(mixed), 1);
  EXPECT_EQ(mixed.result(), 16);
  for (int32_t type : {FP8RT_BF16, FP8RT_F32}) {
    Ones bias(type);
    bias.m.desc.type_bias = FP8RT_BF16;
    bias.args.bias = biases;
    EXPECT_EQ(kernels(bias), type == FP8RT_F32);
    EXPECT_EQ(bias.result(), 33);
  }
}

TEST_F(FakeGpuTest, FastAccumulationIsPassedOn) {
  open();
  for (int32_t fast : {0, 1}) {
    Ones ones;
    ones.m.desc.fast_accum = fast;
    ASSERT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_OK);
    const long before = calls("fast accumulation");
    ASSERT_EQ(fp8rt_matmul(context, &ones.m.desc, &ones.args, nullptr),
              FP8RT_OK);
    EXPECT_EQ(calls("fast accumulation") - before, fast);
  }
}

// In the fake, each algorithm is faster than those before it, but they are
// wrong in one way or another.
TEST_F(FakeGpuTest, TuningRejectsWhatMisbehaves) {
  pretend("FP8FAKE_ALGORITHMS", "7");
  pretend("FP8FAKE_BAD", "1");
  open(folder.c_str());
  Ones ones;
  fp8rt_tune_result result;
  const long before = allocations();
  ASSERT_EQ(fp8rt_tune(context, &ones.m.desc, 1, nullptr, &result), FP8RT_OK)
      << fp8rt_last_error();
  EXPECT_EQ(allocations(), before);
  // Algorithm 2 sums in the type of the result and is not tried at all.
  EXPECT_EQ(result.tried, 6);
  EXPECT_EQ(result.rejected, 5);
  EXPECT_EQ(result.best, 0);
  EXPECT_EQ(result.changed, 0);
}

TEST_F(FakeGpuTest, TuningTakesTheFastest) {
  open(folder.c_str());
  Ones ones;
  ASSERT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_OK);
  uint64_t bytes = 1;
  ASSERT_EQ(fp8rt_matmul_workspace_size(context, &ones.m.desc, &bytes),
            FP8RT_OK);
  EXPECT_EQ(bytes, 0u);
  fp8rt_tune_result result;
  ASSERT_EQ(fp8rt_tune(context, &ones.m.desc, 1, nullptr, &result), FP8RT_OK);
  EXPECT_EQ(result.tried, 3);
  EXPECT_EQ(result.rejected, 0);
  EXPECT_EQ(result.best, 2);
  EXPECT_EQ(result.changed, 1);
  EXPECT_NEAR(result.default_time, 100, 1);
  EXPECT_NEAR(result.best_time, 25, 1);
  ASSERT_EQ(fp8rt_matmul_workspace_size(context, &ones.m.desc, &bytes),
            FP8RT_OK);
  EXPECT_EQ(bytes, 3072u);
  EXPECT_EQ(fp8rt_matmul(context, &ones.m.desc, &ones.args, nullptr), FP8RT_OK);
  EXPECT_EQ(ones.result(), 32);
}

TEST_F(FakeGpuTest, PreparedMatmuls) {
  open();
  uint64_t count = 7;
  ASSERT_EQ(fp8rt_prepared_matmuls(context, nullptr, 0, &count), FP8RT_OK);
  EXPECT_EQ(count, 0u);
  Ones first, second(FP8RT_F32);
  for (const Ones *ones : {&first, &second, &first})
    ASSERT_EQ(fp8rt_matmul_prepare(context, &ones->m.desc), FP8RT_OK);
  fp8rt_matmul_desc descs[3] = {};
  ASSERT_EQ(fp8rt_prepared_matmuls(context, descs, 3, &count), FP8RT_OK);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(memcmp(&descs[0], &first.m.desc, sizeof(descs[0])), 0);
  EXPECT_EQ(memcmp(&descs[1], &second.m.desc, sizeof(descs[1])), 0);
  char text[256];
  uint64_t length = 0;
  ASSERT_EQ(fp8rt_describe_matmul(&descs[1], text, sizeof(text), &length),
            FP8RT_OK);
  EXPECT_STREQ(text, "f8E4M3FN x f8E4M3FN -> f32, M 16, N 16, K 32, trans_b");
  EXPECT_EQ(length, strlen(text));
  ASSERT_EQ(fp8rt_describe_matmul(&descs[1], text, 9, &length), FP8RT_OK);
  EXPECT_STREQ(text, "f8E4M3FN");
  // Less room than there are: all are counted, and no more written.
  descs[1] = {};
  ASSERT_EQ(fp8rt_prepared_matmuls(context, descs, 1, &count), FP8RT_OK);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(descs[1].struct_size, 0u);
  EXPECT_EQ(fp8rt_prepared_matmuls(context, nullptr, 1, &count),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_EQ(fp8rt_prepared_matmuls(context, nullptr, 0, nullptr),
            FP8RT_INVALID_ARGUMENT);
  ASSERT_EQ(fp8rt_prepared_matmuls(nullptr, nullptr, 0, &count), FP8RT_OK);
  EXPECT_EQ(count, 0u);
}

TEST_F(FakeGpuTest, TuningRunsOutOfMemory) {
  pretend("FP8FAKE_MEMORY", "1000");
  open();
  Ones ones;
  const long before = allocations();
  EXPECT_EQ(fp8rt_tune(context, &ones.m.desc, 1, nullptr, nullptr),
            FP8RT_FAILED);
  EXPECT_NE(std::string(fp8rt_last_error()).find("device memory: expects "),
            std::string::npos);
  EXPECT_EQ(allocations(), before);
}

// A file for another version has another name; one that lies about it is stale.
TEST_F(FakeGpuTest, AnotherVersionOfTheLibrary) {
  open(folder.c_str());
  Ones ones;
  ASSERT_EQ(fp8rt_tune(context, &ones.m.desc, 1, nullptr, nullptr), FP8RT_OK);
  const std::string old = fp8rt_plan_cache_path(context);
  EXPECT_EQ(old, folder + "/Fake-GPU-1-2-cublaslt-130100.json");
  pretend("FP8FAKE_VERSION", "130200");
  open(folder.c_str());
  EXPECT_STREQ(fp8rt_plan_cache_message(context), "");
  const std::string renewed = fp8rt_plan_cache_path(context);
  ASSERT_EQ(rename(old.c_str(), renewed.c_str()), 0);
  open(folder.c_str());
  EXPECT_EQ(fp8rt_plan_cache_message(context),
            "plan cache " + renewed +
                ": not used: expects cublaslt 130200, but got 130100");
}

TEST_F(FakeGpuTest, PlacesOfTheCache) {
  pretend("HOME", "/nowhere/home");
  pretend("XDG_CACHE_HOME", folder);
  open(nullptr);
  const std::string name = "/Fake-GPU-1-2-cublaslt-130100.json";
  EXPECT_EQ(fp8rt_plan_cache_path(context), folder + "/fp8" + name);
  pretend("XDG_CACHE_HOME", "relative");
  open(nullptr);
  EXPECT_EQ(fp8rt_plan_cache_path(context), "/nowhere/home/.cache/fp8" + name);
  pretend("FP8_PLAN_CACHE", folder + "/plans");
  open(nullptr);
  EXPECT_EQ(fp8rt_plan_cache_path(context), folder + "/plans" + name);
  pretend("FP8_PLAN_CACHE", "");
  open(nullptr);
  EXPECT_STREQ(fp8rt_plan_cache_path(context), "");
}

TEST_F(FakeGpuTest, CacheThatCannotBeWritten) {
  open("/proc/nowhere");
  Ones ones;
  EXPECT_EQ(fp8rt_tune(context, &ones.m.desc, 1, nullptr, nullptr),
            FP8RT_FAILED);
  EXPECT_NE(std::string(fp8rt_last_error()).find("plan cache /proc/nowhere/"),
            std::string::npos)
      << fp8rt_last_error();
}

// A folder in the place of the file, or a pipe, which would wait for ever.
TEST_F(FakeGpuTest, CacheThatIsNoFile) {
  open(folder.c_str());
  const std::string path = fp8rt_plan_cache_path(context);
  for (const char *make : {"mkdir ", "mkfifo "}) {
    ASSERT_EQ(system((make + path).c_str()), 0);
    open(folder.c_str());
    EXPECT_NE(std::string(fp8rt_plan_cache_message(context)), "");
    ASSERT_EQ(system(("rm -r " + path).c_str()), 0);
  }
}

// The library has the last word on an algorithm.
TEST_F(FakeGpuTest, AlgorithmThatTheLibraryRefuses) {
  open(folder.c_str());
  Ones ones;
  ASSERT_EQ(fp8rt_tune(context, &ones.m.desc, 1, nullptr, nullptr), FP8RT_OK);
  open(folder.c_str());
  EXPECT_STREQ(fp8rt_plan_cache_message(context), "");
  // Supported nowhere but on paper: the plan has no algorithms any more.
  pretend("FP8FAKE_REFUSE", "1");
  ASSERT_EQ(fp8rt_matmul_prepare(context, &ones.m.desc), FP8RT_OK);
  EXPECT_NE(std::string(fp8rt_plan_cache_message(context))
                .find("the library refuses the algorithm for f8E4M3FN"),
            std::string::npos)
      << fp8rt_plan_cache_message(context);
}

// Every byte of the file changed, and every length of it: never a crash, never
// another result.
TEST_F(FakeGpuTest, CacheThatIsChangedAnywhere) {
  open(folder.c_str());
  Ones ones;
  ASSERT_EQ(fp8rt_tune(context, &ones.m.desc, 1, nullptr, nullptr), FP8RT_OK);
  const std::string path = fp8rt_plan_cache_path(context);
  const std::string good = readCache();
  const auto use = [&](const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
    open(folder.c_str());
    const std::string message = fp8rt_plan_cache_message(context);
    Ones again;
    ASSERT_EQ(fp8rt_matmul_prepare(context, &again.m.desc), FP8RT_OK);
    ASSERT_EQ(fp8rt_matmul(context, &again.m.desc, &again.args, nullptr),
              FP8RT_OK);
    ASSERT_EQ(again.result(), 32) << message;
  };
  for (size_t i = 0; i < good.size(); ++i) {
    std::string text = good;
    text[i] = static_cast<char>(good[i] ^ (1 << i % 7));
    use(text);
    if (i % 8 == 0)
      use(good.substr(0, i));
  }
}
