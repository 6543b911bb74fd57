// Calls a compiled linear layer as a C program does, and prints what comes back.
#include "linear.h"
#include <stdio.h>
#include <stdlib.h>

static uint16_t x[64 * 128], w[256 * 128], y[64 * 256];

static int fail(const char *what, int32_t status) {
  printf("%s: %s: %s\n", what, fp8rt_status_name(status), fp8rt_last_error());
  return 1;
}

int main(int argc, char **argv) {
  // Ones in bf16; every sum is 128.
  for (int i = 0; i < 64 * 128; ++i)
    x[i] = 0x3f80;
  for (int i = 0; i < 256 * 128; ++i)
    w[i] = 0x3f80;
  int64_t xs[] = {argc > 1 ? atoi(argv[1]) : 64, 128};
  int64_t ws[] = {256, 128}, ys[] = {64, 256};
  fp8rt_tensor tensors[] = {{x, xs, NULL, 2, FP8RT_BF16},
                            {w, ws, NULL, 2, FP8RT_BF16},
                            {y, ys, NULL, 2, FP8RT_BF16}};
  uint64_t bytes;
  int32_t status;
  if ((status = linear_workspace(tensors, &bytes)))
    return fail("linear_workspace", status);
  void *workspace = aligned_alloc(256, (bytes + 255) / 256 * 256);
  if ((status = linear_prepare(tensors, NULL)))
    return fail("linear_prepare", status);
  if ((status = linear(tensors, NULL, workspace, NULL)))
    return fail("linear", status);
  for (int i = 0; i < 64 * 256; ++i)
    if (y[i] != 0x4300)
      return fail("wrong result", i);
  printf("128 everywhere\n");
  free(workspace);
  return 0;
}
