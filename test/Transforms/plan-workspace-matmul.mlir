// RUN: fp8-opt --fp8-plan-workspace=matmul-workspace=1024 --split-input-file %s | FileCheck %s

// Each matmul has memory for the time of its call: the second one may use that
// of the first.
// CHECK-LABEL: func.func @two
//       CHECK:   %[[C0:.+]] = arith.constant 0 : index
//       CHECK:   %[[W0:.+]] = memref.view %{{.+}}[%[[C0]]][] : memref<?xi8> to memref<1024xi8>
//       CHECK:   blaslt.matmul {{.*}} workspace(%[[W0]] : memref<1024xi8>)
//       CHECK:   %[[C1:.+]] = arith.constant 0 : index
//       CHECK:   %[[W1:.+]] = memref.view %{{.+}}[%[[C1]]][] : memref<?xi8> to memref<1024xi8>
//       CHECK:   blaslt.matmul {{.*}} workspace(%[[W1]] : memref<1024xi8>)
func.func @two(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %d: memref<4x4xf32>) {
  blaslt.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  blaslt.matmul ins(%b, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  return
}
