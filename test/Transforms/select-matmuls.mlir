// RUN: fp8-opt --fp8-select-matmuls="exclude=router|^lm min-m=2 min-n=8 min-k=4" %s | FileCheck %s --check-prefixes=CHECK,FILTER
// RUN: fp8-opt --fp8-select-matmuls="include=fc" %s | FileCheck %s --check-prefixes=CHECK,INCLUDE
// RUN: fp8-opt --fp8-select-matmuls="target=sm_90 pad=false backward=true" %s | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: fp8-opt --fp8-select-matmuls="target=sm_90 pad=false" %s | FileCheck %s --check-prefixes=CHECK,ROWS
// RUN: fp8-opt --fp8-select-matmuls="target=sm_90" %s | FileCheck %s --check-prefixes=CHECK,PAD
// RUN: fp8-opt --fp8-select-matmuls="pad=false" %s | FileCheck %s --check-prefixes=CHECK,PAD
// RUN: fp8-opt --fp8-select-matmuls="pad=false alignment=16" %s | FileCheck %s --check-prefixes=CHECK,SM90

// CHECK-LABEL: func @names
//      FILTER:   name "router" {fp8.convert = "never", fp8.reason = "its name matches 'router|^lm'"} :
//      FILTER:   name "lm_head" {fp8.convert = "never", fp8.reason = "its name matches 'router|^lm'"} :
//      FILTER:   name "fc" :
//     INCLUDE:   name "router" {fp8.convert = "never", fp8.reason = "its name does not match 'fc'"} :
//     INCLUDE:   name "lm_head" {fp8.convert = "never", fp8.reason = "its name does not match 'fc'"} :
//     INCLUDE:   name "fc" :
//         PAD:   name "router" :
//        SM90:   name "router" :
func.func @names(%x: tensor<16x16xbf16>, %w: tensor<16x16xbf16>) -> (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>) {
  %0 = fp8.matmul %x, %w name "router" : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xbf16>
  %1 = fp8.matmul %x, %w name "lm_head" : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xbf16>
  %2 = fp8.matmul %x, %w name "fc" : tensor<16x16xbf16>, tensor<16x16xbf16> -> tensor<16x16xbf16>
  return %0, %1, %2 : tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>
}

// CHECK-LABEL: func @least_m
//      FILTER:   {fp8.convert = "never", fp8.reason = "M = 1 is less than 2"}
//        SM90:   {fp8.convert = "never", fp8.reason = "M = 1 is no multiple of 16"}
//        ROWS:   name "fc" :
//         PAD:   name "fc" :
func.func @least_m(%x: tensor<1x16xbf16>, %w: tensor<16x16xbf16>) -> tensor<1x16xbf16> {
  %0 = fp8.matmul %x, %w name "fc" : tensor<1x16xbf16>, tensor<16x16xbf16> -> tensor<1x16xbf16>
  return %0 : tensor<1x16xbf16>
}

// CHECK-LABEL: func @least_n
//      FILTER:   {fp8.convert = "never", fp8.reason = "N = 4 is less than 8"}
//        SM90:   {fp8.convert = "never", fp8.reason = "N = 4 is no multiple of 16"}
//        ROWS:   {fp8.convert = "never", fp8.reason = "N = 4 is no multiple of 16"}
//         PAD:   name "fc" :
func.func @least_n(%x: tensor<16x16xbf16>, %w: tensor<4x16xbf16>) -> tensor<16x4xbf16> {
  %0 = fp8.matmul %x, %w trans_b name "fc" : tensor<16x16xbf16>, tensor<4x16xbf16> -> tensor<16x4xbf16>
  return %0 : tensor<16x4xbf16>
}

// CHECK-LABEL: func @least_k
//      FILTER:   {fp8.convert = "never", fp8.reason = "K = 2 is less than 4"}
//        SM90:   {fp8.convert = "never", fp8.reason = "K = 2 is no multiple of 16"}
//         PAD:   name "fc" :
func.func @least_k(%x: tensor<2x16xbf16>, %w: tensor<2x16xbf16>) -> tensor<16x16xbf16> {
  %0 = fp8.matmul %x, %w trans_a name "fc" : tensor<2x16xbf16>, tensor<2x16xbf16> -> tensor<16x16xbf16>
  return %0 : tensor<16x16xbf16>
}

// A dynamic size may be anything, which M may be on sm_90; as K of the weight
// gradient it may not.
// CHECK-LABEL: func @dynamic
//        SM90:   {fp8.convert = "never", fp8.reason = "M may be no multiple of 16"}
//        ROWS:   name "fc" :
//      FILTER:   name "fc" :
//         PAD:   name "fc" :
func.func @dynamic(%x: tensor<?x16xbf16>, %w: tensor<16x16xbf16>) -> tensor<?x16xbf16> {
  %0 = fp8.matmul %x, %w name "fc" : tensor<?x16xbf16>, tensor<16x16xbf16> -> tensor<?x16xbf16>
  return %0 : tensor<?x16xbf16>
}

// The attribute wins over every filter.
// CHECK-LABEL: func @override
//       CHECK:   name "router" {fp8.convert = "always"} :
//       CHECK:   name "fc" {fp8.convert = "never"} :
func.func @override(%x: tensor<1x2xbf16>, %w: tensor<2x4xbf16>, %v: tensor<4x16xbf16>) -> tensor<1x16xbf16> {
  %0 = fp8.matmul %x, %w name "router" {fp8.convert = "always"} : tensor<1x2xbf16>, tensor<2x4xbf16> -> tensor<1x4xbf16>
  %1 = fp8.matmul %0, %v name "fc" {fp8.convert = "never"} : tensor<1x4xbf16>, tensor<4x16xbf16> -> tensor<1x16xbf16>
  return %1 : tensor<1x16xbf16>
}
