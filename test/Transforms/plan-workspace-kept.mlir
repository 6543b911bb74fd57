// RUN: fp8-opt --fp8-plan-workspace --canonicalize --cse %s | FileCheck %s --implicit-check-not=memref.alloc

// What is kept shares its bytes with nothing, though it is used for a moment
// only, and lies in front of what has a dynamic size.
// CHECK-LABEL: func @kept
//  CHECK-SAME:   %[[W:[^:]+]]: memref<?xi8>)
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[NEXT:.+]] = arith.constant 256 : index
//   CHECK-DAG:   %[[LAST:.+]] = arith.constant 512 : index
//   CHECK-DAG:   memref.view %[[W]][%[[NEXT]]][] : memref<?xi8> to memref<f32>
//   CHECK-DAG:   memref.view %[[W]][%[[ZERO]]][] : memref<?xi8> to memref<60xf32>
//   CHECK-DAG:   memref.view %[[W]][%[[ZERO]]][] : memref<?xi8> to memref<64xf32>
//   CHECK-DAG:   memref.view %[[W]][%[[LAST]]][%{{.+}}] : memref<?xi8> to memref<?xf32>
// CHECK-LABEL: func @kept_workspace
func.func @kept(%s: memref<f32>, %x: memref<60xf32>, %y: memref<64xf32>, %z: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %a = memref.alloc() : memref<60xf32>
  linalg.exp ins(%x : memref<60xf32>) outs(%a : memref<60xf32>)
  linalg.exp ins(%a : memref<60xf32>) outs(%x : memref<60xf32>)
  %k = memref.alloc() {fp8.kept} : memref<f32>
  linalg.exp ins(%k : memref<f32>) outs(%s : memref<f32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.exp ins(%b : memref<64xf32>) outs(%y : memref<64xf32>)
  %n = memref.dim %z, %c0 : memref<?xf32>
  %c = memref.alloc(%n) : memref<?xf32>
  linalg.exp ins(%z : memref<?xf32>) outs(%c : memref<?xf32>)
  linalg.exp ins(%c : memref<?xf32>) outs(%z : memref<?xf32>)
  return
}
