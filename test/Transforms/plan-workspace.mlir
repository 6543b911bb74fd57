// RUN: fp8-opt --fp8-plan-workspace --canonicalize --cse --split-input-file %s | FileCheck %s --implicit-check-not=memref.alloc --implicit-check-not=memref.dealloc

// Two temporaries that follow one another share an offset.
// CHECK-LABEL: func @one_after_the_other
//  CHECK-SAME:   %[[W:[^:]+]]: memref<?xi8>)
//       CHECK:   %[[ZERO:.+]] = arith.constant 0 : index
//       CHECK:   memref.view %[[W]][%[[ZERO]]][] : memref<?xi8> to memref<100xf32>
//       CHECK:   memref.view %[[W]][%[[ZERO]]][] : memref<?xi8> to memref<90xf32>
// 100 x 4 bytes, rounded up to 256.
// CHECK-LABEL: func @one_after_the_other_workspace(
//  CHECK-SAME:   memref<100xf32>, %{{.*}}: memref<90xf32>) -> i64 attributes {fp8.companion}
//  CHECK-NEXT:   %[[N:.+]] = arith.constant 512 : i64
//  CHECK-NEXT:   return %[[N]]
func.func @one_after_the_other(%x: memref<100xf32>, %y: memref<90xf32>) {
  %a = memref.alloc() : memref<100xf32>
  linalg.exp ins(%x : memref<100xf32>) outs(%a : memref<100xf32>)
  linalg.exp ins(%a : memref<100xf32>) outs(%x : memref<100xf32>)
  %b = memref.alloc() : memref<90xf32>
  linalg.exp ins(%y : memref<90xf32>) outs(%b : memref<90xf32>)
  linalg.exp ins(%b : memref<90xf32>) outs(%y : memref<90xf32>)
  return
}

// -----

// Negative: the first is read after the second is there.
// CHECK-LABEL: func @at_the_same_time
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[NEXT:.+]] = arith.constant 256 : index
//       CHECK:   memref.view %{{.*}}[%[[ZERO]]][]
//       CHECK:   memref.view %{{.*}}[%[[NEXT]]][]
// CHECK-LABEL: func @at_the_same_time_workspace
//       CHECK:   arith.constant 512 : i64
func.func @at_the_same_time(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%a, %b : memref<64xf32>, memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

// -----

// Negative: it is a view of the first that is read later.
// CHECK-LABEL: func @read_through_a_view
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[NEXT:.+]] = arith.constant 256 : index
//       CHECK:   memref.view %{{.*}}[%[[ZERO]]][]
//       CHECK:   memref.view %{{.*}}[%[[NEXT]]][]
// CHECK-LABEL: func @read_through_a_view_workspace
func.func @read_through_a_view(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %v = memref.expand_shape %a [[0, 1]] output_shape [8, 8] : memref<64xf32> into memref<8x8xf32>
  %c = memref.collapse_shape %v [[0, 1]] : memref<8x8xf32> into memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%c, %b : memref<64xf32>, memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

// -----

// The large one goes first; small ones fill the gap before it when they fit.
// CHECK-LABEL: func @large_first
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[LARGE:.+]] = arith.constant 1024 : index
//       CHECK:   memref.view %{{.*}}[%[[LARGE]]][] : memref<?xi8> to memref<1xf32>
//       CHECK:   memref.view %{{.*}}[%[[ZERO]]][] : memref<?xi8> to memref<256xf32>
// CHECK-LABEL: func @large_first_workspace
//       CHECK:   arith.constant 1280 : i64
func.func @large_first(%x: memref<1xf32>, %y: memref<256xf32>) {
  %a = memref.alloc() : memref<1xf32>
  linalg.exp ins(%x : memref<1xf32>) outs(%a : memref<1xf32>)
  %b = memref.alloc() : memref<256xf32>
  linalg.exp ins(%y : memref<256xf32>) outs(%b : memref<256xf32>)
  linalg.exp ins(%b : memref<256xf32>) outs(%y : memref<256xf32>)
  linalg.exp ins(%a : memref<1xf32>) outs(%x : memref<1xf32>)
  return
}

// -----

// Sizes that the caller's buffers give: behind the static ones, rounded up. The
// size of it all is negative if 64 bits do not hold it.
// CHECK-LABEL: func @dynamic
//  CHECK-SAME:   (%[[X:[^:]+]]: memref<?xbf16>, %[[W:[^:]+]]: memref<?xi8>)
//   CHECK-DAG:   %[[C256:.+]] = arith.constant 256 : index
//       CHECK:   %[[N:.+]] = memref.dim %[[X]]
//       CHECK:   memref.view %[[W]][%[[C256]]][%[[N]]] : memref<?xi8> to memref<?xbf16>
//       CHECK:   memref.view %[[W]][%[[SECOND:.+]]][%[[N]]] : memref<?xi8> to memref<?xbf16>
// CHECK-LABEL: func @dynamic_workspace(
//  CHECK-SAME:   %[[X:[^:]+]]: memref<?xbf16>) -> i64
//   CHECK-DAG:   %[[NONE:.+]] = arith.constant -1 : i64
//   CHECK-DAG:   %[[I0:.+]] = arith.constant 0 : i64
//   CHECK-DAG:   %[[I2:.+]] = arith.constant 2 : i64
//   CHECK-DAG:   %[[I255:.+]] = arith.constant 255 : i64
//   CHECK-DAG:   %[[I256:.+]] = arith.constant 256 : i64
//       CHECK:   %[[DIM:.+]] = memref.dim %[[X]], %{{.+}}
//       CHECK:   %[[N:.+]] = arith.index_cast %[[DIM]] : index to i64
//       CHECK:   %[[B:.+]], %[[HIGH:.+]] = arith.mului_extended %[[N]], %[[I2]]
//       CHECK:   %[[O1:.+]] = arith.cmpi ne, %[[HIGH]], %[[I0]]
//       CHECK:   %[[U:.+]], %[[O2:.+]] = arith.addui_extended %[[B]], %[[I255]]
//       CHECK:   %[[O3:.+]] = arith.ori %[[O1]], %[[O2]]
//       CHECK:   %[[D:.+]] = arith.divui %[[U]], %[[I256]]
//       CHECK:   %[[M:.+]] = arith.muli %[[D]], %[[I256]]
//       CHECK:   %[[ONE:.+]], %[[O4:.+]] = arith.addui_extended %[[M]], %[[I256]]
//       CHECK:   arith.ori %[[O3]], %[[O4]]
//       CHECK:   %[[TWO:.+]], %[[O5:.+]] = arith.addui_extended %[[ONE]], %[[M2:.+]] :
//       CHECK:   %[[O6:.+]] = arith.ori %{{.+}}, %[[O5]]
//       CHECK:   %[[R:.+]] = arith.select %[[O6]], %[[NONE]], %[[TWO]]
//       CHECK:   return %[[R]]
func.func @dynamic(%x: memref<?xbf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xbf16>
  %s = memref.alloc() : memref<f32>
  %a = memref.alloc(%n) : memref<?xbf16>
  %b = memref.alloc(%n) : memref<?xbf16>
  %f = arith.constant 0.0 : f32
  memref.store %f, %s[] : memref<f32>
  linalg.exp ins(%x : memref<?xbf16>) outs(%a : memref<?xbf16>)
  linalg.exp ins(%a : memref<?xbf16>) outs(%b : memref<?xbf16>)
  linalg.exp ins(%b : memref<?xbf16>) outs(%x : memref<?xbf16>)
  return
}

// -----

// A size that a region computes.
// CHECK-LABEL: func @size_by_region_workspace(
//       CHECK:   scf.if
//       CHECK:   return
func.func @size_by_region(%x: memref<?xf32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %d = memref.dim %x, %c0 : memref<?xf32>
  %n = scf.if %flag -> index {
    %t = arith.muli %d, %d : index
    scf.yield %t : index
  } else {
    scf.yield %d : index
  }
  %a = memref.alloc(%n) : memref<?xf32>
  %f = arith.constant 0.0 : f32
  linalg.fill ins(%f : f32) outs(%a : memref<?xf32>)
  return
}

// -----

// A temporary of a loop's body meets what lives across the loop.
// CHECK-LABEL: func @in_a_loop
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[NEXT:.+]] = arith.constant 256 : index
//       CHECK:   %[[A:.+]] = memref.view %{{.*}}[%[[ZERO]]][]
//       CHECK:   scf.for
//       CHECK:     memref.view %{{.*}}[%[[NEXT]]][]
// CHECK-LABEL: func @in_a_loop_workspace
//       CHECK:   arith.constant 512 : i64
func.func @in_a_loop(%x: memref<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : memref<64xf32>
    linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    linalg.exp ins(%b : memref<64xf32>) outs(%x : memref<64xf32>)
  }
  return
}

// -----

// A small temporary that a loop with a large one still reads.
// CHECK-LABEL: func @read_in_a_loop
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[NEXT:.+]] = arith.constant 1024 : index
//       CHECK:   memref.view %{{.*}}[%[[NEXT]]][] : memref<?xi8> to memref<64xf32>
//       CHECK:   scf.for
//       CHECK:     memref.view %{{.*}}[%[[ZERO]]][] : memref<?xi8> to memref<256xf32>
// CHECK-LABEL: func @read_in_a_loop_workspace
func.func @read_in_a_loop(%x: memref<64xf32>, %y: memref<256xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  scf.for %i = %c0 to %c8 step %c1 {
    %b = memref.alloc() : memref<256xf32>
    linalg.exp ins(%y : memref<256xf32>) outs(%b : memref<256xf32>)
    linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
    linalg.exp ins(%b : memref<256xf32>) outs(%y : memref<256xf32>)
  }
  return
}

// -----

// The third fits below the second, where the first was.
// CHECK-LABEL: func @gap
//   CHECK-DAG:   %[[ZERO:.+]] = arith.constant 0 : index
//   CHECK-DAG:   %[[NEXT:.+]] = arith.constant 512 : index
//       CHECK:   memref.view %{{.*}}[%[[ZERO]]][] : memref<?xi8> to memref<128xf32>
//       CHECK:   memref.view %{{.*}}[%[[NEXT]]][] : memref<?xi8> to memref<128xf32>
//       CHECK:   memref.view %{{.*}}[%[[ZERO]]][] : memref<?xi8> to memref<64xf32>
// CHECK-LABEL: func @gap_workspace
//       CHECK:   arith.constant 1024 : i64
func.func @gap(%x: memref<128xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<128xf32>
  linalg.exp ins(%x : memref<128xf32>) outs(%a : memref<128xf32>)
  %b = memref.alloc() : memref<128xf32>
  linalg.exp ins(%a : memref<128xf32>) outs(%b : memref<128xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%c : memref<64xf32>)
  linalg.exp ins(%b : memref<128xf32>) outs(%x : memref<128xf32>)
  linalg.exp ins(%c : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// The last one that a new temporary meets does not reach as far as the first.
// CHECK-LABEL: func @behind_the_largest
//       CHECK:   %[[NEXT:.+]] = arith.constant 2048 : index
//       CHECK:   memref.view %{{.*}}[%[[NEXT]]][] : memref<?xi8> to memref<64xf32>
// CHECK-LABEL: func @behind_the_largest_workspace
//       CHECK:   arith.constant 2304 : i64
func.func @behind_the_largest(%x: memref<512xf32>, %y: memref<64xf32>, %z: memref<128xf32>) {
  %p = memref.alloc() : memref<512xf32>
  %t = memref.alloc() : memref<64xf32>
  linalg.exp ins(%y : memref<64xf32>) outs(%t : memref<64xf32>)
  linalg.exp ins(%x : memref<512xf32>) outs(%p : memref<512xf32>)
  linalg.exp ins(%p : memref<512xf32>) outs(%x : memref<512xf32>)
  %r = memref.alloc() : memref<128xf32>
  %q = memref.alloc() : memref<128xf32>
  linalg.exp ins(%z : memref<128xf32>) outs(%r : memref<128xf32>)
  linalg.exp ins(%r : memref<128xf32>) outs(%q : memref<128xf32>)
  linalg.add ins(%q, %r : memref<128xf32>, memref<128xf32>) outs(%z : memref<128xf32>)
  linalg.exp ins(%t : memref<64xf32>) outs(%y : memref<64xf32>)
  return
}

// -----

// A deallocation goes with its allocation.
// CHECK-LABEL: func @deallocated
//       CHECK:   memref.view
func.func @deallocated(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  memref.dealloc %a : memref<64xf32>
  return
}

// -----

// Every public function has a workspace, if an empty one; no companion has.
// CHECK-LABEL: func @nothing(%{{.*}}: memref<?xi8>)
// CHECK-LABEL: func @nothing_workspace() -> i64
//       CHECK:   arith.constant 0 : i64
func.func @nothing() {
  return
}

// -----

// Negative: a companion is left alone.
// CHECK-LABEL: func @main_workspace() -> i64
//   CHECK-NOT: func
func.func @main_workspace() -> i64 attributes {fp8.companion} {
  %0 = arith.constant 0 : i64
  return %0 : i64
}
