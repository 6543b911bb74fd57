// RUN: fp8-opt --fp8-outline-kernels --split-input-file %s | FileCheck %s

#id = affine_map<(d0, d1) -> (d0, d1)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#one = affine_map<(d0, d1) -> ()>
#scalar = affine_map<() -> ()>

// A cast with its amax: the slot is cleared with all others, and the copy of the
// hint is made on the way and stored, as another kernel reads it.
// CHECK-LABEL: func @cast_amax
//       CHECK:   %[[SLOTS:.+]] = memref.alloc() : memref<256xi8>
//       CHECK:   gpu.memset %[[SLOTS]]
//       CHECK:   %[[A:.+]] = memref.view %[[SLOTS]]
//   CHECK-NOT:   gpu.memset
//       CHECK:   call @cast_transpose_amax(%[[HINT:.+]], %[[USED:.+]], %{{.+}}, %{{.+}}, %{{.+}}, %[[A]])
//   CHECK-NOT:   call
//       CHECK: func private @cast_transpose_amax(%[[H:.+]]: memref<f32>, %[[U:.+]]: memref<f32>,
//       CHECK:   linalg.generic {{.*}} iterator_types = []} ins(%[[H]] : memref<f32>) outs(%[[U]] :
//       CHECK:   linalg.generic {{.*}} iterator_types = ["reduction", "reduction"]}
func.func @cast_amax(%hint: memref<f32>, %used: memref<f32>, %x: memref<4x8xf32>, %q: memref<4x8xf8E4M3FN>, %t: memref<8x4xf8E4M3FN>, %r: memref<f32>) {
  %zero = arith.constant 0.0 : f32
  %a = memref.alloc() : memref<f32>
  linalg.fill ins(%zero : f32) outs(%a : memref<f32>)
  linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%hint : memref<f32>) outs(%used : memref<f32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  }
  linalg.generic {indexing_maps = [#id, #one, #id, #swap, #one], iterator_types = ["reduction", "reduction"]} ins(%x, %used : memref<4x8xf32>, memref<f32>) outs(%q, %t, %a : memref<4x8xf8E4M3FN>, memref<8x4xf8E4M3FN>, memref<f32>) {
  ^bb0(%in: f32, %s: f32, %o0: f8E4M3FN, %o1: f8E4M3FN, %old: f32):
    %p = arith.mulf %in, %s : f32
    %c = arith.truncf %p : f32 to f8E4M3FN
    %b = math.absf %in : f32
    %m = arith.maximumf %old, %b : f32
    linalg.yield %c, %c, %m : f8E4M3FN, f8E4M3FN, f32
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Casts that are done again under a condition wait for each other and share a
// launch.
// CHECK-LABEL: func @share
//       CHECK:   call @copy(
//       CHECK:   call @redo_cast(
//   CHECK-NOT:   call
//       CHECK: func private @redo_cast(
// CHECK-COUNT-2: linalg.generic
//   CHECK-NOT:   linalg.generic
//       CHECK: func private @copy(
func.func @share(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<f32>, %u: memref<f32>, %p: memref<8xf8E4M3FN>, %q: memref<8xf8E4M3FN>, %z: memref<8xf32>, %w: memref<8xf32>) {
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%x, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%p : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  memref.copy %z, %w : memref<8xf32> to memref<8xf32>
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%y, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%q : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Negative: the first result is read in between.
// CHECK-LABEL: func @read_between
//       CHECK:   call @redo_cast(
//       CHECK:   call @copy(
//       CHECK:   call @redo_cast(
//       CHECK: func private @redo_cast(
//       CHECK:   linalg.generic
//   CHECK-NOT:   linalg.generic
//       CHECK: func private @copy(
func.func @read_between(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<f32>, %u: memref<f32>, %p: memref<8xf8E4M3FN>, %q: memref<8xf8E4M3FN>, %w: memref<8xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%x, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%p : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  memref.copy %p, %w : memref<8xf8E4M3FN> to memref<8xf8E4M3FN>
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%y, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%q : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Negative: the first input is written in between.
// CHECK-LABEL: func @written_between
//       CHECK:   call @redo_cast(
//       CHECK:   call @copy(
//       CHECK:   call @redo_cast(
func.func @written_between(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<f32>, %u: memref<f32>, %p: memref<8xf8E4M3FN>, %q: memref<8xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%x, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%p : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  memref.copy %y, %x : memref<8xf32> to memref<8xf32>
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%y, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%q : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>

// Negative: a condition of each element is an ordinary body.
// CHECK-LABEL: func @each_element
//       CHECK:   call @cast(
func.func @each_element(%x: memref<8xf32>, %p: memref<8xf8E4M3FN>) {
  %zero = arith.constant 0.0 : f32
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : memref<8xf32>) outs(%p : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %in, %zero : f32
    %t = arith.truncf %in : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// The first one is needed in between, and the second one can be done before.
// CHECK-LABEL: func @done_before
//       CHECK:   call @redo_cast(
//       CHECK:   blaslt.matmul
//   CHECK-NOT:   call @redo_cast
//       CHECK: func private @redo_cast(
// CHECK-COUNT-2: linalg.generic
func.func @done_before(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<f32>, %u: memref<f32>, %p: memref<8xf8E4M3FN>, %q: memref<8xf8E4M3FN>, %b: memref<8x8xf8E4M3FN>, %d: memref<f32>, %out: memref<1x8xf32>) {
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%x, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%p : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  %row = memref.expand_shape %p [[0, 1]] output_shape [1, 8] : memref<8xf8E4M3FN> into memref<1x8xf8E4M3FN>
  blaslt.matmul ins(%row, %b : memref<1x8xf8E4M3FN>, memref<8x8xf8E4M3FN>) descales(%d, %d : memref<f32>, memref<f32>) outs(%out : memref<1x8xf32>)
  linalg.generic {indexing_maps = [#id, #one, #one, #id], iterator_types = ["parallel"]} ins(%y, %s, %u : memref<8xf32>, memref<f32>, memref<f32>) outs(%q : memref<8xf8E4M3FN>) {
  ^bb0(%in: f32, %right: f32, %tried: f32, %old: f8E4M3FN):
    %c = arith.cmpf une, %right, %tried : f32
    %m = arith.mulf %in, %right : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    %r = arith.select %c, %t, %old : f8E4M3FN
    linalg.yield %r : f8E4M3FN
  }
  return
}
