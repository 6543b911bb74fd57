//===- ErrorTest.cpp - Arguments that are refused -------------------------===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each check of the arguments: its status, its message with what was expected
// and what was found, and a result that stays untouched.
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"

#include <functional>
#include <string>
#include <thread>

using namespace fp8test;

using Change = std::function<void(fp8rt_matmul_desc &, fp8rt_matmul_args &)>;

static const int64_t kMost = INT64_MAX;

/// Runs a sound matmul, with everything in it, after `change`.
static void expectRefusal(int32_t status, const std::string &message,
                          const Change &change, int32_t type = FP8RT_F8E4M3FN) {
  const bool narrow = type == FP8RT_F8E4M3FN;
  Matmul m(type, type, type == FP8RT_F64 ? type : FP8RT_F32, {2, 3, 4, 2});
  m.randomize(1).withRandomAcc(FP8RT_F32, 2).withRandomBias(FP8RT_F32, 3);
  if (narrow)
    m.withRandomDescales(FP8RT_SCALE_TENSOR, FP8RT_SCALE_OUTER, 4);
  fp8rt_matmul_args args = m.args();
  const std::vector<unsigned char> before = m.d.bytes;
  change(m.desc, args);
  EXPECT_EQ(fp8rt_matmul(nullptr, &m.desc, &args, nullptr), status) << message;
  EXPECT_EQ(fp8rt_last_error(), message);
  EXPECT_EQ(m.d.bytes, before);
}

static void expectInvalid(const std::string &message, const Change &change,
                          int32_t type = FP8RT_F8E4M3FN) {
  expectRefusal(FP8RT_INVALID_ARGUMENT, message, change, type);
}

static void expectUnsupported(const std::string &message, const Change &change,
                              int32_t type = FP8RT_F8E4M3FN) {
  expectRefusal(FP8RT_UNSUPPORTED, message, change, type);
}

TEST(ErrorTest, NamesOfStatuses) {
  EXPECT_STREQ(fp8rt_status_name(FP8RT_OK), "FP8RT_OK");
  EXPECT_STREQ(fp8rt_status_name(FP8RT_INVALID_ARGUMENT),
               "FP8RT_INVALID_ARGUMENT");
  EXPECT_STREQ(fp8rt_status_name(FP8RT_UNSUPPORTED), "FP8RT_UNSUPPORTED");
  EXPECT_STREQ(fp8rt_status_name(FP8RT_FAILED), "FP8RT_FAILED");
  EXPECT_STREQ(fp8rt_status_name(FP8RT_NOT_PREPARED), "FP8RT_NOT_PREPARED");
  EXPECT_STREQ(fp8rt_status_name(77), "unknown fp8rt status");
}

TEST(ErrorTest, MessagesBelongToTheirThread) {
  EXPECT_EQ(fp8rt_matmul(nullptr, nullptr, nullptr, nullptr),
            FP8RT_INVALID_ARGUMENT);
  std::string other = "unset";
  std::thread([&] { other = fp8rt_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_STREQ(fp8rt_last_error(), "desc: expects a desc, but got null");
}

TEST(ErrorTest, MessageStaysAfterASuccess) {
  fp8rt_matmul(nullptr, nullptr, nullptr, nullptr);
  Matmul(FP8RT_F32, FP8RT_F32, FP8RT_F32, {1, 1, 1}).check();
  EXPECT_STREQ(fp8rt_last_error(), "desc: expects a desc, but got null");
}

TEST(ErrorTest, NullStructs) {
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {1, 1, 1});
  EXPECT_EQ(fp8rt_matmul(nullptr, &m.desc, nullptr, nullptr),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_STREQ(fp8rt_last_error(), "args: expects arguments, but got null");
}

TEST(ErrorTest, StreamOfADevice) {
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {1, 1, 1});
  const fp8rt_matmul_args args = m.args();
  int object = 0;
  auto *stream = reinterpret_cast<fp8rt_stream *>(&object);
  EXPECT_EQ(fp8rt_matmul(nullptr, &m.desc, &args, stream),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_STREQ(fp8rt_last_error(), "stream: expects null, as the CPU has no "
                                   "streams, but got one");
}

TEST(ErrorTest, StructSizes) {
  const std::string desc = std::to_string(sizeof(fp8rt_matmul_desc));
  expectInvalid("desc.struct_size: expects " + desc + ", but got 8",
                [](auto &d, auto &) { d.struct_size = 8; });
  expectInvalid("desc.struct_size: expects " + desc + ", but got 123456789",
                [](auto &d, auto &) { d.struct_size = 123456789; });
  const std::string args = std::to_string(sizeof(fp8rt_matmul_args));
  expectInvalid("args.struct_size: expects " + args + ", but got 0",
                [](auto &, auto &a) { a.struct_size = 0; });
}

// A caller with a newer header, which uses its new fields or does not.
TEST(ErrorTest, LongerStructs) {
  struct {
    fp8rt_matmul_desc known;
    int64_t more;
  } longer = {};
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {1, 1, 1});
  longer.known = m.desc;
  longer.known.struct_size = sizeof(longer);
  const fp8rt_matmul_args args = m.args();
  EXPECT_EQ(fp8rt_matmul(nullptr, &longer.known, &args, nullptr), FP8RT_OK);
  longer.more = 1;
  EXPECT_EQ(fp8rt_matmul(nullptr, &longer.known, &args, nullptr),
            FP8RT_UNSUPPORTED);
  const std::string size = std::to_string(sizeof(fp8rt_matmul_desc));
  EXPECT_EQ(fp8rt_last_error(),
            "desc: expects zeros after the " + size +
                " bytes that this library knows, but byte " + size + " is set");
}

TEST(ErrorTest, TypeNumbers) {
  expectInvalid("desc.type_a: expects an fp8rt_type, 0 to 13, but got 14",
                [](auto &d, auto &) { d.type_a = 14; });
  expectInvalid("desc.type_b: expects an fp8rt_type, 0 to 13, but got -1",
                [](auto &d, auto &) { d.type_b = -1; });
  expectInvalid("desc.type_d: expects an fp8rt_type, 0 to 13, but got 99",
                [](auto &d, auto &) { d.type_d = 99; });
  expectInvalid("desc.type_acc: expects an fp8rt_type, 0 to 13, but got 99",
                [](auto &d, auto &) { d.type_acc = 99; });
  expectInvalid("desc.type_bias: expects an fp8rt_type, 0 to 13, but got 99",
                [](auto &d, auto &) { d.type_bias = 99; });
}

TEST(ErrorTest, TypesOfOperands) {
  expectInvalid("desc.type_a: expects the type of an operand, but got none",
                [](auto &d, auto &) { d.type_a = FP8RT_NONE; });
  expectUnsupported("desc.type_b: expects an FP8 type with a significand or a "
                    "wide type, but got f8E8M0FNU",
                    [](auto &d, auto &) { d.type_b = FP8RT_F8E8M0FNU; });
  expectUnsupported("desc.type_b: expects two FP8 operands or two of the same "
                    "type, but got f8E4M3FN and bf16",
                    [](auto &d, auto &) { d.type_b = FP8RT_BF16; });
  expectUnsupported("desc.type_b: expects two FP8 operands or two of the same "
                    "type, but got bf16 and f16",
                    [](auto &d, auto &) {
                      d.type_a = FP8RT_BF16;
                      d.type_b = FP8RT_F16;
                    });
}

TEST(ErrorTest, TypesOfTheRest) {
  expectUnsupported("desc.type_d: expects f64, f32, f16 or bf16, but got "
                    "f8E5M2",
                    [](auto &d, auto &) { d.type_d = FP8RT_F8E5M2; });
  expectInvalid("desc.type_d: expects f64, f32, f16 or bf16, but got none",
                [](auto &d, auto &) { d.type_d = FP8RT_NONE; });
  expectUnsupported("desc.type_acc: expects f64, f32, f16 or bf16, but got "
                    "f8E4M3FN",
                    [](auto &d, auto &) { d.type_acc = FP8RT_F8E4M3FN; });
  expectUnsupported("desc.type_bias: expects f64, f32, f16 or bf16, but got "
                    "f8E4M3FNUZ",
                    [](auto &d, auto &) { d.type_bias = FP8RT_F8E4M3FNUZ; });
  expectUnsupported("desc.type_d: expects f64 exactly where the operands are "
                    "f64, but got f64 with operands of f8E4M3FN",
                    [](auto &d, auto &) { d.type_d = FP8RT_F64; });
  expectUnsupported(
      "desc.type_d: expects f64 exactly where the operands are f64, but got "
      "f32 with operands of f64",
      [](auto &d, auto &) { d.type_d = FP8RT_F32; }, FP8RT_F64);
}

TEST(ErrorTest, Modes) {
  expectInvalid("desc.scale_mode_a: expects 0 to 2, but got 3",
                [](auto &d, auto &) { d.scale_mode_a = 3; });
  expectInvalid("desc.scale_mode_b: expects 0 to 2, but got -1",
                [](auto &d, auto &) { d.scale_mode_b = -1; });
  expectInvalid("desc.trans_a: expects 0 to 1, but got 2",
                [](auto &d, auto &) { d.trans_a = 2; });
  expectInvalid("desc.trans_b: expects 0 to 1, but got 2",
                [](auto &d, auto &) { d.trans_b = 2; });
  expectInvalid("desc.fast_accum: expects 0 to 1, but got 2",
                [](auto &d, auto &) { d.fast_accum = 2; });
  expectUnsupported(
      "desc.scale_mode: expects no descales with operands of f64, but got "
      "modes 1 and 0",
      [](auto &d, auto &) { d.scale_mode_a = 1; }, FP8RT_F64);
}

TEST(ErrorTest, NegativeSizes) {
  const std::pair<const char *, int64_t fp8rt_matmul_desc::*> fields[] = {
      {"m", &fp8rt_matmul_desc::m},
      {"n", &fp8rt_matmul_desc::n},
      {"k", &fp8rt_matmul_desc::k},
      {"batch", &fp8rt_matmul_desc::batch},
      {"stride_a", &fp8rt_matmul_desc::stride_a},
      {"stride_b", &fp8rt_matmul_desc::stride_b},
      {"stride_d", &fp8rt_matmul_desc::stride_d},
      {"stride_acc", &fp8rt_matmul_desc::stride_acc},
      {"stride_bias", &fp8rt_matmul_desc::stride_bias},
      {"stride_descale_a", &fp8rt_matmul_desc::stride_descale_a},
      {"stride_descale_b", &fp8rt_matmul_desc::stride_descale_b}};
  for (const auto &field : fields)
    expectInvalid("desc." + std::string(field.first) +
                      ": expects 0 or more, but got -7",
                  [&](auto &d, auto &) { d.*field.second = -7; });
}

TEST(ErrorTest, LeadingDimensions) {
  expectInvalid("desc.ld_a: expects 4, the length of a row, or more, but got 3",
                [](auto &d, auto &) { d.ld_a = 3; });
  expectInvalid("desc.ld_b: expects 3, the length of a row, or more, but got 2",
                [](auto &d, auto &) { d.ld_b = 2; });
  expectInvalid("desc.ld_b: expects 4, the length of a row, or more, but got 3",
                [](auto &d, auto &) {
                  d.trans_b = 1;
                  d.ld_b = 3;
                });
  expectInvalid("desc.ld_a: expects 2, the length of a row, or more, but got 1",
                [](auto &d, auto &) {
                  d.trans_a = 1;
                  d.ld_a = 1;
                });
  expectInvalid("desc.ld_d: expects 3, the length of a row, or more, but got 0",
                [](auto &d, auto &) { d.ld_d = 0; });
  expectInvalid(
      "desc.ld_acc: expects 3, the length of a row, or more, but got -3",
      [](auto &d, auto &) { d.ld_acc = -3; });
}

TEST(ErrorTest, SizesBeyondTheAddressSpace) {
  const std::string most = std::to_string(kMost);
  expectInvalid("desc: expects operand a to fit in 2^63 bytes, but got 2 x 2 "
                "rows of 4, ld " +
                    most + ", stride 8",
                [](auto &d, auto &) { d.ld_a = kMost; });
  expectInvalid("desc: expects operand b to fit in 2^63 bytes, but got 2 x 4 "
                "rows of 3, ld 3, stride " +
                    most,
                [](auto &d, auto &) { d.stride_b = kMost; });
  expectInvalid("desc: expects operand d to fit in 2^63 bytes, but got 2 x 2 "
                "rows of 3, ld 3, stride " +
                    std::to_string(kMost / 3),
                [](auto &d, auto &) { d.stride_d = kMost / 3; });
  expectInvalid("desc: expects operand acc to fit in 2^63 bytes, but got 2 x "
                "2 rows of 3, ld " +
                    std::to_string(kMost / 2) + ", stride 11",
                [](auto &d, auto &) { d.ld_acc = kMost / 2; });
  expectInvalid("desc: expects operand bias to fit in 2^63 bytes, but got 2 x "
                "1 rows of 3, ld 3, stride " +
                    most,
                [](auto &d, auto &) { d.stride_bias = kMost; });
  expectInvalid("desc: expects operand descale_a to fit in 2^63 bytes, but got "
                "2 x 1 rows of 1, ld 1, stride " +
                    most,
                [](auto &d, auto &) { d.stride_descale_a = kMost; });
  expectInvalid("desc: expects operand descale_b to fit in 2^63 bytes, but got "
                "2 x 1 rows of 3, ld 3, stride " +
                    most,
                [](auto &d, auto &) { d.stride_descale_b = kMost; });
}

TEST(ErrorTest, BatchesOfTheResultOverlap) {
  expectInvalid("desc.stride_d: expects batches of the result that do not "
                "overlap, but got stride 0 with 2 rows of 3, ld 3",
                [](auto &d, auto &) { d.stride_d = 0; });
  expectInvalid("desc.stride_d: expects batches of the result that do not "
                "overlap, but got stride 5 with 2 rows of 3, ld 3",
                [](auto &d, auto &) { d.stride_d = 5; });
}

TEST(ErrorTest, PointersThatAreMissing) {
  const auto missing = [](const char *name) {
    return "args." + std::string(name) + ": expects a pointer, but got null";
  };
  expectInvalid(missing("a"), [](auto &, auto &a) { a.a = nullptr; });
  expectInvalid(missing("b"), [](auto &, auto &a) { a.b = nullptr; });
  expectInvalid(missing("d"), [](auto &, auto &a) { a.d = nullptr; });
  expectInvalid(missing("acc"), [](auto &, auto &a) { a.acc = nullptr; });
  expectInvalid(missing("bias"), [](auto &, auto &a) { a.bias = nullptr; });
  expectInvalid(missing("descale_a"),
                [](auto &, auto &a) { a.descale_a = nullptr; });
  expectInvalid(missing("descale_b"),
                [](auto &, auto &a) { a.descale_b = nullptr; });
}

TEST(ErrorTest, PointersThatNobodyAskedFor) {
  const auto unasked = [](const std::string &name) {
    return "args." + name + ": expects null, as desc asks for no " + name +
           ", but got a pointer";
  };
  expectInvalid(unasked("acc"),
                [](auto &d, auto &) { d.type_acc = FP8RT_NONE; });
  expectInvalid(unasked("bias"),
                [](auto &d, auto &) { d.type_bias = FP8RT_NONE; });
  expectInvalid(unasked("descale_a"),
                [](auto &d, auto &) { d.scale_mode_a = FP8RT_SCALE_NONE; });
  expectInvalid(unasked("descale_b"),
                [](auto &d, auto &) { d.scale_mode_b = FP8RT_SCALE_NONE; });
}

TEST(ErrorTest, AccumulatorThatIsTheResultButLaidOutOtherwise) {
  const std::string d = "args.acc: expects f32, ld 3, stride 6 of d, which it "
                        "is, but got ";
  const auto alias = [](auto &desc, auto &args, int32_t type, int64_t ld,
                        int64_t stride) {
    args.acc = args.d;
    desc.type_acc = type;
    desc.ld_acc = ld;
    desc.stride_acc = stride;
  };
  expectInvalid(d + "bf16, ld 3, stride 6", [&](auto &desc, auto &args) {
    alias(desc, args, FP8RT_BF16, 3, 6);
  });
  expectInvalid(d + "f32, ld 4, stride 6", [&](auto &desc, auto &args) {
    alias(desc, args, FP8RT_F32, 4, 6);
  });
  expectInvalid(d + "f32, ld 3, stride 7", [&](auto &desc, auto &args) {
    alias(desc, args, FP8RT_F32, 3, 7);
  });
}

// One batch has no stride to the next.
TEST(ErrorTest, AccumulatorThatIsTheResultInOneBatch) {
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {2, 3, 4});
  m.randomize(1);
  ASSERT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
  m.accIsResult = true;
  m.desc.type_acc = FP8RT_F32;
  m.desc.ld_acc = m.desc.ld_d;
  m.check();
}

TEST(ErrorTest, EmptyOperandsSpanNothing) {
  Matmul m(FP8RT_F32, FP8RT_F32, FP8RT_F32, {0, 3, 4});
  m.desc.ld_a = m.desc.ld_d = kMost;
  EXPECT_EQ(m.run(), FP8RT_OK) << fp8rt_last_error();
}

// k = 0 and an empty result need no operands at all.
TEST(ErrorTest, NullPointersToNothing) {
  Matmul m(FP8RT_F8E4M3FN, FP8RT_F8E4M3FN, FP8RT_F32, {0, 3, 4});
  fp8rt_matmul_args args = {};
  args.struct_size = sizeof(args);
  EXPECT_EQ(fp8rt_matmul(nullptr, &m.desc, &args, nullptr), FP8RT_OK);
  Matmul sum(FP8RT_F8E4M3FN, FP8RT_F8E4M3FN, FP8RT_F32, {2, 3, 0});
  args.d = sum.args().d;
  EXPECT_EQ(fp8rt_matmul(nullptr, &sum.desc, &args, nullptr), FP8RT_OK);
  EXPECT_EQ(sum.result(1, 2), 0);
}

// Sizes that follow from others, for some of the tensors.
TEST(ErrorTest, DependentSizes) {
  const int64_t any[] = {-1, -1}, first[] = {2, 3}, last[] = {5, 0};
  const fp8rt_tensor_spec specs[] = {{"x", any, 2, FP8RT_F32},
                                     {"s", any, 0, FP8RT_F32},
                                     {"y", any, 2, FP8RT_F32}};
  const fp8rt_tensor tensors[] = {{nullptr, first, nullptr, 2, FP8RT_F32},
                                  {nullptr, nullptr, nullptr, 0, FP8RT_F32},
                                  {nullptr, last, nullptr, 2, FP8RT_F32}};
  const int64_t indices[] = {2, 1, 0};
  const int64_t good[] = {5, 0, 2, 3}, bad[] = {5, 0, 2, 4}, worse[] = {5, 1};
  EXPECT_EQ(fp8rt_check_sizes(tensors, specs, indices, 3, good), FP8RT_OK);
  EXPECT_EQ(fp8rt_check_sizes(tensors, specs, indices, 2, bad), FP8RT_OK);
  EXPECT_EQ(fp8rt_check_sizes(tensors, specs, indices, 3, bad),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_STREQ(fp8rt_last_error(),
               "tensor 0 (x): expects size 4 in dimension 1 for these "
               "arguments, but got 3");
  EXPECT_EQ(fp8rt_check_sizes(tensors, specs, indices, 1, worse),
            FP8RT_INVALID_ARGUMENT);
  EXPECT_STREQ(fp8rt_last_error(),
               "tensor 2 (y): expects size 1 in dimension 1 for these "
               "arguments, but got 0");
}
