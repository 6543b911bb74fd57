func.func @f(%a: memref<4x4xbf16>, %b: memref<4x4xbf16>, %w: memref<4xi8>) {
  "blaslt.matmul"(%a, %b, %w) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0, 0, 1, 0>}> : (memref<4x4xbf16>, memref<4x4xbf16>, memref<4xi8>) -> ()
  return
}
