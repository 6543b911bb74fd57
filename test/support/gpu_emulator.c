/*===- gpu_emulator.c - run NVIDIA kernels on a CPU ---------------*- C -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests without a GPU: fp8rt's calls for kernels, which run the kernels'
// LLVM IR compiled for the CPU (test/support/emulated.py). Blocks run one after
// the other, the threads of a block as coroutines that switch where they meet:
at
// barriers and in exchanges within a subgroup. A barrier that not all threads
// reach ends the process. FP8_EMULATOR_ORDER=reverse runs threads from the last
to
// the first, so that a result that depends on their order shows.
//
//===----------------------------------------------------------------------===*/

#define _GNU_SOURCE
#include "fp8rt/fp8rt.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { kMaxThreads = 1024, kSubgroup = 32, kStack = 96 * 1024, kMaxArgs = 48 };
enum State { Ready, AtBarrier, InExchange, Done };

typedef int64_t Word;
typedef void Kernel(Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                    Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                    Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                    Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,
                    Word, Word, Word, Word, Word, Word, Word, Word);

static ucontext_t scheduler, threads[kMaxThreads];
static char *stacks;
static enum State state[kMaxThreads];
static int32_t deposit[kMaxThreads];
static int current, count;
static int32_t block, blocks;
static Kernel *kernel;
static Word args[kMaxArgs];

static void die(const char *message) {
  fprintf(stderr, "gpu_emulator: error: %s\n", message);
  exit(3);
}

static void runThread(void) {
  Word *a = args;
  kernel(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
         a[11], a[12], a[13], a[14], a[15], a[16], a[17], a[18], a[19], a[20],
         a[21], a[22], a[23], a[24], a[25], a[26], a[27], a[28], a[29], a[30],
         a[31], a[32], a[33], a[34], a[35], a[36], a[37], a[38], a[39], a[40],
         a[41], a[42], a[43], a[44], a[45], a[46], a[47]);
  state[current] = Done;
}

static void wait(enum State why) {
  int self = current;
  state[self] = why;
  swapcontext(&threads[self], &scheduler);
}

/* Whether all threads in [begin, end) that run are in `want`. */
static int allAre(enum State want, int begin, int end) {
  for (int i = begin; i < end; ++i)
    if (state[i] != want && state[i] != Done)
      return 0;
  return 1;
}

static int release(enum State from, int begin, int end) {
  int released = 0;
  for (int i = begin; i < end; ++i)
    if (state[i] == from) {
      state[i] = Ready;
      released = 1;
    }
  return released;
}

static void runBlock(int reverse) {
  for (int i = 0; i < count; ++i) {
    getcontext(&threads[i]);
    threads[i].uc_stack.ss_sp = stacks + (size_t)i * kStack;
    threads[i].uc_stack.ss_size = kStack;
    threads[i].uc_link = &scheduler;
    makecontext(&threads[i], runThread, 0);
    state[i] = Ready;
  }
  for (;;) {
    for (int i = 0; i < count; ++i) {
      current = reverse ? count - 1 - i : i;
      if (state[current] == Ready)
        swapcontext(&scheduler, &threads[current]);
    }
    if (allAre(Done, 0, count))
      return;
    int moved = 0;
    for (int w = 0; w < count; w += kSubgroup) {
      int end = w + kSubgroup < count ? w + kSubgroup : count;
      if (allAre(InExchange, w, end))
        moved |= release(InExchange, w, end);
    }
    if (!moved && allAre(AtBarrier, 0, count))
      moved = release(AtBarrier, 0, count);
    if (!moved)
      die("threads wait for each other at different places");
  }
}

//===----------------------------------------------------------------------===//
// What kernels call
//===----------------------------------------------------------------------===//

int32_t emu_tid(void) { return current; }
int32_t emu_ctaid(void) { return block; }
int32_t emu_nctaid(void) { return blocks; }
int32_t emu_ntid(void) { return count; }

/* How often threads came to a barrier since the last call of this. */
static int64_t numBarriers;
int64_t emu_count_barriers(void) {
  int64_t result = numBarriers;
  numBarriers = 0;
  return result;
}

void emu_barrier(int32_t id) {
  ++numBarriers;
  wait(AtBarrier);
}

/* A value of each thread of the subgroup. */
static int exchange(int32_t value) {
  int self = current;
  deposit[self] = value;
  wait(InExchange);
  return self;
}

int32_t emu_redux_max(int32_t value, int32_t mask) {
  int self = exchange(value), first = self / kSubgroup * kSubgroup;
  int32_t result = INT32_MIN;
  for (int i = first; i < first + kSubgroup && i < count; ++i)
    result = deposit[i] > result ? deposit[i] : result;
  /* Nobody may deposit again before all have read. */
  wait(InExchange);
  return result;
}

int32_t emu_shfl_bfly_value(int32_t mask, int32_t value, int32_t distance,
                            int32_t clamp) {
  int self = exchange(value);
  int32_t result = deposit[self ^ distance];
  wait(InExchange);
  return result;
}

float emu_shfl_bfly_float(int32_t mask, float value, int32_t distance,
                          int32_t clamp) {
  int32_t bits;
  memcpy(&bits, &value, 4);
  bits = emu_shfl_bfly_value(mask, bits, distance, clamp);
  memcpy(&value, &bits, 4);
  return value;
}

float emu_rcp_approx(float x) { return 1.0f / x; }

/* f32 to fp8: the nearest of all values, ties to even, saturating. */
static uint8_t fp8(float x, int mantissa, int bias, uint8_t top) {
  static float values[2][128];
  static int ready[2];
  float *v = values[mantissa == 2];
  if (!ready[mantissa == 2]) {
    for (int c = 0; c <= top; ++c) {
      int e = c >> mantissa, m = c & ((1 << mantissa) - 1);
      v[c] = e ? ldexpf(1.0f + ldexpf(m, -mantissa), e - bias)
               : ldexpf(m, 1 - bias - mantissa);
    }
    ready[mantissa == 2] = 1;
  }
  if (isnan(x))
    return 0x7f;
  uint8_t sign = signbit(x) ? 0x80 : 0;
  float a = fabsf(x);
  if (a >= v[top])
    return sign | top;
  int low = 0, high = top;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (v[middle] <= a)
      low = middle;
    else
      high = middle;
  }
  float below = a - v[low], above = v[high] - a;
  int up = above < below || (above == below && (low & 1));
  return sign | (up ? high : low);
}

uint16_t emu_e4m3x2(float high, float low) {
  return (uint16_t)(fp8(high, 3, 7, 0x7e) << 8 | fp8(low, 3, 7, 0x7e));
}

uint16_t emu_e5m2x2(float high, float low) {
  return (uint16_t)(fp8(high, 2, 15, 0x7b) << 8 | fp8(low, 2, 15, 0x7b));
}

static uint32_t toBf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return isnan(x) ? 0x7fff : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* Two of them, in one register like a float. */
float emu_bf16x2(float high, float low) {
  uint32_t pair = toBf16(high) << 16 | toBf16(low);
  memcpy(&low, &pair, 4);
  return low;
}

/* f32 to bf16, which libgcc of Debian 12 lacks. The result is in the low half of
   the register that a float is returned in. */
float __truncsfbf2(float x) {
  uint32_t half = toBf16(x);
  memcpy(&x, &half, 4);
  return x;
}

//===----------------------------------------------------------------------===//
// What compiled functions call
//===----------------------------------------------------------------------===//

static void *library;

/* Kernels of the library at `path` run from now on. */
int32_t emu_load(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    die(dlerror());
  return 0;
}

int32_t fp8rt_binary_prepare(fp8rt_context *context,
                             const fp8rt_binary *binary) {
  return FP8RT_OK;
}

int32_t fp8rt_memset(fp8rt_context *context, void *pointer, int32_t value,
                     uint64_t bytes, fp8rt_stream *stream) {
  memset(pointer, value, bytes);
  return FP8RT_OK;
}

/* Runs the kernel `name` with `numArgs` words. */
void emu_run(const char *name, int32_t grid, int32_t threadCount,
             const int64_t *words, int32_t numArgs) {
  const char *order = getenv("FP8_EMULATOR_ORDER");
  if (!stacks)
    stacks = malloc((size_t)kMaxThreads * kStack);
  if (numArgs > kMaxArgs || threadCount > kMaxThreads)
    die("a launch is out of range");
  kernel = (Kernel *)dlsym(library, name);
  if (!kernel)
    die(dlerror());
  memcpy(args, words, (size_t)numArgs * sizeof(Word));
  count = threadCount;
  blocks = grid;
  for (block = 0; block < blocks; ++block)
    runBlock(order && strcmp(order, "reverse") == 0);
}

int32_t fp8rt_launch(fp8rt_context *context, const fp8rt_binary *binary,
                     uint32_t number, const fp8rt_launch_dims *dims,
                     void *const *pointers, fp8rt_stream *stream) {
  Word words[kMaxArgs];
  if (number >= binary->num_kernels || dims->num_args > kMaxArgs)
    die("a launch is out of range");
  for (uint32_t i = 0; i < dims->num_args; ++i)
    memcpy(&words[i], pointers[i], sizeof(Word));
  emu_run(binary->kernel_names[number], dims->grid[0], dims->block[0], words,
          dims->num_args);
  return FP8RT_OK;
}
