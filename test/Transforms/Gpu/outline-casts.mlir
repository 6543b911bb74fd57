// RUN: fp8-opt --fp8-outline-kernels --split-input-file %s | FileCheck %s

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>
#scalar = affine_map<() -> ()>

// Casts of one tensor each share a launch, past a matmul. What computes the
// second scale, and the buffers for it, move with the cast.
// CHECK-LABEL: func @share(
//  CHECK-SAME:   %[[X:[^:]+]]: memref<16xbf16>, %[[Y:[^:]+]]: memref<16xbf16>,
//       CHECK:   %[[P:.+]] = memref.alloc() : memref<16xf8E4M3FN>
//       CHECK:   %[[Q:.+]] = memref.alloc() : memref<16xf8E5M2>
//       CHECK:   call @cast(
//       CHECK:   blaslt.matmul
//   CHECK-NOT:   call @cast
//       CHECK:   call @reads(%[[P]], %[[Q]])
//       CHECK: func private @cast(
//  CHECK-NEXT:   memref.alloca() : memref<f32>
//  CHECK-NEXT:   linalg.generic {{.*}} iterator_types = []}
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel"]}
//       CHECK:   arith.truncf %{{.+}} : f32 to f8E4M3FN
//       CHECK:   linalg.generic {{.*}} iterator_types = ["parallel"]}
//       CHECK:   arith.truncf %{{.+}} : f32 to f8E5M2
//   CHECK-NOT:   linalg.generic
//       CHECK:   return
func.func @share(%x: memref<16xbf16>, %y: memref<16xbf16>, %s: memref<f32>, %a: memref<16x16xf32>, %b: memref<16x16xf32>, %c: memref<16x16xf32>) {
  %p = memref.alloc() : memref<16xf8E4M3FN>
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<16xbf16>, memref<f32>) outs(%p : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  blaslt.matmul ins(%a, %b : memref<16x16xf32>, memref<16x16xf32>) outs(%c : memref<16x16xf32>)
  %twice = memref.alloc() : memref<f32>
  linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []} ins(%s : memref<f32>) outs(%twice : memref<f32>) {
  ^bb0(%in: f32, %old: f32):
    %t = arith.addf %in, %in : f32
    linalg.yield %t : f32
  }
  %q = memref.alloc() : memref<16xf8E5M2>
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%y, %twice : memref<16xbf16>, memref<f32>) outs(%q : memref<16xf8E5M2>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E5M2):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E5M2
    linalg.yield %t : f8E5M2
  }
  call @reads(%p, %q) : (memref<16xf8E4M3FN>, memref<16xf8E5M2>) -> ()
  return
}
func.func private @reads(memref<16xf8E4M3FN>, memref<16xf8E5M2>)

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Negative: the second tensor is written in between.
// CHECK-LABEL: func @written_between(
//       CHECK:   call @cast(
//       CHECK:   gpu.memset
//       CHECK:   call @cast(
func.func @written_between(%x: memref<16xbf16>, %y: memref<16xbf16>, %s: memref<f32>, %p: memref<16xf8E4M3FN>, %q: memref<16xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<16xbf16>, memref<f32>) outs(%p : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  %zero = arith.constant 0.0 : bf16
  linalg.fill ins(%zero : bf16) outs(%y : memref<16xbf16>)
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%y, %s : memref<16xbf16>, memref<f32>) outs(%q : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Negative: what the second result held is read in between.
// CHECK-LABEL: func @read_between(
//       CHECK:   call @cast(
//       CHECK:   call @reads(
//       CHECK:   call @cast(
func.func @read_between(%x: memref<16xbf16>, %y: memref<16xbf16>, %s: memref<f32>, %p: memref<16xf8E4M3FN>, %q: memref<16xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<16xbf16>, memref<f32>) outs(%p : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  call @reads(%q) : (memref<16xf8E4M3FN>) -> ()
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%y, %s : memref<16xbf16>, memref<f32>) outs(%q : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}
func.func private @reads(memref<16xf8E4M3FN>)

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Negative: another kernel is in between, and moving the cast would keep its
// result for longer.
// CHECK-LABEL: func @kernel_between(
//       CHECK:   call @cast(
//       CHECK:   call @copy(
//       CHECK:   call @cast(
func.func @kernel_between(%x: memref<16xbf16>, %y: memref<16xbf16>, %s: memref<f32>, %p: memref<16xf8E4M3FN>, %q: memref<16xf8E4M3FN>, %z: memref<16xbf16>, %w: memref<16xbf16>) {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<16xbf16>, memref<f32>) outs(%p : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  memref.copy %z, %w : memref<16xbf16> to memref<16xbf16>
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%y, %s : memref<16xbf16>, memref<f32>) outs(%q : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}

// -----

#id = affine_map<(d0) -> (d0)>
#one = affine_map<(d0) -> ()>

// Negative: a cast of f32 needs other registers than one of bf16.
// CHECK-LABEL: func @other_type(
//       CHECK:   call @cast(
//       CHECK:   call @cast_0(
func.func @other_type(%x: memref<16xbf16>, %y: memref<16xf32>, %s: memref<f32>, %p: memref<16xf8E4M3FN>, %q: memref<16xf8E4M3FN>) {
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%x, %s : memref<16xbf16>, memref<f32>) outs(%p : memref<16xf8E4M3FN>) {
  ^bb0(%in: bf16, %scale: f32, %old: f8E4M3FN):
    %f = arith.extf %in : bf16 to f32
    %m = arith.mulf %f, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  linalg.generic {indexing_maps = [#id, #one, #id], iterator_types = ["parallel"]} ins(%y, %s : memref<16xf32>, memref<f32>) outs(%q : memref<16xf8E4M3FN>) {
  ^bb0(%in: f32, %scale: f32, %old: f8E4M3FN):
    %m = arith.mulf %in, %scale : f32
    %t = arith.truncf %m : f32 to f8E4M3FN
    linalg.yield %t : f8E4M3FN
  }
  return
}
