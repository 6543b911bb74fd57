// C18: padded rows are a leading dimension and no copy; a size of 1 has no order.
// Field 8 and 9 of a descriptor are trans_a and trans_b, 13 is k, 15 and 16 are
// the leading dimensions of a and b.
// RUN: fp8-opt --fp8-plan-workspace --fp8-add-runtime-arguments --convert-blaslt-to-runtime --split-input-file %s | FileCheck %s --implicit-check-not=memref.copy --implicit-check-not=linalg.
// RUN: fp8-opt --fp8-assign-layouts=target=sm_90 %S/Inputs/c18-layouts.mlir | FileCheck %S/Inputs/c18-layouts.mlir

// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_desc_0
//       CHECK:   llvm.insertvalue %{{.+}}[8] :
//  CHECK-NEXT:   llvm.mlir.constant(1 : i32)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[9] :
//       CHECK:   llvm.insertvalue %{{.+}}[15] :
//  CHECK-NEXT:   llvm.mlir.constant(32 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[16] :
func.func @padded_rows(%a: memref<8x16xf8E4M3FN>, %b: memref<24x16xf8E4M3FN, strided<[32, 1]>>, %s: memref<f32>, %d: memref<8x24xbf16>) {
  blaslt.matmul ins(%a, %b : memref<8x16xf8E4M3FN>, memref<24x16xf8E4M3FN, strided<[32, 1]>>) descales(%s, %s : memref<f32>, memref<f32>) outs(%d : memref<8x24xbf16>) trans_b
  return
}

// -----

// The same bytes as a 16x24 matrix whose columns are contiguous.
// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_desc_0
//       CHECK:   llvm.insertvalue %{{.+}}[8] :
//  CHECK-NEXT:   llvm.mlir.constant(1 : i32)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[9] :
//       CHECK:   llvm.insertvalue %{{.+}}[12] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[13] :
//       CHECK:   llvm.insertvalue %{{.+}}[15] :
//  CHECK-NEXT:   llvm.mlir.constant(32 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[16] :
func.func @padded_columns(%a: memref<8x16xf8E4M3FN>, %b: memref<16x24xf8E4M3FN, strided<[1, 32]>>, %s: memref<f32>, %d: memref<8x24xbf16>) {
  blaslt.matmul ins(%a, %b : memref<8x16xf8E4M3FN>, memref<16x24xf8E4M3FN, strided<[1, 32]>>) descales(%s, %s : memref<f32>, memref<f32>) outs(%d : memref<8x24xbf16>)
  return
}

// -----

// One row, whatever its stride; one column is the row of its transpose.
// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_desc_0
//       CHECK:   llvm.insertvalue %{{.+}}[7] :
//  CHECK-NEXT:   llvm.mlir.constant(0 : i32)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[8] :
//  CHECK-NEXT:   llvm.mlir.constant(1 : i32)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[9] :
//       CHECK:   llvm.insertvalue %{{.+}}[12] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[13] :
//       CHECK:   llvm.insertvalue %{{.+}}[14] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[15] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[16] :
func.func @row_times_column(%a: memref<1x16xf8E4M3FN, strided<[1, 1]>>, %b: memref<16x1xf8E4M3FN>, %s: memref<f32>, %d: memref<1x1xbf16>) {
  blaslt.matmul ins(%a, %b : memref<1x16xf8E4M3FN, strided<[1, 1]>>, memref<16x1xf8E4M3FN>) descales(%s, %s : memref<f32>, memref<f32>) outs(%d : memref<1x1xbf16>)
  return
}

// -----

// One row of elements that are apart is one column of rows that are.
// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_desc_0
//       CHECK:   llvm.insertvalue %{{.+}}[7] :
//  CHECK-NEXT:   llvm.mlir.constant(1 : i32)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[8] :
//       CHECK:   llvm.insertvalue %{{.+}}[12] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[13] :
//       CHECK:   llvm.insertvalue %{{.+}}[14] :
//  CHECK-NEXT:   llvm.mlir.constant(8 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[15] :
func.func @row_apart(%a: memref<1x16xbf16, strided<[128, 8]>>, %b: memref<16x24xbf16>, %d: memref<1x24xbf16>) {
  blaslt.matmul ins(%a, %b : memref<1x16xbf16, strided<[128, 8]>>, memref<16x24xbf16>) outs(%d : memref<1x24xbf16>)
  return
}

// -----

// And the other reading of both.
// CHECK-LABEL: llvm.mlir.global internal constant @fp8rt_desc_0
//       CHECK:   llvm.insertvalue %{{.+}}[7] :
//  CHECK-NEXT:   llvm.mlir.constant(0 : i32)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[8] :
//  CHECK-NEXT:   llvm.mlir.constant(1 : i32)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[9] :
//       CHECK:   llvm.insertvalue %{{.+}}[12] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[13] :
//       CHECK:   llvm.insertvalue %{{.+}}[14] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[15] :
//  CHECK-NEXT:   llvm.mlir.constant(16 : i64)
//  CHECK-NEXT:   llvm.insertvalue %{{.+}}[16] :
func.func @transposed_column_times_row(%a: memref<16x1xf8E4M3FN>, %b: memref<1x16xf8E4M3FN>, %s: memref<f32>, %d: memref<1x1xbf16>) {
  blaslt.matmul ins(%a, %b : memref<16x1xf8E4M3FN>, memref<1x16xf8E4M3FN>) descales(%s, %s : memref<f32>, memref<f32>) outs(%d : memref<1x1xbf16>) trans_a trans_b
  return
}
