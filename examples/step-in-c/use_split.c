// Calls the two functions of a compiled linear layer as a C program does: what
// the backward function takes of the forward function is in the header.
#include "step.h"
#include <stdio.h>
#include <stdlib.h>

enum { M = 64, K = 128, N = 256, kArguments = 2, kMost = 16 };

static int fail(const char *what, int32_t status) {
  printf("%s: %s: %s\n", what, fp8rt_status_name(status), fp8rt_last_error());
  return 1;
}

static fp8rt_tensor makeOnes(const int64_t *sizes) {
  uint16_t *data = malloc(sizes[0] * sizes[1] * 2);
  for (int64_t i = 0; i < sizes[0] * sizes[1]; ++i)
    data[i] = 0x3f80;
  return (fp8rt_tensor){data, sizes, NULL, 2, FP8RT_BF16};
}

static int isEverywhere(fp8rt_tensor tensor, uint16_t bits) {
  const uint16_t *data = tensor.data;
  for (int64_t i = 0; i < tensor.sizes[0] * tensor.sizes[1]; ++i)
    if (data[i] != bits)
      return 0;
  return 1;
}

#define RUN(name, tensors)                                                     \
  do {                                                                         \
    uint64_t bytes;                                                            \
    int32_t status;                                                            \
    if ((status = name##_workspace(tensors, &bytes)))                          \
      return fail(#name "_workspace", status);                                 \
    void *workspace = aligned_alloc(256, (bytes + 255) / 256 * 256);           \
    if ((status = name##_prepare(tensors, NULL)) ||                            \
        (status = name(tensors, NULL, workspace, NULL)))                       \
      return fail(#name, status);                                              \
    free(workspace);                                                           \
  } while (0)

int main(void) {
  const int64_t xs[] = {M, K}, ws[] = {N, K}, ys[] = {M, N};
  // As the header says: descale and bytes of x and of w.
  static const int64_t none[1];
  static float descales[2];
  static uint8_t qx[M * K], qw[N * K];
  fp8rt_tensor forward[] = {makeOnes(xs),
                            makeOnes(ws),
                            makeOnes(ys),
                            {&descales[0], none, NULL, 0, FP8RT_F32},
                            {qx, xs, NULL, 2, FP8RT_F8E4M3FN},
                            {&descales[1], none, NULL, 0, FP8RT_F32},
                            {qw, ws, NULL, 2, FP8RT_F8E4M3FN}};
  RUN(step_forward, forward);

  fp8rt_tensor backward[kMost];
  int count = sizeof(step_backward_from) / sizeof(step_backward_from[0]);
  for (int i = 0; i < count; ++i)
    backward[i] = step_backward_from[i] < 0 ? makeOnes(ys)
                                            : forward[step_backward_from[i]];
  fp8rt_tensor dx = makeOnes(xs), dw = makeOnes(ws);
  backward[count] = dx;
  backward[count + 1] = dw;
  RUN(step_backward, backward);
  // Sums of K, N and M ones.
  printf("y %d dx %d dw %d\n", isEverywhere(forward[2], 0x4300),
         isEverywhere(dx, 0x4380), isEverywhere(dw, 0x4280));
  return 0;
}
