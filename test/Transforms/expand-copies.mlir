// RUN: fp8-opt --fp8-expand-copies %s | FileCheck %s

// CHECK-LABEL: func @strided
//   CHECK-NOT:   memref.copy
//       CHECK:   linalg.generic {{.*}} ins(%arg0 {{.*}} outs(%arg1
//       CHECK:   return
func.func @strided(%x: memref<4x3xi8>, %y: memref<4x3xi8, strided<[16, 1]>>) {
  memref.copy %x, %y : memref<4x3xi8> to memref<4x3xi8, strided<[16, 1]>>
  return
}

// Negative: a copy of bytes in a row.
// CHECK-LABEL: func @contiguous
//       CHECK:   memref.copy
func.func @contiguous(%x: memref<4x3xi8>, %y: memref<4x3xi8>) {
  memref.copy %x, %y : memref<4x3xi8> to memref<4x3xi8>
  return
}
