// What a pass may be handed and most do not expect: unranked and dynamic types, sizes
// of 0, sizes that 31 or 63 bits or any memory do not hold, tensors where buffers are
// expected and the reverse.

func.func @unranked(%x: tensor<*xbf16>, %w: tensor<64x32xbf16>) -> tensor<?x64xf32> {
  %r = tensor.cast %x : tensor<*xbf16> to tensor<?x32xbf16>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %r, %c0 : tensor<?x32xbf16>
  %e = tensor.empty(%m) : tensor<?x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x64xf32>) -> tensor<?x64xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%r, %w : tensor<?x32xbf16>, tensor<64x32xbf16>) outs(%f : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

func.func @unranked_through(%x: tensor<*xbf16>) -> tensor<*xbf16> {
  return %x : tensor<*xbf16>
}

// -----

func.func @unranked_buffer(%x: memref<*xbf16>, %y: memref<4xbf16>) {
  %r = memref.cast %x : memref<*xbf16> to memref<4xbf16>
  linalg.exp ins(%r : memref<4xbf16>) outs(%y : memref<4xbf16>)
  return
}

// -----

func.func private @opaque(tensor<*xf32>) -> tensor<*xf32>
func.func @unranked_call(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %u = tensor.cast %x : tensor<4x4xf32> to tensor<*xf32>
  %c = call @opaque(%u) : (tensor<*xf32>) -> tensor<*xf32>
  %r = tensor.cast %c : tensor<*xf32> to tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// -----

func.func @dynamic(%x: tensor<?x?xbf16>, %w: tensor<?x?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : bf16
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %w, %c0 : tensor<?x?xbf16>
  %e = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %f = linalg.fill ins(%zero : bf16) outs(%e : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<?x?xbf16>, tensor<?x?xbf16>) outs(%f : tensor<?x?xbf16>) -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

// -----

func.func @empty(%x: tensor<0x32xbf16>, %w: tensor<64x32xbf16>, %v: tensor<64x0xbf16>) -> (tensor<0x64xf32>, tensor<64x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<0x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<0x64xf32>) -> tensor<0x64xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<0x32xbf16>, tensor<64x32xbf16>) outs(%f : tensor<0x64xf32>) -> tensor<0x64xf32>
  %e2 = tensor.empty() : tensor<64x64xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%v, %v : tensor<64x0xbf16>, tensor<64x0xbf16>) outs(%f2 : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y, %z : tensor<0x64xf32>, tensor<64x64xf32>
}

// -----

func.func @beyond_31_bits(%x: tensor<4294967296x2xbf16>, %w: tensor<64x2xbf16>) -> tensor<4294967296x64xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4294967296x64xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4294967296x64xf32>) -> tensor<4294967296x64xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<4294967296x2xbf16>, tensor<64x2xbf16>) outs(%f : tensor<4294967296x64xf32>) -> tensor<4294967296x64xf32>
  return %y : tensor<4294967296x64xf32>
}

// -----

func.func @beyond_memory(%x: tensor<1125899906842624x16xbf16>, %w: tensor<4503599627370496x16xbf16>) -> tensor<1125899906842624x4503599627370496xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1125899906842624x4503599627370496xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1125899906842624x4503599627370496xf32>) -> tensor<1125899906842624x4503599627370496xf32>
  %y = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>]
    ins(%x, %w : tensor<1125899906842624x16xbf16>, tensor<4503599627370496x16xbf16>) outs(%f : tensor<1125899906842624x4503599627370496xf32>) -> tensor<1125899906842624x4503599627370496xf32>
  return %y : tensor<1125899906842624x4503599627370496xf32>
}

// -----

func.func @fp8_unranked(%x: tensor<*xbf16>) -> tensor<f32> {
  %r = tensor.cast %x : tensor<*xbf16> to tensor<?x?xbf16>
  %a = fp8.amax %r : tensor<?x?xbf16> -> tensor<f32>
  return %a : tensor<f32>
}

// -----

func.func @fp8_dynamic(%x: tensor<?x?xbf16>) -> (tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>) {
  %a = fp8.amax %x : tensor<?x?xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN policy <pow2 = down> : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<?x?xbf16>, tensor<f32> -> tensor<?x?xf8E4M3FN>
  %t = fp8.transpose %q : tensor<?x?xf8E4M3FN>
  return %q, %t, %d : tensor<?x?xf8E4M3FN>, tensor<?x?xf8E4M3FN>, tensor<f32>
}

// -----

func.func @fp8_empty(%x: tensor<0x16xbf16>) -> (tensor<0x16xf8E4M3FN>, tensor<16x0xf8E4M3FN>, tensor<f32>) {
  %a = fp8.amax %x : tensor<0x16xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<0x16xbf16>, tensor<f32> -> tensor<0x16xf8E4M3FN>
  %t = fp8.transpose %q : tensor<0x16xf8E4M3FN>
  return %q, %t, %d : tensor<0x16xf8E4M3FN>, tensor<16x0xf8E4M3FN>, tensor<f32>
}

// -----

func.func @fp8_beyond(%x: tensor<4503599627370496x4096xbf16>) -> (tensor<4096x4503599627370496xf8E4M3FN>, tensor<f32>) {
  %a = fp8.amax %x : tensor<4503599627370496x4096xbf16> -> tensor<f32>
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = fp8.cast %x scale %s : tensor<4503599627370496x4096xbf16>, tensor<f32> -> tensor<4503599627370496x4096xf8E4M3FN>
  %t = fp8.transpose %q : tensor<4503599627370496x4096xf8E4M3FN>
  return %t, %d : tensor<4096x4503599627370496xf8E4M3FN>, tensor<f32>
}

// -----

func.func @buffers(%x: memref<?x?xbf16>, %o: memref<f32>, %t: memref<?x4611686018427387904xf32>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]} ins(%x : memref<?x?xbf16>) outs(%o : memref<f32>) {
  ^bb0(%in: bf16, %out: f32):
    %f = arith.extf %in : bf16 to f32
    %b = math.absf %f : f32
    %m = arith.maximumf %out, %b : f32
    linalg.yield %m : f32
  }
  return
}

// -----

func.func @temporary(%x: memref<4503599627370496x4096xf32>, %y: memref<4503599627370496x4096xf32>) {
  %t = memref.alloc() : memref<4503599627370496x4096xf32>
  memref.copy %x, %t : memref<4503599627370496x4096xf32> to memref<4503599627370496x4096xf32>
  memref.copy %t, %y : memref<4503599627370496x4096xf32> to memref<4503599627370496x4096xf32>
  return
}

// -----

func.func private @no_block(%x: tensor<4xf32>)

// -----

func.func private @kernel_on_tensors(%x: tensor<4xf32>) -> tensor<4xf32> attributes {fp8.kernel} {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func private @kernel_unranked(%x: memref<*xf32>, %y: memref<4xf32>) attributes {fp8.kernel} {
  %r = memref.cast %x : memref<*xf32> to memref<4xf32>
  linalg.exp ins(%r : memref<4xf32>) outs(%y : memref<4xf32>)
  return
}

// -----

func.func private @kernel_empty(%x: memref<0x16xbf16>, %y: memref<16x0xbf16>) attributes {fp8.kernel} {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]} ins(%x : memref<0x16xbf16>) outs(%y : memref<16x0xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  }
  return
}

// -----

func.func private @kernel_no_op(%x: memref<4xf32>) attributes {fp8.kernel} {
  return
}

// -----

func.func @companions_of_nothing(%x: memref<*xf32>, %w: memref<?xi8>, %c: !llvm.ptr, %s: !llvm.ptr) -> i32 {
  %z = arith.constant 0 : i32
  return %z : i32
}
func.func @companions_of_nothing_workspace(%x: memref<*xf32>) -> i64 attributes {fp8.companion} {
  %z = arith.constant 0 : i64
  return %z : i64
}
func.func @companions_of_nothing_prepare(%x: memref<*xf32>, %c: !llvm.ptr) -> i32 attributes {fp8.companion} {
  %z = arith.constant 0 : i32
  return %z : i32
}

// -----

func.func @blocks(%c: i1, %x: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  cf.cond_br %c, ^one, ^two
^one:
  return %x : tensor<4x4xbf16>
^two:
  %t = arith.addf %x, %x : tensor<4x4xbf16>
  return %t : tensor<4x4xbf16>
}

// -----

func.func @scaled(%a: tensor<?x?xf8E4M3FN>, %b: tensor<0x?xf8E5M2>, %s: tensor<f32>) -> tensor<?x0xbf16> {
  %y = fp8.scaled_mm %a, %b descales %s, %s trans_b : tensor<?x?xf8E4M3FN>, tensor<0x?xf8E5M2>, tensor<f32>, tensor<f32> -> tensor<?x0xbf16>
  return %y : tensor<?x0xbf16>
}

// -----

func.func @copy_unranked(%a: memref<*xf32>, %b: memref<*xf32>) {
  memref.copy %a, %b : memref<*xf32> to memref<*xf32>
  return
}

// -----

func.func @gather(%table: tensor<8xf32>, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: index, %o: f32):
    %t = tensor.extract %table[%a] : tensor<8xf32>
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %e = tensor.empty() : tensor<4xcomplex<f32>>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xcomplex<f32>>) outs(%e : tensor<4xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    %t = complex.add %a, %a : complex<f32>
    linalg.yield %t : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %y : tensor<4xcomplex<f32>>
}

// -----

func.func @strings(%x: tensor<4x!llvm.ptr>) -> tensor<4x!llvm.ptr> {
  return %x : tensor<4x!llvm.ptr>
}
