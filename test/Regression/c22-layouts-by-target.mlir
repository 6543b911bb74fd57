// C22: layout rules belong to the target, not to the op: B row-major verifies
// for all, costs a copy for sm_90, and none for the CPU and AMD.
// RUN: fp8-opt %s | FileCheck %s --check-prefix=NONE
// RUN: fp8-opt --fp8-assign-layouts=target=cpu %s | FileCheck %s --check-prefix=NONE
// RUN: fp8-opt --fp8-assign-layouts=target=gfx950 %s | FileCheck %s --check-prefix=NONE
// RUN: fp8-opt --fp8-assign-layouts=target=sm_90 %s | FileCheck %s --check-prefix=ONE

//  NONE-NOT: fp8.transpose
//      NONE: fp8.scaled_mm %arg0, %arg1 descales %arg2, %arg2 :
//  NONE-NOT: fp8.transpose

//       ONE: %[[T:.+]] = fp8.transpose %arg1
//   ONE-NOT: fp8.transpose
//       ONE: fp8.scaled_mm %arg0, %[[T]] descales %arg2, %arg2 trans_b :
func.func @f(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x24xf8E4M3FN>, %s: tensor<f32>) -> tensor<16x24xf32> {
  %0 = fp8.scaled_mm %a, %b descales %s, %s : tensor<16x32xf8E4M3FN>, tensor<32x24xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<16x24xf32>
  return %0 : tensor<16x24xf32>
}
