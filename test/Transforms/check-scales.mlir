// RUN: fp8-opt --fp8-check-scales --split-input-file --verify-diagnostics %s

// Negative: each in its own place, through everything that is followed.
func.func @right(%x: tensor<4xf32>, %a: tensor<f32>, %q: tensor<4x4xf8E4M3FN>, %flag: i1) {
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %s1 = arith.select %flag, %s, %a : tensor<f32>
  %d1 = scf.if %flag -> tensor<f32> {
    scf.yield %d : tensor<f32>
  } else {
    scf.yield %a : tensor<f32>
  }
  %0 = fp8.cast %x scale %s1 : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
  %1 = fp8.scaled_mm %q, %q descales %d1, %d1 : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<4x4xf32>
  return
}

// -----

func.func @shape_ops(%x: tensor<4x4xf32>, %a: tensor<f32>) {
  // expected-note @below {{this fp8.scale defines it}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %e = tensor.expand_shape %d [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  // expected-error @below {{'fp8.cast' op expects a scale as scale, but a descale reaches it}}
  %q = fp8.cast %x scale %e granularity <block 128x128> : tensor<4x4xf32>, tensor<1x1xf32> -> tensor<4x4xf8E4M3FN>
  return
}

// -----

func.func @select_b(%q: tensor<4x4xf8E4M3FN>, %a: tensor<f32>, %flag: i1) {
  // expected-note @below {{this fp8.scale defines it}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %e = arith.select %flag, %d, %s : tensor<f32>
  // expected-error @below {{'fp8.scaled_mm' op expects a descale as descale_b, but a scale reaches it}}
  %y = fp8.scaled_mm %q, %q descales %d, %e : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<4x4xf32>
  return
}

// -----

func.func @if_a(%q: tensor<4x4xf8E4M3FN>, %a: tensor<f32>, %flag: i1) {
  // expected-note @below {{this fp8.scale defines it}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %e = scf.if %flag -> tensor<f32> {
    scf.yield %d : tensor<f32>
  } else {
    scf.yield %s : tensor<f32>
  }
  // expected-error @below {{'fp8.scaled_mm' op expects a descale as descale_a, but a scale reaches it}}
  %y = fp8.scaled_mm %q, %q descales %e, %d : tensor<4x4xf8E4M3FN>, tensor<4x4xf8E4M3FN>, tensor<f32>, tensor<f32> -> tensor<4x4xf32>
  return
}

// -----

// A loop that runs no iteration hands on what it starts with.
func.func @loop_init(%x: tensor<4xf32>, %a: tensor<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{this fp8.scale defines it}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %d) -> tensor<f32> {
    scf.yield %s : tensor<f32>
  }
  // expected-error @below {{'fp8.cast' op expects a scale as scale, but a descale reaches it}}
  %q = fp8.cast %x scale %r : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
  return
}

// -----

// In the body, the second iteration has what the first yields.
func.func @loop_carried(%x: tensor<4xf32>, %a: tensor<f32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{this fp8.scale defines it}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%b = %s) -> tensor<f32> {
    // expected-error @below {{'fp8.cast' op expects a scale as scale, but a descale reaches it}}
    %q = fp8.cast %x scale %b : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
    scf.yield %d : tensor<f32>
  }
  return
}

// -----

func.func private @quantize(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf8E4M3FN> {
  // expected-error @below {{'fp8.cast' op expects a scale as scale, but a descale reaches it}}
  %q = fp8.cast %x scale %s : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
  return %q : tensor<4xf8E4M3FN>
}
func.func @into_a_call(%x: tensor<4xf32>, %a: tensor<f32>) {
  // expected-note @below {{this fp8.scale defines it}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  %q = call @quantize(%x, %d) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf8E4M3FN>
  return
}

// -----

func.func private @both(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  // expected-note @below {{this fp8.scale defines it}}
  %s, %d = fp8.scale %a for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
  return %s, %d : tensor<f32>, tensor<f32>
}
func.func @out_of_a_call(%x: tensor<4xf32>, %a: tensor<f32>) {
  %r:2 = call @both(%a) : (tensor<f32>) -> (tensor<f32>, tensor<f32>)
  %p = fp8.cast %x scale %r#0 : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
  // expected-error @below {{'fp8.cast' op expects a scale as scale, but a descale reaches it}}
  %q = fp8.cast %x scale %r#1 : tensor<4xf32>, tensor<f32> -> tensor<4xf8E4M3FN>
  return
}
