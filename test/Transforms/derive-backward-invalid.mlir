// RUN: fp8-opt --allow-unregistered-dialect --fp8-derive-backward --split-input-file --verify-diagnostics %s

// expected-error @below {{'func.func' op expects a floating-point result to differentiate, but got '(tensor<4xf32>) -> tensor<4xi32>'}}
func.func @no_float_result(%x: tensor<4xf32>) -> tensor<4xi32> {
  %y = arith.fptosi %x : tensor<4xf32> to tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

// expected-error @below {{'func.func' op expects wide results to differentiate, but result 1 is 'tensor<4xf8E4M3FN>'}}
func.func @fp8_result(%x: tensor<4xf32>, %s: tensor<f32> {fp8.frozen}) -> (tensor<4xf32>, tensor<4xf8E4M3FN>) {
  %q = fp8.cast %x scale %s : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
  return %x, %q : tensor<4xf32>, tensor<4xf8E4M3FN>
}

// -----

// expected-error @below {{'func.func' op expects an argument of an fp8 type to be fp8.frozen, but argument 1 is not: 'tensor<4x4xf8E4M3FN>'}}
func.func @fp8_argument(%x: tensor<4xf32>, %q: tensor<4x4xf8E4M3FN>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects a ranked tensor or fp8.frozen as argument 0, but got 'tensor<*xf32>'}}
func.func @unranked(%x: tensor<*xf32>) -> tensor<4xf32> {
  %y = tensor.cast %x : tensor<*xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op expects one block to differentiate, but has 2}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1(%x : tensor<4xf32>)
^bb1(%y: tensor<4xf32>):
  return %y : tensor<4xf32>
}

// -----

func.func @loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'scf.for' op expects an op with a derivative on a path from an argument to a result, but scf.for has none}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %b = arith.mulf %a, %a : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// The loop captures %x: no operand shows it.
func.func @capturing_loop(%x: tensor<4xf32>, %n: index, %p: i1) -> tensor<4xf32> {
  // expected-error @below {{'scf.if' op expects an op with a derivative on a path from an argument to a result, but scf.if has none}}
  %y = scf.if %p -> tensor<4xf32> {
    %b = arith.mulf %x, %x : tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

// The first op without a derivative is named, and no other.
func.func @first_unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'test.first' op expects an op with a derivative on a path from an argument to a result, but test.first has none}}
  %y = "test.first"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = "test.second"(%y) : (tensor<4xf32>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func @side_effect(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'test.store' op expects an op with a derivative on a path from an argument to a result, but test.store has none}}
  "test.store"(%x) : (tensor<4xf32>) -> ()
  return %x : tensor<4xf32>
}

// -----

func.func @complex(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'test.to_complex' op expects an op with a derivative on a path from an argument to a result, but test.to_complex has none}}
  %y = "test.to_complex"(%x) : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %z = "test.from_complex"(%y) : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %z : tensor<4xf32>
}

// -----

func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func @external_call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op expects a function with one block on a differentiated path, but 'external' cannot be inlined}}
  %y = call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op expects no recursion in a differentiated function, but 'recursive' calls itself}}
  %y = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @recursion(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func private @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op expects a callee that is not differentiated, but 'callee' is}}
  %y = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @scaled_mm_operand(%x: tensor<64x32xbf16>, %q: tensor<32x16xf8E4M3FN> {fp8.frozen}, %s: tensor<f32> {fp8.frozen}, %d: tensor<f32> {fp8.frozen}) -> tensor<64x16xbf16> {
  %qx = fp8.cast %x scale %s : tensor<64x32xbf16>, tensor<f32> -> tensor<64x32xf8E4M3FN>
  // expected-error @below {{'fp8.scaled_mm' op expects operand b of a differentiated fp8.scaled_mm to be the result of an fp8.cast, but got a block argument}}
  %y = fp8.scaled_mm %qx, %q descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

func.func @scaled_mm_transposed(%x: tensor<32x64xbf16>, %w: tensor<32x16xbf16>, %s: tensor<f32> {fp8.frozen}, %d: tensor<f32> {fp8.frozen}) -> tensor<64x16xbf16> {
  %q = fp8.cast %x scale %s : tensor<32x64xbf16>, tensor<f32> -> tensor<32x64xf8E4M3FN>
  %t = fp8.transpose %q : tensor<32x64xf8E4M3FN>
  %qw = fp8.cast %w scale %s : tensor<32x16xbf16>, tensor<f32> -> tensor<32x16xf8E4M3FN>
  // expected-error @below {{'fp8.scaled_mm' op expects operand a of a differentiated fp8.scaled_mm to be the result of an fp8.cast, but got the result of an fp8.transpose}}
  %y = fp8.scaled_mm %t, %qw descales %d, %d : tensor<64x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<64x16xbf16>
  return %y : tensor<64x16xbf16>
}

// -----

func.func @cast_read_wide(%x: tensor<4xf32>, %s: tensor<f32> {fp8.frozen}) -> tensor<4xf32> {
  // expected-error @below {{'fp8.cast' op expects its result to be read by fp8.scaled_mm only in a differentiated function, but another op passes a cotangent to it}}
  %q = fp8.cast %x scale %s : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
  %y = arith.extf %q : tensor<4xf8E4M3FN> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
func.func @unknown_scalar(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    // expected-error @below {{'test.unknown' op expects an op with a derivative in a differentiated linalg.generic, but test.unknown has none}}
    %t = "test.unknown"(%a) : (f32) -> f32
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Not on the path to %x, but its value is needed for the derivative.
#id = affine_map<(d0) -> (d0)>
func.func @unknown_factor(%x: tensor<4xf32>, %f: tensor<4xf32> {fp8.frozen}) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]} ins(%x, %f : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    // expected-error @below {{'test.factor' op expects arithmetic in a differentiated linalg.generic, but test.factor cannot be computed again in 'f32'}}
    %t = "test.factor"(%b) : (f32) -> f32
    %u = arith.mulf %a, %t : f32
    linalg.yield %u : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @product_reduction(%x: tensor<4xf32>) -> tensor<f32> {
  %one = arith.constant dense<1.0> : tensor<f32>
  // expected-error @below {{'linalg.generic' op expects a differentiated reduction to add up or to select a maximum or minimum, but result 0 is combined by another rule}}
  %y = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%one : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// Signs that alternate are no sum: each step negates what came before.
#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @alternating(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error @below {{'linalg.generic' op expects a differentiated reduction to add up or to select a maximum or minimum, but result 0 is combined by another rule}}
  %y = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.subf %a, %o : f32
    linalg.yield %t : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

// A sum whose terms depend on the sum so far.
#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @not_a_sum(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error @below {{'linalg.generic' op expects a differentiated reduction to add up or to select a maximum or minimum, but result 0 is combined by another rule}}
  %y = linalg.generic {indexing_maps = [#id, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %t = arith.mulf %a, %o : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<f32>
  return %y : tensor<f32>
}

// -----

#id = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @running_value(%x: tensor<4xf32>) -> (tensor<f32>, tensor<f32>) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  // expected-error @below {{'linalg.generic' op expects a derivative that does not depend on the running value of a reduction, but it reads init 0}}
  %y:2 = linalg.generic {indexing_maps = [#id, #none, #none], iterator_types = ["reduction"]} ins(%x : tensor<4xf32>) outs(%zero, %zero : tensor<f32>, tensor<f32>) {
  ^bb0(%a: f32, %o: f32, %p: f32):
    %s = arith.addf %a, %o : f32
    %t = arith.mulf %a, %o : f32
    %u = arith.addf %t, %p : f32
    linalg.yield %s, %u : f32, f32
  } -> (tensor<f32>, tensor<f32>)
  return %y#0, %y#1 : tensor<f32>, tensor<f32>
}

// -----

func.func @max_of_trained_start(%x: tensor<3x4xf32>, %f: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{'linalg.reduce' op expects a constant initial value of a differentiated maximum or minimum, but result 0 starts from a differentiated one}}
  %y = linalg.reduce { arith.maximumf } ins(%x : tensor<3x4xf32>) outs(%f : tensor<3xf32>) dimensions = [1]
  return %y : tensor<3xf32>
}

// -----

func.func @window(%x: tensor<6xf32>, %w: tensor<3xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  // expected-error @below {{'linalg.conv_1d' op expects a differentiated operand read through a projected permutation or constants, but got affine_map<(d0, d1) -> (d0 + d1)>}}
  %y = linalg.conv_1d ins(%x, %w : tensor<6xf32>, tensor<3xf32>) outs(%zero : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @gather(%table: tensor<8xf32>, %i: tensor<4xindex>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error @below {{'linalg.generic' op expects no tensor captured by the body of a differentiated op, but got 'tensor<8xf32>'}}
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%i : tensor<4xindex>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: index, %o: f32):
    %t = tensor.extract %table[%a] : tensor<8xf32>
    linalg.yield %t : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @pad_value(%x: tensor<4xf32>) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error @below {{'tensor.pad' op expects a constant padding value in a differentiated function, but it depends on a differentiated one}}
  %y = tensor.pad %x low[0] high[1] {
  ^bb0(%i: index):
    tensor.yield %v : f32
  } : tensor<4xf32> to tensor<5xf32>
  return %y : tensor<5xf32>
}

// -----

func.func @vectors(%x: tensor<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %v = tensor.extract %x[%c0] : tensor<4xf32>
  // expected-error @below {{'vector.broadcast' op expects an op with a derivative on a path from an argument to a result, but vector.broadcast has none}}
  %w = vector.broadcast %v : f32 to vector<4xf32>
  return %w : vector<4xf32>
}
