// RUN: fp8-opt --fp8-outline-kernels --split-input-file %s | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>

// Two reductions that are ready at the same time share a launch, their slots a
// memset; the scale is computed where it is read and has no memory; kernels that
// differ in sizes are one.
// CHECK-LABEL: func @quantize
//  CHECK-SAME:   %[[X:.+]]: memref<4x8xf32>, %[[Y:.+]]: memref<16x8xf32>
//       CHECK:   %[[SLOTS:.+]] = memref.alloc() : memref<512xi8>
//       CHECK:   gpu.memset %[[SLOTS]], %{{.+}} : memref<512xi8>, i8
//       CHECK:   %[[A:.+]] = memref.view %[[SLOTS]]
//       CHECK:   %[[B:.+]] = memref.view %[[SLOTS]]
//   CHECK-NOT:   gpu.memset
//       CHECK:   %[[CX:.+]] = memref.cast %[[X]]
//       CHECK:   %[[CY:.+]] = memref.cast %[[Y]]
//       CHECK:   call @amax(%[[CX]], %[[A]], %[[CY]], %[[B]])
//       CHECK:   call @cast(%[[A]], %[[DX:.+]], %{{.+}}, %{{.+}})
//       CHECK:   call @cast(%[[B]], %[[DY:.+]], %{{.+}}, %{{.+}})
//   CHECK-NOT:   call
//       CHECK:   return
//       CHECK: func private @amax(%{{.+}}: memref<?x?xf32>, %{{.+}}: memref<f32>, %{{.+}}: memref<?x?xf32>, %{{.+}}: memref<f32>) attributes {fp8.kernel}
// CHECK-COUNT-2: linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]
//       CHECK: func private @cast(%[[AMAX:.+]]: memref<f32>, %[[DESCALE:.+]]: memref<f32>, %[[IN:.+]]: memref<?x?xf32>, %[[OUT:.+]]: memref<?x?xf8E4M3FN>) attributes {fp8.kernel}
//       CHECK:   %[[SCALE:.+]] = memref.alloca() : memref<f32>
//       CHECK:   linalg.generic {{.*}} iterator_types = []} ins(%[[AMAX]] : memref<f32>) outs(%[[SCALE]], %[[DESCALE]] :
//       CHECK:   linalg.generic {{.*}} ins(%[[IN]], %[[SCALE]] : {{.*}}) outs(%[[OUT]] :
//   CHECK-NOT: func private @cast_
func.func @quantize(%x: memref<4x8xf32>, %y: memref<16x8xf32>, %qx: memref<4x8xf8E4M3FN>, %qy: memref<16x8xf8E4M3FN>, %dx: memref<f32>, %dy: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %ax = memref.alloc() : memref<f32>
  %sx = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%ax : memref<f32>)
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<4x8xf32>) outs(%ax : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %b = math.absf %in : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%ax : memref<f32>) outs(%sx, %dx : memref<f32>, memref<f32>) {
  ^bb0(%in: f32, %out: f32, %out2: f32):
    %s = arith.divf %one, %in : f32
    linalg.yield %s, %in : f32, f32
  }
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sx : memref<4x8xf32>, memref<f32>) outs(%qx : memref<4x8xf8E4M3FN>) {
  ^bb0(%in: f32, %s: f32, %out: f8E4M3FN):
    %p = arith.mulf %in, %s : f32
    %t = arith.truncf %p : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  %ay = memref.alloc() : memref<f32>
  %sy = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%ay : memref<f32>)
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%y : memref<16x8xf32>) outs(%ay : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %b = math.absf %in : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  linalg.generic {indexing_maps = [#scalar, #scalar, #scalar], iterator_types = []} ins(%ay : memref<f32>) outs(%sy, %dy : memref<f32>, memref<f32>) {
  ^bb0(%in: f32, %out: f32, %out2: f32):
    %s = arith.divf %one, %in : f32
    linalg.yield %s, %in : f32, f32
  }
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %sy : memref<16x8xf32>, memref<f32>) outs(%qy : memref<16x8xf8E4M3FN>) {
  ^bb0(%in: f32, %s: f32, %out: f8E4M3FN):
    %p = arith.mulf %in, %s : f32
    %t = arith.truncf %p : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// An amax shares the first launch past work that leaves its input alone, and takes
// the view of its input along.
// CHECK-LABEL: func @of_view
//       CHECK:   %[[V:.+]] = memref.collapse_shape
//       CHECK:   call @amax(
//       CHECK:   call @copy
//   CHECK-NOT:   call
func.func @of_view(%x: memref<4x8xf32>, %y: memref<2x2x8xf32>, %z: memref<4x8xf32>, %ax: memref<f32>, %ay: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<4x8xf32>) outs(%ax : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %b = math.absf %in : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  memref.copy %x, %z : memref<4x8xf32> to memref<4x8xf32>
  %v = memref.collapse_shape %y [[0, 1], [2]] : memref<2x2x8xf32> into memref<4x8xf32>
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%v : memref<4x8xf32>) outs(%ay : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %b = math.absf %in : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  return
}

// -----

#id = affine_map<(d0, d1) -> (d0, d1)>
#none = affine_map<(d0, d1) -> ()>

// Negative: the second input is computed in between, and so it cannot share the
// first launch.
// CHECK-LABEL: func @not_ready
//       CHECK:   call @amax(%{{.+}}, %{{.+}}) : (memref<?x?xf32>, memref<f32>) -> ()
//       CHECK:   call @copy
//       CHECK:   call @amax(
func.func @not_ready(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %ax: memref<f32>, %ay: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%x : memref<4x8xf32>) outs(%ax : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %b = math.absf %in : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  memref.copy %x, %y : memref<4x8xf32> to memref<4x8xf32>
  linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction", "reduction"]} ins(%y : memref<4x8xf32>) outs(%ay : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %b = math.absf %in : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
#scalar = affine_map<() -> ()>

// Negative: the scalar's input changes before its reader, and so the scalar is a
// kernel of its own.
// CHECK-LABEL: func @input_changes
//       CHECK:   call @scalar
//       CHECK:   gpu.memset
//       CHECK:   call @elementwise
func.func @input_changes(%a: memref<f32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  %s = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%a : memref<f32>) outs(%s : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %in : f32
    linalg.yield %t : f32
  }
  linalg.fill ins(%zero : f32) outs(%a : memref<f32>)
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<8xf32>, memref<f32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %f: f32, %out: f32):
    %t = arith.mulf %in, %f : f32
    linalg.yield %t : f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
#scalar = affine_map<() -> ()>

// Negative: a scalar that is updated in place would be read by blocks after the
// first one has stored it.
// CHECK-LABEL: func @update
//       CHECK:   call @scalar
//       CHECK:   call @elementwise
func.func @update(%a: memref<f32>, %s: memref<f32>, %x: memref<8xf32>, %y: memref<8xf32>) {
  linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%a : memref<f32>) outs(%s : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    %t = arith.addf %in, %out : f32
    linalg.yield %t : f32
  }
  linalg.generic {indexing_maps = [#id, #none, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<8xf32>, memref<f32>) outs(%y : memref<8xf32>) {
  ^bb0(%in: f32, %f: f32, %out: f32):
    %t = arith.mulf %in, %f : f32
    linalg.yield %t : f32
  }
  return
}

// -----

// The loops of a transpose run along its input.
// CHECK-LABEL: func private @transpose
//       CHECK:   linalg.generic {indexing_maps = [#[[ID:.+]], #[[SWAP:.+]]], iterator_types = ["parallel", "parallel"]}
func.func @transpose_loops(%x: memref<4x8xf32>, %y: memref<8x4xf32>) {
  linalg.transpose ins(%x : memref<4x8xf32>) outs(%y : memref<8x4xf32>) permutation = [1, 0]
  return
}

// -----

// Negative: -0.0 and 1.0 are no zero bytes.
// CHECK-LABEL: func @fills
//   CHECK-NOT:   gpu.memset
//       CHECK:   call @{{.+}}(%{{.+}}) : (memref<?xf32>)
//       CHECK:   return
func.func @fills(%x: memref<8xf32>) {
  %c = arith.constant -0.0 : f32
  linalg.fill ins(%c : f32) outs(%x : memref<8xf32>)
  return
}
