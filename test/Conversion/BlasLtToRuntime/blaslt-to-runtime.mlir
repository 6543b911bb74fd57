// RUN: fp8-opt --fp8-add-runtime-arguments --convert-blaslt-to-runtime --split-input-file %s | FileCheck %s

//       CHECK: llvm.func @fp8rt_matmul(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// The descriptor: size; types of a, b, d, acc, bias; scale modes; trans_a,
// trans_b, fast_accum; m, n, k, batch; leading dimensions of a, b, d, acc;
// strides.
// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_desc_0()
//       CHECK:   constant(168 : i64)
//       CHECK:   constant(5 : i32)
//       CHECK:   constant(6 : i32)
//       CHECK:   constant(4 : i32)
//       CHECK:   constant(2 : i32)
//       CHECK:   constant(4 : i32)
//       CHECK:   constant(1 : i32)
//       CHECK:   constant(1 : i32)
//       CHECK:   constant(0 : i32)
//       CHECK:   constant(1 : i32)
//       CHECK:   constant(1 : i32)
//       CHECK:   constant(64 : i64)
//       CHECK:   constant(16 : i64)
//       CHECK:   constant(32 : i64)
//       CHECK:   constant(1 : i64)
//       CHECK:   constant(32 : i64)
//       CHECK:   constant(40 : i64)
//       CHECK:   constant(16 : i64)
//       CHECK:   constant(24 : i64)
// CHECK-COUNT-7: constant(0 : i64)
//       CHECK:   llvm.return
// Every pointer has its place: a, b, acc, bias, descale_a, descale_b, d.
// CHECK-LABEL: func.func @main(
//  CHECK-SAME:   %[[A:[^:]+]]: memref<64x32xf8E4M3FN>, %[[B:[^:]+]]: memref<16x32xf8E5M2, strided<[40, 1]>>, %[[DA:[^:]+]]: memref<f32>, %[[DB:[^:]+]]: memref<f32>, %[[C:[^:]+]]: memref<64x16xf32, strided<[24, 1]>>, %[[BIAS:[^:]+]]: memref<16xbf16>, %[[D:[^:]+]]: memref<64x16xbf16>, %{{.+}}: memref<?xi8>, %[[CTX:[^:]+]]: !llvm.ptr {fp8.context}, %[[STREAM:[^:]+]]: !llvm.ptr {fp8.stream}) -> i32
//       CHECK:   %[[ARGS:.+]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, ptr, ptr, ptr, ptr, ptr, ptr, ptr, ptr, i64)>
//       CHECK:   %[[STATUS:.+]] = memref.alloca() {fp8.status} : memref<i32>
//       CHECK:   memref.store %{{.*}}, %[[STATUS]]
//       CHECK:   %[[DESC:.+]] = llvm.mlir.addressof @fp8rt_desc_0
//       CHECK:   constant(80 : i64)
//       CHECK:   getelementptr %[[ARGS]][0, 0]
//       CHECK:   extract_aligned_pointer_as_index %[[A]]
//       CHECK:   getelementptr %[[ARGS]][0, 1]
//       CHECK:   extract_aligned_pointer_as_index %[[B]]
//       CHECK:   getelementptr %[[ARGS]][0, 2]
//       CHECK:   extract_aligned_pointer_as_index %[[C]]
//       CHECK:   getelementptr %[[ARGS]][0, 3]
//       CHECK:   extract_aligned_pointer_as_index %[[BIAS]]
//       CHECK:   getelementptr %[[ARGS]][0, 4]
//       CHECK:   extract_aligned_pointer_as_index %[[DA]]
//       CHECK:   getelementptr %[[ARGS]][0, 5]
//       CHECK:   extract_aligned_pointer_as_index %[[DB]]
//       CHECK:   getelementptr %[[ARGS]][0, 6]
//       CHECK:   extract_aligned_pointer_as_index %[[D]]
//       CHECK:   getelementptr %[[ARGS]][0, 7]
// No workspace, of no bytes.
//       CHECK:   llvm.mlir.zero
//       CHECK:   getelementptr %[[ARGS]][0, 8]
//       CHECK:   constant(0 : i64)
//       CHECK:   getelementptr %[[ARGS]][0, 9]
//       CHECK:   %[[NEW:.+]] = llvm.call @fp8rt_matmul(%[[CTX]], %[[DESC]], %[[ARGS]], %[[STREAM]])
//       CHECK:   %[[OLD:.+]] = memref.load %[[STATUS]]
//       CHECK:   %[[GOOD:.+]] = arith.cmpi eq, %[[OLD]]
//       CHECK:   %[[FIRST:.+]] = arith.select %[[GOOD]], %[[NEW]], %[[OLD]]
//       CHECK:   memref.store %[[FIRST]], %[[STATUS]]
//       CHECK:   %[[R:.+]] = memref.load %[[STATUS]]
//       CHECK:   return %[[R]] : i32
// The companion prepares the same call.
// CHECK-LABEL: func.func @main_prepare(
//  CHECK-SAME:   %[[CTX:[^:]+]]: !llvm.ptr {fp8.context}) -> i32
//       CHECK:   %[[DESC:.+]] = llvm.mlir.addressof @fp8rt_desc_0
//       CHECK:   llvm.call @fp8rt_matmul_prepare(%[[CTX]], %[[DESC]])
func.func @main(%a: memref<64x32xf8E4M3FN>, %b: memref<16x32xf8E5M2, strided<[40, 1]>>, %da: memref<f32>, %db: memref<f32>, %c: memref<64x16xf32, strided<[24, 1]>>, %bias: memref<16xbf16>, %d: memref<64x16xbf16>, %ws: memref<?xi8>) {
  blaslt.matmul ins(%a, %b : memref<64x32xf8E4M3FN>, memref<16x32xf8E5M2, strided<[40, 1]>>) descales(%da, %db : memref<f32>, memref<f32>) acc(%c : memref<64x16xf32, strided<[24, 1]>>) bias(%bias : memref<16xbf16>) outs(%d : memref<64x16xbf16>) trans_b fast_accum
  return
}

// -----

// Two batch dimensions are one of 6; outer descales have a stride a batch.
// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_desc_0()
//       CHECK:   constant(2 : i32)
//       CHECK:   constant(2 : i32)
//       CHECK:   constant(1 : i32)
//       CHECK:   constant(0 : i32)
//       CHECK:   constant(0 : i32)
//       CHECK:   constant(4 : i64)
//       CHECK:   constant(8 : i64)
//       CHECK:   constant(16 : i64)
//       CHECK:   constant(6 : i64)
//       CHECK:   constant(4 : i64)
//       CHECK:   constant(8 : i64)
//       CHECK:   constant(8 : i64)
//       CHECK:   constant(0 : i64)
//       CHECK:   constant(64 : i64)
//       CHECK:   constant(128 : i64)
//       CHECK:   constant(32 : i64)
//       CHECK:   constant(0 : i64)
//       CHECK:   constant(0 : i64)
//       CHECK:   constant(4 : i64)
//       CHECK:   constant(8 : i64)
//       CHECK:   llvm.return
func.func @batches(%a: memref<2x3x16x4xf8E4M3FN>, %b: memref<2x3x16x8xf8E4M3FN>, %da: memref<2x3x4x1xf32>, %db: memref<2x3x1x8xf32>, %d: memref<2x3x4x8xf32>, %ws: memref<?xi8>) {
  blaslt.matmul ins(%a, %b : memref<2x3x16x4xf8E4M3FN>, memref<2x3x16x8xf8E4M3FN>) descales(%da, %db : memref<2x3x4x1xf32>, memref<2x3x1x8xf32>) outs(%d : memref<2x3x4x8xf32>) trans_a granularity_a <rowwise> granularity_b <colwise>
  return
}

// -----

// Equal calls share a descriptor, others have their own.
//     CHECK-DAG: constant @fp8rt_desc_0()
//     CHECK-DAG: constant @fp8rt_desc_1()
//     CHECK-NOT: fp8rt_desc_2
// CHECK-LABEL: func.func @shared
//       CHECK:   addressof @fp8rt_desc_0
//       CHECK:   addressof @fp8rt_desc_0
//       CHECK:   addressof @fp8rt_desc_1
func.func @shared(%a: memref<4x4xf32>, %b: memref<4x4xf32>, %d: memref<4x4xf32>, %ws: memref<?xi8>) {
  blaslt.matmul ins(%a, %b : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  blaslt.matmul ins(%b, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>)
  blaslt.matmul ins(%b, %a : memref<4x4xf32>, memref<4x4xf32>) outs(%d : memref<4x4xf32>) trans_a
  return
}

// -----

// What is known at run time only is written into a copy; an offset moves the
// pointer.
// CHECK-LABEL: func.func @dynamic
//  CHECK-SAME:   (%[[A:[^:]+]]: memref<?x32xf32, strided<[?, 1], offset: ?>>
//       CHECK:   %[[DESC:.+]] = llvm.alloca %{{.*}} x !llvm.struct<(i64, i32,
//       CHECK:   %[[G:.+]] = llvm.mlir.addressof @fp8rt_desc_0
//       CHECK:   %[[K:.+]] = llvm.load %[[G]]
//       CHECK:   llvm.store %[[K]], %[[DESC]]
//       CHECK:   %[[M:.+]] = llvm.getelementptr %[[DESC]][0, 11]
//       CHECK:   llvm.store %{{.*}}, %[[M]]
//       CHECK:   %[[LDA:.+]] = llvm.getelementptr %[[DESC]][0, 15]
//       CHECK:   llvm.store %{{.*}}, %[[LDA]]
//       CHECK:   %[[P:.+]] = memref.extract_aligned_pointer_as_index %[[A]]
//       CHECK:   %[[PI:.+]] = arith.index_cast %[[P]] : index to i64
//       CHECK:   %{{.+}}, %[[OFF:.+]], %{{.+}}:2, %{{.+}}:2 = memref.extract_strided_metadata %[[A]]
//       CHECK:   %[[OI:.+]] = arith.index_cast %[[OFF]] : index to i64
//       CHECK:   %[[FOUR:.+]] = arith.constant 4 : i64
//       CHECK:   %[[BYTES:.+]] = arith.muli %[[OI]], %[[FOUR]]
//       CHECK:   arith.addi %[[PI]], %[[BYTES]]
//       CHECK:   llvm.call @fp8rt_matmul(%{{.*}}, %[[DESC]],
func.func @dynamic(%a: memref<?x32xf32, strided<[?, 1], offset: ?>>, %b: memref<32x16xf32>, %d: memref<?x16xf32>, %ws: memref<?xi8>) {
  blaslt.matmul ins(%a, %b : memref<?x32xf32, strided<[?, 1], offset: ?>>, memref<32x16xf32>) outs(%d : memref<?x16xf32>)
  return
}

// -----

// Sizes of a reshaped temporary follow from those of the arguments.
// CHECK-LABEL: func.func @reshaped(
// CHECK-LABEL: func.func @reshaped_prepare(
//   CHECK-NOT:   memref.view
//   CHECK-NOT:   memref.collapse_shape
//       CHECK:   %[[N:.+]] = memref.dim %{{.+}}, %{{.+}} : memref<?x4x16xf32>
//       CHECK:   %[[ROWS:.+]] = arith.muli %[[N]], %{{.+}} : index
//       CHECK:   %[[M:.+]] = arith.index_cast %[[ROWS]] : index to i64
//       CHECK:   llvm.store %[[M]]
//       CHECK:   llvm.call @fp8rt_matmul_prepare
func.func @reshaped(%x: memref<?x4x16xf32>, %b: memref<16x8xf32>, %ws: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4x16xf32>
  %view = memref.view %ws[%c0][%n] : memref<?xi8> to memref<?x4x8xf32>
  %a = memref.collapse_shape %x [[0, 1], [2]] : memref<?x4x16xf32> into memref<?x16xf32>
  %y = memref.collapse_shape %view [[0, 1], [2]] : memref<?x4x8xf32> into memref<?x8xf32>
  blaslt.matmul ins(%a, %b : memref<?x16xf32>, memref<16x8xf32>) outs(%y : memref<?x8xf32>)
  return
}

// -----

// So do the strides of a slice of one: rows of %n + 8.
// CHECK-LABEL: func.func @sliced(
// CHECK-LABEL: func.func @sliced_prepare(
//   CHECK-NOT:   memref.view
//   CHECK-NOT:   memref.subview
//   CHECK-NOT:   extract_strided_metadata
//       CHECK:   arith.addi
//       CHECK:   llvm.call @fp8rt_matmul_prepare
func.func @sliced(%x: memref<2x4x?xf32>, %d: memref<2x4x4xf32>, %ws: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c2 : memref<2x4x?xf32>
  %wide = arith.addi %n, %c8 : index
  %view = memref.view %ws[%c0][%wide] : memref<?xi8> to memref<8x?xf32>
  %slice = memref.subview %view[0, 0] [8, %n] [1, 1] : memref<8x?xf32> to memref<8x?xf32, strided<[?, 1]>>
  %a = memref.expand_shape %slice [[0, 1], [2]] output_shape [2, 4, %n] : memref<8x?xf32, strided<[?, 1]>> into memref<2x4x?xf32, strided<[?, ?, 1]>>
  blaslt.matmul ins(%a, %x : memref<2x4x?xf32, strided<[?, ?, 1]>>, memref<2x4x?xf32>) outs(%d : memref<2x4x4xf32>) trans_b
  return
}

// -----

// And of one matrix of several, every other row of it: rows of 2 * (%n + 8).
// CHECK-LABEL: func.func @stepped(
// CHECK-LABEL: func.func @stepped_prepare(
//   CHECK-NOT:   memref.view
//   CHECK-NOT:   memref.subview
//   CHECK-NOT:   extract_strided_metadata
//       CHECK:   %[[WIDE:.+]] = arith.addi
//       CHECK:   %[[TWO:.+]] = arith.constant 2 : index
//       CHECK:   arith.muli %[[WIDE]], %[[TWO]]
//       CHECK:   llvm.call @fp8rt_matmul_prepare
func.func @stepped(%x: memref<4x?xf32>, %d: memref<4x4xf32>, %ws: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %n = memref.dim %x, %c1 : memref<4x?xf32>
  %wide = arith.addi %n, %c8 : index
  %view = memref.view %ws[%c0][%wide] : memref<?xi8> to memref<2x8x?xf32>
  %a = memref.subview %view[1, 0, 0] [1, 4, %n] [1, 2, 1] : memref<2x8x?xf32> to memref<4x?xf32, strided<[?, 1], offset: ?>>
  blaslt.matmul ins(%a, %x : memref<4x?xf32, strided<[?, 1], offset: ?>>, memref<4x?xf32>) outs(%d : memref<4x4xf32>) trans_b
  return
}

// -----

// The stride of one column of many is that of its rows, folded into them or not.
// CHECK-LABEL: func.func @column(
// CHECK-LABEL: func.func @column_prepare(
//   CHECK-NOT:   memref.view
//   CHECK-NOT:   memref.subview
//   CHECK-NOT:   extract_strided_metadata
//       CHECK:   %[[N:.+]] = memref.dim %{{.+}}, %{{.+}} : memref<?x4xf32>
//       CHECK:   %[[LD:.+]] = arith.index_cast %[[N]] : index to i64
//       CHECK:   llvm.store %[[LD]],
//       CHECK:   llvm.call @fp8rt_matmul_prepare
func.func @column(%x: memref<?x4xf32>, %b: memref<8x4xf32>, %d: memref<1x4xf32>, %ws: memref<?xi8>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x4xf32>
  %view = memref.view %ws[%c0][%n] : memref<?xi8> to memref<8x?xf32>
  %column = memref.subview %view[0, 0] [8, 1] [1, 1] : memref<8x?xf32> to memref<8x1xf32, strided<[?, 1]>>
  %line = memref.collapse_shape %column [[0, 1]] : memref<8x1xf32, strided<[?, 1]>> into memref<8xf32, strided<[?]>>
  %a = memref.expand_shape %line [[0, 1]] output_shape [1, 8] : memref<8xf32, strided<[?]>> into memref<1x8xf32, strided<[?, ?]>>
  blaslt.matmul ins(%a, %b : memref<1x8xf32, strided<[?, ?]>>, memref<8x4xf32>) outs(%d : memref<1x4xf32>)
  return
}
