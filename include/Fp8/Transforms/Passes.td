//===- Passes.td ----------------------------------------------*- tablegen -*-===//
//
// Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from tensors to tensors, and on buffers.
//
//===----------------------------------------------------------------------===//

#ifndef FP8_TRANSFORMS_PASSES_TD
#define FP8_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def RaiseMatmulsPass : Pass<"fp8-raise-matmuls", "::mlir::ModuleOp"> {
  let summary = "Turn every spelling of a linear layer into fp8.matmul";
  let description = [{
    Exporters spell a linear layer in many ways: named matmuls with a transpose
    in front, operands widened to f32, generics, a bias before or after the
    rounding. This pass finds contractions by their indexing maps, looks through
    transposes, broadcasts and widenings (`arith.extf`) of the operands, and
    takes a bias along the columns and the rounding of the result into the op.
    Replaces

    ```mlir
    %t = linalg.transpose ins(%w : tensor<256x128xbf16>) outs(%e0 : ...) permutation = [1, 0]
    %z = linalg.fill ins(%zero : f32) outs(%e1 : ...) -> tensor<64x256xf32>
    %m = linalg.matmul ins(%x, %t : ...) outs(%z : ...) -> tensor<64x256xf32>
    %y = linalg.generic ins(%m : tensor<64x256xf32>) ... { arith.truncf ... } -> tensor<64x256xbf16>
    ```

    with

    ```mlir
    %y = fp8.matmul %x, %w trans_b name "arg1"
        : tensor<64x128xbf16>, tensor<256x128xbf16> -> tensor<64x256xbf16>
    ```

    An `outs` that is not known to be zero becomes the accumulator. A rounding
    may be dropped (a bias added after it moves into the f32 epilogue; a bf16
    accumulator becomes f32), and none is added. Several contracted or several
    kept dimensions are collapsed into one. What is a contraction and cannot be
    raised stays, with a missed remark that says why.
  }];
  let dependentDialects = ["fp8::Fp8Dialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect", "arith::ArithDialect"];
}

def AssignRolesPass : Pass<"fp8-assign-roles", "::mlir::ModuleOp"> {
  let summary = "Find the gradient matmuls of a function differentiated elsewhere";
  let description = [{
    PyTorch and JAX export training steps that they have differentiated
    themselves. A matmul that reads the same tensor as an earlier one, and sums
    over what that one keeps and keeps what that one sums over, gives a gradient
    of the other operand: the weight's (`wgrad`) or the input's (`dgrad`). Its own
    other operand is the gradient that comes in. "The same tensor" is meant but
    for transposes, casts, reshapes and broadcasts. Replaces

    ```mlir
    %y = fp8.matmul %x, %w trans_b name "w" : ...
    %dw = fp8.matmul %dy, %x trans_a name "x" : ...
    %dx = fp8.matmul %dy, %w name "w" : ...
    ```

    with

    ```mlir
    %y = fp8.matmul %x, %w trans_b name "w" : ...
    %dw = fp8.matmul %dy, %x trans_a role wgrad gradient a name "w" : ...
    %dx = fp8.matmul %dy, %w role dgrad gradient a name "w" : ...
    ```

    Weights that are used twice, as in tied embeddings, look the same, so one of
    these has to hold too:
    - The gradient depends on a tangent: an argument that `tangents` names, or one
      that the first result does not depend on. Then all that depends on a tangent
      is a gradient, matched or not.
    - Without a tangent, as in the gradient of a loss: two matmuls read the
      gradient, one for each operand of the earlier one; or the gradient depends
      on such a matmul; or the result is returned as the gradient of a weight.

    A backward pass without its forward one has nothing to match. There, with each
    matmul reading one operand that depends on the last argument, and two of them
    the same one in two ways, the last argument is the tangent, and a remark says
    so. Roles follow from the gradient then, whose rows are tokens.

    A function in which a matmul has a `gradient` already is left alone.
  }];
  let options = [
    ListOption<"tangents", "tangents", "unsigned",
               "Numbers of the arguments that are gradients of results">
  ];
}

def SelectMatmulsPass : Pass<"fp8-select-matmuls", "::mlir::ModuleOp"> {
  let summary = "Decide which matmuls stay wide, and why";
  let description = [{
    Sets `fp8.convert` to `"never"`, and `fp8.reason`, on each `fp8.matmul` that a
    filter keeps wide. It runs on the forward program, before
    `fp8-derive-backward`, which hands both attributes on: a linear layer is
    converted in all its three matmuls or in none. In a function that was
    differentiated elsewhere, a gradient matmul follows its forward one.

    With `exclude=router`, replaces

    ```mlir
    %y = fp8.matmul %x, %w trans_b name "router" : ...
    ```

    with

    ```mlir
    %y = fp8.matmul %x, %w trans_b name "router"
        {fp8.convert = "never", fp8.reason = "its name matches 'router'"} : ...
    ```

    An `fp8.convert` that is there already wins over all filters. They are, in this
    order:
    - `include` and `exclude`, regular expressions that are searched for in names.
    - `min-m`, `min-n`, `min-k`; dynamic sizes pass.
    - `computed`: a product of two computed tensors, as in attention, which is one
      where neither operand is an argument or a constant (but for views and casts)
      and that has batch dimensions or depends on another matmul on both sides.
    - `pad=false`: sizes that are, or may be, no multiples of what the target asks
      for; with `backward` also of what it asks for in the two gradients, where M
      and N are sums.
    - `cost`: the time that the target table predicts for the layer in fp8 is
      longer than in the wide type by more than `min-gain` allows. Counted are the
      three matmuls (one without `backward`), reading each operand for its amax,
      casting it, a transposed copy where the target needs one, and a launch a
      kernel; an operand that several matmuls read is counted in parts. Dynamic
      sizes are not predicted. What is converted has an analysis remark with its
      prediction.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "The device, a row of the target table: cpu, sm_90, gfx942, ...">,
    Option<"include", "include", "std::string", /*default=*/"\"\"",
           "Convert only matmuls whose name has a match of this regular "
           "expression">,
    Option<"exclude", "exclude", "std::string", /*default=*/"\"\"",
           "Keep matmuls wide whose name has a match of this regular expression">,
    Option<"minM", "min-m", "int64_t", /*default=*/"0",
           "Keep matmuls with fewer rows wide">,
    Option<"minN", "min-n", "int64_t", /*default=*/"0",
           "Keep matmuls with fewer columns wide">,
    Option<"minK", "min-k", "int64_t", /*default=*/"0",
           "Keep matmuls with shorter sums wide">,
    Option<"computed", "computed", "bool", /*default=*/"false",
           "Convert products of two computed tensors too, as in attention">,
    Option<"pad", "pad", "bool", /*default=*/"true",
           "Convert sizes that need padding">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"0",
           "What sizes must be multiples of, in place of the target's">,
    Option<"cost", "cost", "bool", /*default=*/"false",
           "Keep matmuls wide that are predicted to be slower in fp8">,
    Option<"minGain", "min-gain", "double", /*default=*/"1.0",
           "The least predicted speed of fp8, relative to the wide type">,
    Option<"backward", "backward", "bool", /*default=*/"false",
           "Predict for a step that fp8-derive-backward will differentiate">
  ];
}

def PadMatmulsPass : Pass<"fp8-pad-matmuls", "::mlir::ModuleOp"> {
  let summary = "Pad the operands of fp8.scaled_mm to sizes that the target takes";
  let description = [{
    Where the target asks for M, N and K that are multiples of 16 (or `alignment`),
    appends zeros to the operands of an `fp8.scaled_mm` behind their cast, and
    takes the result out of the padded one. Zeros add nothing to a sum, and no
    amax sees them. Replaces

    ```mlir
    %y = fp8.scaled_mm %a, %b descales %da, %db trans_b
        : tensor<?x16xf8E4M3FN>, tensor<33x16xf8E4M3FN>, ... -> tensor<?x33xbf16>
    ```

    with

    ```mlir
    %m = tensor.dim %a, %c0 : tensor<?x16xf8E4M3FN>
    %more = affine.apply affine_map<(d0) -> ((-d0) mod 16)>(%m)
    %pa = tensor.pad %a low[0, 0] high[%more, 0] { tensor.yield %zero } : ...
    %pb = tensor.pad %b low[0, 0] high[15, 0] { tensor.yield %zero }
        : tensor<33x16xf8E4M3FN> to tensor<48x16xf8E4M3FN>
    %p = fp8.scaled_mm %pa, %pb descales %da, %db trans_b
        : tensor<?x16xf8E4M3FN>, tensor<48x16xf8E4M3FN>, ... -> tensor<?x48xbf16>
    %y = tensor.extract_slice %p[0, 0] [%m, 33] [1, 1]
        : tensor<?x48xbf16> to tensor<?x33xbf16>
    ```

    An accumulator, a bias and descales of rows or columns are padded with it. A
    tensor that several matmuls read is padded for each; CSE leaves one. Run again,
    the pass changes nothing. A target without fp8 matrix units has no alignment.
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "The device, a row of the target table: cpu, sm_90, gfx942, ...">,
    Option<"alignment", "alignment", "int64_t", /*default=*/"0",
           "What sizes must be multiples of, in place of the target's">
  ];
}

def QuantizeMatmulsPass : Pass<"fp8-quantize-matmuls", "::mlir::ModuleOp"> {
  let summary = "Quantize the operands of fp8.matmul";
  let description = [{
    Replaces each `fp8.matmul` by the quantization of its operands and an
    `fp8.scaled_mm`. With the recipe `tensorwise` every operand has one scale,
    taken from its own amax; with `tensorwise_pow2` that scale is rounded down
    to a power of two (`policy <pow2 = down>`), so that scaling and its undoing
    are exact. Activations and weights become e4m3, the gradient
    operand (`gradient a` or `gradient b`) e5m2; the types are those of the
    target. Fast accumulation is set on forward matmuls only, where the target
    has it. Replaces

    ```mlir
    %y = fp8.matmul %x, %w trans_b
        : tensor<64x128xbf16>, tensor<256x128xbf16> -> tensor<64x256xbf16>
    ```

    with

    ```mlir
    %ax = fp8.amax %x : tensor<64x128xbf16> -> tensor<f32>
    %sx, %dx = fp8.scale %ax for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
    %qx = fp8.cast %x scale %sx : tensor<64x128xbf16>, tensor<f32> -> tensor<64x128xf8E4M3FN>
    // the same for %w
    %y = fp8.scaled_mm %qx, %qw descales %dx, %dw trans_b fast_accum : ...
    ```

    A tensor that several matmuls read is quantized for each; CSE leaves one. An
    operand that was widened exactly is quantized from the narrower tensor.
    Stays wide, with a missed remark: a matmul with `fp8.convert = "never"` (the
    remark gives the `fp8.reason`, if there is one), one in f64, and all for a target without fp8 matrix units.
  }];
  let dependentDialects = ["fp8::Fp8Dialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "The device, a row of the target table: cpu, sm_90, gfx942, ...">,
    Option<"recipe", "recipe", "std::string", /*default=*/"\"tensorwise\"",
           "How scales are chosen: tensorwise or tensorwise_pow2">
  ];
}

def AssignLayoutsPass : Pass<"fp8-assign-layouts", "::mlir::ModuleOp"> {
  let summary = "Store fp8 operands as the target's matmul reads them";
  let description = [{
    Libraries differ in how they read an fp8 operand. cuBLASLt on sm_90 takes
    `op(A)` as stored and `op(B)` transposed and nothing else; others take every
    form. For each `fp8.scaled_mm` this pass looks through the transposes of its
    operands and chooses, among the target's forms, the one that costs the fewest
    copies; what is left to copy becomes one `fp8.transpose` behind the tensor's
    definition, shared by all its readers. For sm_90, replaces

    ```mlir
    %dx = fp8.scaled_mm %qdy, %qw descales %d0, %d1
        : tensor<64x256xf8E5M2>, tensor<256x128xf8E4M3FN>, ...
    ```

    with

    ```mlir
    %t = fp8.transpose %qw : tensor<256x128xf8E4M3FN>
    %dx = fp8.scaled_mm %qdy, %t descales %d0, %d1 trans_b
        : tensor<64x256xf8E5M2>, tensor<128x256xf8E4M3FN>, ...
    ```

    For a target that takes every form no transpose is left. A matrix of one row
    or one column is reshaped and not copied. Run again, it changes nothing. An
    `fp8.scaled_mm` of types that the target's matmul does not take is an error:
    of any for a target without fp8 matrix units, of the other pair (FNUZ in place
    of OCP), or two e5m2 operands where the library has no such matmul.
  }];
  let dependentDialects = ["fp8::Fp8Dialect", "tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "The device, a row of the target table: cpu, sm_90, gfx942, ...">
  ];
}

def PartitionPass : Pass<"fp8-partition", "::mlir::ModuleOp"> {
  let summary = "Make a forward and a backward function of each joint function";
  let description = [{
    A joint function `NAME` takes arguments and tangents and gives results and
    gradients. `NAME_forward` takes the arguments and gives the results and, after
    them, the residuals that are saved; `NAME_backward` takes the residuals, then
    the tangents, and gives the gradients. Runs after `fp8-assign-layouts`, so
    that what is saved is what the backward pass reads, in its layout. Replaces

    ```mlir
    func.func @linear(%x: tensor<64x128xbf16>, %w: tensor<256x128xbf16>,
                      %dy: tensor<64x256xbf16> {fp8.tangent = 0})
        -> (tensor<64x256xbf16>, tensor<64x128xbf16> {fp8.gradient = 0},
            tensor<256x128xbf16> {fp8.gradient = 1})
    ```

    with, for sm_90,

    ```mlir
    func.func @linear_forward(%x: tensor<64x128xbf16>, %w: tensor<256x128xbf16>)
        -> (tensor<64x256xbf16>,
            tensor<f32> {fp8.saved = "descale of arg0"},
            tensor<128x64xf8E4M3FN> {fp8.saved = "arg0 in f8E4M3FN, transposed"},
            tensor<f32> {fp8.saved = "descale of arg1"},
            tensor<128x256xf8E4M3FN> {fp8.saved = "arg1 in f8E4M3FN, transposed"})
    func.func @linear_backward(%dx: tensor<f32> {fp8.residual = 1}, ...,
                               %dy: tensor<64x256xbf16> {fp8.tangent = 0})
        -> (tensor<64x128xbf16>, tensor<256x128xbf16>) attributes {fp8.backward}
    ```

    Residuals come in this order: results of the model and what is saved
    (`fp8.residual` has the number among the results of `NAME_forward`), then
    arguments of the model (`fp8.argument` has the number among its arguments).
    Tangents and gradients are those that `fp8-derive-backward` marked. In a
    module without marks, as exporters write joint graphs, the options say which
    they are.

    The residuals are a minimal cut, in bytes, between the arguments and what the
    backward pass reads; of several the one nearest to the backward pass, so that
    nothing is computed again for nothing. Values cost:

    | value | cost |
    | --- | --- |
    | argument | 0: the caller has it; but one with `fp8.donated` is written over, and is saved |
    | other tensor | its bytes, a dynamic size taken for `dynamic-size`; a result of the model is passed on and not copied |
    | scalar that is no tensor | not saved |

    What the backward pass may compute again:

    | op | computed again |
    | --- | --- |
    | constants, sizes, views, scalars | always |
    | elementwise `linalg`, ops of `tensor`, `fp8.cast`, `fp8.scale`, `fp8.transpose` | where the kernel that reads it computes it on the way; not if a matmul reads it from memory, since it would be a pass over memory of its own |
    | matmuls, reductions, `fp8.amax`, side effects, loops and others | never |

    These are rules of PyTorch's min-cut partitioner
    (`min_cut_rematerialization_partition` in `torch/_functorch/partitioners.py`;
    there, `ban_recompute_reductions` and `ban_recompute_materialized_backward`,
    while `ban_recompute_used_far_apart` and `_long_fusible_chains`, which guess
    at what fuses, have no counterpart). So an MLP saves the fp8 bytes that its
    matmuls read and one wide tensor, the input of its activation function, and
    no wide copy of what it reads in fp8.

    `max-bytes` is kept to by lifting "not if a matmul reads it", largest values
    first, as far as needed: casts and transposes are done again, from saved
    scales. An error if that is not enough. An analysis remark tells each
    residual, its bytes, and those of the wide tensor it stands for.
  }];
  let dependentDialects = ["func::FuncDialect", "tensor::TensorDialect",
                           "arith::ArithDialect"];
  let options = [
    Option<"keepJoint", "keep-joint", "bool", /*default=*/"false",
           "Keep the joint function next to its parts">,
    Option<"forwardOnly", "forward-only", "bool", /*default=*/"false",
           "For evaluation: keep NAME without tangents and gradients, make no "
           "parts. A function without marks stays, unless `tangents` or "
           "`results` are given">,
    ListOption<"tangents", "tangents", "unsigned",
               "The arguments that are tangents, in a module without marks "
               "(default: the last one)">,
    ListOption<"results", "results", "unsigned",
               "The results of the forward pass, in a module without marks "
               "(default: the first one)">,
    Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"-1",
           "The most bytes to keep for the backward pass, arguments aside "
           "(default: no limit)">,
    Option<"recomputeArguments", "recompute-arguments", "bool",
           /*default=*/"false",
           "Cast arguments to fp8 again, from their saved scale, rather than "
           "saving the fp8 bytes">,
    Option<"dynamicSize", "dynamic-size", "int64_t", /*default=*/"1024",
           "What a dynamic size is taken for in bytes">
  ];
}

def WidenPass : Pass<"fp8-widen", "::mlir::ModuleOp"> {
  let summary = "The same program with every float in f64";
  let description = [{
    Every floating-point type becomes f64, constants with their exact values, and
    casts between floats go away: what the program means before any rounding,
    which `fp8-run --compare` takes as the reference. Replaces

    ```mlir
    %y = fp8.matmul %x, %w trans_b : tensor<64x128xbf16>, tensor<256x128xbf16> -> tensor<64x256xbf16>
    %f = arith.truncf %e : f32 to bf16
    ```

    with

    ```mlir
    %y = fp8.matmul %x, %w trans_b : tensor<64x128xf64>, tensor<256x128xf64> -> tensor<64x256xf64>
    ```

    and uses of `%f` with `%e`. A program that is quantized already, or that
    looks at the bits of a float, is an error.
  }];
  let dependentDialects = ["fp8::Fp8Dialect"];
}

def ResultsToDestinationsPass
    : Pass<"fp8-results-to-destinations", "::mlir::ModuleOp"> {
  let summary = "Write the results of public functions into buffers of the caller";
  let description = [{
    Runs before bufferization. Each result of a public function becomes a memref
    argument behind the others, into which the result is materialized, so that
    bufferization computes it in place; no argument may be written unless it has
    `fp8.donated`. Replaces

    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      return %r : tensor<4xf32>
    }
    ```

    with

    ```mlir
    func.func @main(%x: tensor<4xf32> {bufferization.writable = false}, %out: memref<4xf32> {fp8.result}) {
      bufferization.materialize_in_destination %r in restrict writable %out
          : (tensor<4xf32>, memref<4xf32>) -> ()
      return
    }
    ```

    A result that is no ranked tensor, a function of several blocks, or a call of
    a public function is an error.
  }];
  let dependentDialects = ["bufferization::BufferizationDialect"];
}

def FoldEmptyTensorsPass : Pass<"fp8-fold-empty-tensors"> {
  let summary = "Fold shape ops on tensors that hold nothing";
  let description = [{
    Runs before bufferization, which in 22.1.8 makes buffers of these that do not
    verify: a dimension of a dynamic one and one of size 0, a slice behind the
    last element. A collapse, concatenation or pad without elements becomes a
    `tensor.empty`; a concatenation loses operands without elements; a pad of
    nothing becomes a `linalg.fill`. Replaces

    ```mlir
    %c = tensor.collapse_shape %a [[0, 1], [2]] : tensor<?x0x5xf32> into tensor<?x5xf32>
    ```

    with

    ```mlir
    %c0 = arith.constant 0 : index
    %c = tensor.empty(%c0) : tensor<?x5xf32>
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "arith::ArithDialect",
                           "linalg::LinalgDialect", "tensor::TensorDialect"];
}

def SplitEmptyTensorsPass
    : Pass<"fp8-split-empty-tensors", "::mlir::ModuleOp"> {
  let summary = "Give each op a destination of its own";
  let description = [{
    Exporters and CSE leave one `tensor.empty`, and one filled tensor, for all ops
    of a shape. Bufferization then asks for each pair of them whether they may
    share memory, in time that grows with the cube of the program. Runs before
    it; each op gets its own. Replaces

    ```mlir
    %e = tensor.empty() : tensor<4xf32>
    %x = linalg.exp ins(%a : ...) outs(%e : ...) -> tensor<4xf32>
    %y = linalg.exp ins(%x : ...) outs(%e : ...) -> tensor<4xf32>
    ```

    with

    ```mlir
    %e0 = tensor.empty() : tensor<4xf32>
    %x = linalg.exp ins(%a : ...) outs(%e0 : ...) -> tensor<4xf32>
    %e1 = tensor.empty() : tensor<4xf32>
    %y = linalg.exp ins(%x : ...) outs(%e1 : ...) -> tensor<4xf32>
    ```

    A `linalg.fill` of an empty tensor is repeated for each op that writes over
    it, which needs a copy of it in any case.
  }];
}

def AddCastStatisticsPass
    : Pass<"fp8-add-cast-statistics", "::mlir::ModuleOp"> {
  let summary = "Count what casts saturate and flush to zero";
  let description = [{
    Appends three results to every public function for each `fp8.cast` with
    granularity `<tensor>`, all f64: how many values are beyond the largest finite
    one after scaling, how many are not zero and round to zero, and how many there
    are. They
    carry `fp8.statistic`, the cast in words. `fp8-run --stats` prints them as
    shares. Adds

    ```mlir
    %n:3 = linalg.generic ... ins(%x, %s : tensor<64x32xbf16>, tensor<f32>)
        outs(%z, %z, %z : tensor<f64>, tensor<f64>, tensor<f64>)
    return %y, %n#0, %n#1, %n#2 : ...
    ```

    to

    ```mlir
    %q = fp8.cast %x scale %s : tensor<64x32xbf16>, tensor<f32> -> tensor<64x32xf8E4M3FN>
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "math::MathDialect", "tensor::TensorDialect"];
}

def AddSizeFunctionsPass
    : Pass<"fp8-add-size-functions", "::mlir::ModuleOp"> {
  let summary = "Make functions that give the sizes of results";
  let description = [{
    Each public function NAME on tensors gets a companion NAME_sizes, which takes
    the same arguments and gives every size of every result, so that a caller
    can bring the buffers. Its body is a copy of the function's, of which only
    the arithmetic on sizes is left. Adds

    ```mlir
    func.func @main_sizes(%x: tensor<?x128xbf16>, %w: tensor<256x128xbf16>)
        -> (index, index) {
      %m = tensor.dim %x, %c0 : tensor<?x128xbf16>
      return %m, %c256 : index, index
    }
    ```

    to

    ```mlir
    func.func @main(%x: tensor<?x128xbf16>, %w: tensor<256x128xbf16>)
        -> tensor<?x256xbf16>
    ```

    A size that depends on the values of a tensor is an error.
  }];
  let dependentDialects = ["arith::ArithDialect", "affine::AffineDialect",
                           "memref::MemRefDialect", "tensor::TensorDialect"];
}

def CopyStridedOperandsPass : Pass<"fp8-copy-strided-operands"> {
  let summary = "Copy operands of matmuls that no library call can describe";
  let description = [{
    Runs on buffers. A library takes a leading dimension and one distance between
    the matrices of a batch; a view of a tensor, as a slice with a step or one
    column of many, may lie otherwise. Such an operand is copied in front of the
    call, and a result behind it. The transpose of a matrix that lies by rows is
    no reason for a copy, except in fp8, where `fp8-assign-layouts` has chosen how
    the target reads it. A bias and descales have to be contiguous. Replaces

    ```mlir
    blaslt.matmul ins(%a, %b : memref<4x8xf32, strided<[16, 2]>>, memref<8x4xf32>) outs(%d : memref<4x4xf32>)
    ```

    with

    ```mlir
    %c = memref.alloc() : memref<4x8xf32>
    memref.copy %a, %c : memref<4x8xf32, strided<[16, 2]>> to memref<4x8xf32>
    blaslt.matmul ins(%c, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%d : memref<4x4xf32>)
    ```
  }];
  let dependentDialects = ["arith::ArithDialect", "memref::MemRefDialect"];
}

def CopyToLinalgPass : Pass<"fp8-copy-to-linalg"> {
  let summary = "Turn copies of buffers into linalg";
  let description = [{
    A copy between buffers with strides would become a call of a helper library;
    as a generic it becomes loops like everything else. Replaces

    ```mlir
    memref.copy %a, %b : memref<4x8xf32, strided<[16, 1]>> to memref<4x8xf32>
    ```

    with

    ```mlir
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : memref<4x8xf32, strided<[16, 1]>>) outs(%b : memref<4x8xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    }
    ```
  }];
  let dependentDialects = ["linalg::LinalgDialect"];
}

def LowerReshapesPass : Pass<"fp8-lower-reshapes"> {
  let summary = "Lower expanded buffers of dynamic sizes";
  let description = [{
    Upstream's `expand-strided-metadata` (22.1.8) crashes on an
    `memref.expand_shape` that makes two dynamic dimensions of one. The op states
    its sizes; the strides follow from them and from those of the buffer.
    Replaces

    ```mlir
    %e = memref.expand_shape %a [[0, 1], [2]] output_shape [%b, %t, 8]
        : memref<?x8xf32> into memref<?x?x8xf32>
    ```

    with

    ```mlir
    %base, %o, %sizes:2, %strides:2 = memref.extract_strided_metadata %a : memref<?x8xf32> -> ...
    %c = memref.reinterpret_cast %base to offset: [0], sizes: [%b, %t, 8], strides: [%s, 8, 1]
        : memref<f32> to memref<?x?x8xf32, strided<[?, 8, 1]>>
    %e = memref.cast %c : memref<?x?x8xf32, strided<[?, 8, 1]>> to memref<?x?x8xf32>
    ```
  }];
  let dependentDialects = ["affine::AffineDialect", "memref::MemRefDialect"];
}

def PlanWorkspacePass : Pass<"fp8-plan-workspace", "::mlir::ModuleOp"> {
  let summary = "Put all temporaries of a function into one argument";
  let description = [{
    Runs on buffers. The allocations of a public function become views of one
    workspace argument, behind the others, so that the function allocates
    nothing. Two temporaries of static size share memory when they do not live at
    the same time (a lifetime goes from the op that allocates to the last one
    that reads or writes the buffer or a view of it); each goes, large ones
    first, to the lowest offset that is free; offsets are multiples of 256 bytes.
    Temporaries of dynamic size follow, one behind the other. `NAME_workspace`
    takes the same buffers and gives the bytes that they need, or a negative
    number if that is 2^63 or more. The workspace has
    to start at a multiple of 256 bytes. An allocation with `fp8.kept` shares its
    bytes with nothing else and lies at the same offset for all sizes, so that
    the next call finds there what this one left, if it gets the same workspace;
    nothing else in it outlives a call.
    Replaces

    ```mlir
    %t = memref.alloc() : memref<64x64xf32>
    ```

    with

    ```mlir
    %t = memref.view %workspace[%offset][] : memref<?xi8> to memref<64x64xf32>
    ```

    With `matmul-workspace` each `blaslt.matmul` gets that many bytes of its own
    for the time of the call.

    Errors are a dynamic size that does not follow from the sizes of the
    arguments, a temporary that leaves the iteration of a loop that allocates
    it, one in a parallel loop, one of dynamic size with `fp8.kept`, a buffer as
    a result, a call of a public function, and a taken name `NAME_workspace`. Deallocations go.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "memref::MemRefDialect"];
  let options = [
    Option<"matmulWorkspace", "matmul-workspace", "int64_t", /*default=*/"0",
           "Bytes that each library call may use (0: none)">
  ];
}

def FuseGluePass : Pass<"fp8-fuse-glue", "::mlir::ModuleOp"> {
  let summary = "Fuse the elementwise work between matmuls";
  let description = [{
    Runs on tensors, after `convert-fp8-to-linalg`. What lies between matmuls is
    bound by memory, and so fewer passes over it are what counts. First, an
    elementwise generic goes into its readers: into the only one, or into all of
    them if no more bytes move than if it were stored and its amax taken on the
    way, and if the body is cheap. An amax and a cast by its scale count as one
    reader where `fp8-predict-scales` will join them. Then a transposed copy of an
    elementwise result becomes a second result. Replaces

    ```mlir
    %q = linalg.generic {indexing_maps = [#id, #scalar, #id], ...}
        ins(%x, %s : tensor<64x32xbf16>, tensor<f32>) outs(%e0 : ...) { ... } -> tensor<64x32xf8E4M3FN>
    %t = linalg.transpose ins(%q : ...) outs(%e1 : tensor<32x64xf8E4M3FN>) permutation = [1, 0]
    ```

    with

    ```mlir
    %q, %t = linalg.generic {indexing_maps = [#id, #scalar, #id, #swapped], ...}
        ins(%x, %s : ...) outs(%e0, %e1 : ...) { ... }
        -> (tensor<64x32xf8E4M3FN>, tensor<32x64xf8E4M3FN>)
    ```

    Arithmetic stays as it is: what was rounded to bf16 in memory is rounded in
    the fused body, so that an amax is that of the rounded values. Scalar ops
    (those of `fp8.scale`) stay ops of their own; kernels compute them on the
    way. An analysis remark counts the kernels and the bytes that are left. For
    the target `cpu` nothing changes.
  }];
  let dependentDialects = ["arith::ArithDialect", "linalg::LinalgDialect",
                           "tensor::TensorDialect"];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "The device, a row of the target table: cpu, sm_90, gfx942, ...">
  ];
}

def PredictScalesPass : Pass<"fp8-predict-scales", "::mlir::ModuleOp"> {
  let summary = "Cast with last step's scale while the amax is taken";
  let description = [{
    Runs on tensors, after `fp8-fuse-glue`. A cast has to wait for the amax of
    all of its input, and so the input is read twice. The scale of the last step
    is known, however, and a scale that is a power of two seldom changes from one
    step to the next. Where a cast is the only reader of such a scale, this pass
    replaces

    ```mlir
    %a = linalg.generic { ... maximumf } ins(%x : tensor<64x32xbf16>) outs(%zero : tensor<f32>)
    %s, %d = linalg.generic { ... } ins(%a : tensor<f32>) outs(%e0, %e1 : tensor<f32>, tensor<f32>)
    %q = linalg.generic { ... } ins(%x, %s : ...) outs(%e : tensor<64x32xf8E4M3FN>)
    ```

    with one pass that casts by the scale of the last call (the hint), and one
    that casts again where this was wrong:

    ```mlir
    %slot = memref.alloc() {fp8.kept} : memref<f32>
    %hint = bufferization.to_tensor %slot restrict writable : memref<f32> to tensor<f32>
    %used = linalg.generic { copy } ins(%hint : tensor<f32>) outs(%e2 : tensor<f32>)
    %p, %a = linalg.generic { cast, maximumf } ins(%x, %used : ...) outs(%e, %zero : ...)
    %s, %d = linalg.generic { ... } ins(%a : tensor<f32>) outs(%hint, %e1 : ...)
    %q = linalg.generic { select %s != %used, cast, %p } ins(%x, %s, %used : ...) outs(%p : ...)
    bufferization.materialize_in_destination %s in restrict writable %slot : ...
    ```

    Scales are compared by their bits, and so `%q` is the same for every hint:
    either the first cast had the right scale, or it is done again. A kernel of
    the second op, whose condition is one for all elements, does nothing when it
    is false. `%used` is a copy, since `%slot` gets the next hint while blocks of
    that kernel still compare.

    A passed remark says what was done; a missed one, for a scale that is a power
    of two, why not.
  }];
  let dependentDialects = ["arith::ArithDialect",
                           "bufferization::BufferizationDialect",
                           "linalg::LinalgDialect", "memref::MemRefDialect",
                           "tensor::TensorDialect"];
}

def OutlineKernelsPass : Pass<"fp8-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Make a function of what is to be one kernel";
  let description = [{
    Runs on buffers, before `fp8-plan-workspace`: here no two allocations
    overlap, and so ops can move. Each `linalg` op of a public function becomes
    the body of a private function with the attribute `fp8.kernel`, and a call of
    it. The function knows the ranks of its buffers and not their sizes, so that
    kernels which differ in sizes only are one. On the way:

    - a scalar op (that of `fp8.scale`) goes into the kernel that first reads what
      it computes; a scalar that nobody else reads needs no memory;
    - amax reductions whose inputs are ready at the same time become one kernel;
    - a cast of one tensor of 16 bits (with both results, and with an amax or
      without) joins the cast before it, past matmuls, where its input is ready and
      no other kernel is in between: results live a matmul longer at most;
    - ops that do nothing unless a condition on scalars holds (the second casts of
      `fp8-predict-scales`) wait for each other, until one's result is read, and
      become one kernel; one that cannot be waited for joins the kernel before it,
      past matmuls, if it can be done there;
    - the slots that they start from lie in one buffer, which is cleared once, at
      the start of the function; other fills with zero bits become `gpu.memset`.

    Replaces

    ```mlir
    linalg.fill ins(%zero : f32) outs(%amax : memref<f32>)
    linalg.generic {...} ins(%x : memref<64x32xbf16>) outs(%amax : memref<f32>) { ... }
    linalg.generic {iterator_types = []} ins(%amax : memref<f32>) outs(%scale, %descale : ...) { ... }
    linalg.generic {...} ins(%x, %scale : ...) outs(%q, %qt : ...) { ... }
    ```

    with

    ```mlir
    gpu.memset %slots, %c0_i8 : memref<256xi8>, i8
    call @amax(%x, %amax) : (memref<?x?xbf16>, memref<f32>) -> ()
    call @cast_transpose(%amax, %descale, %x, %q, %qt) : ...
    ...
    func.func private @cast_transpose(%amax: memref<f32>, ...) attributes {fp8.kernel} {
      %scale = memref.alloca() : memref<f32>
      linalg.generic {iterator_types = []} ins(%amax : memref<f32>) outs(%scale, %descale : ...) { ... }
      linalg.generic {...} ins(%x, %scale : ...) outs(%q, %qt : ...) { ... }
      return
    }
    ```

    What still reads or writes buffers outside of kernels is an error.
  }];
  let dependentDialects = ["arith::ArithDialect", "func::FuncDialect",
                           "gpu::GPUDialect", "linalg::LinalgDialect",
                           "memref::MemRefDialect"];
}

def GenerateGpuKernelsPass
    : Pass<"fp8-generate-gpu-kernels", "::mlir::ModuleOp"> {
  let summary = "Write the code of outlined kernels for a GPU";
  let description = [{
    Each function with the attribute `fp8.kernel` becomes a `gpu.func` of the
    module `@fp8_kernels`, and its calls become launches. A kernel takes
    pointers, then the sizes and strides that it needs as i64; any size and any
    alignment is right, and where pointers and rows are multiples of 16 bytes
    accesses are 16 bytes wide. Replaces

    ```mlir
    call @cast(%amax, %descale, %x, %q) : (memref<f32>, memref<f32>, memref<?x?xbf16>, memref<?x?xf8E4M3FN>) -> ()
    ```

    with

    ```mlir
    gpu.launch_func @fp8_kernels::@cast blocks in (%blocks, %c1, %c1) threads in (%c256, %c1, %c1)
        args(%p0 : !llvm.ptr<1>, ..., %rows : i64, %cols : i64)
    ...
    gpu.module @fp8_kernels [#nvvm.target<O = 3, chip = "sm_90", features = "+ptx80">] {
      gpu.func @cast(%p0: !llvm.ptr<1>, ...) kernel { ... }
    }
    ```

    The first of these strategies that fits is taken (an analysis remark names
    it):

    | strategy | takes | how |
    | --- | --- | --- |
    | scalar | scalars from scalars | one thread |
    | amax | one or more `out = max(out, abs(f(in)))` | blocks stride over the input; `abs` compared as integers; one atomic a block and only if it raises the value |
    | redo | one or more ops whose results are `select(c, new, old)`, with a c that scalars decide | a few blocks compute c; if it holds, they take the parts that tile or elementwise would have, in turn |
    | casts | several casts of one tensor each, of 16 bits at most; an amax may go along | the parts that tile or elementwise would have, of one cast after the other, with registers for 1024 threads on a multiprocessor |
    | tile | elementwise, one result transposed; an amax may go along | tiles of 256 bytes x 128 (x 64 for one byte and more than a cast) through shared memory |
    | elementwise | results as the loops are; an amax may go along | vectors of 16 bytes |
    | row-reduction | trailing reductions in 32 or 64 bits | a subgroup a row |
    | column-reduction | leading reductions in 32 bits | a block 32 columns |
    | sequential | every other op whose results have an element of their own for each iteration of the parallel loops | a thread an element |

    Bytes are those of the CPU, except that sums of the two reductions add up in
    another order, which depends on the sizes alone. The division of `fp8.scale`
    is done in f32 with the same result. Casts to fp8 that saturate use the
    target's instruction where `ptx-version` has it, and integer code otherwise.

    An op that no strategy takes, and a target that is no GPU, are errors.
  }];
  let dependentDialects = [
    "arith::ArithDialect", "gpu::GPUDialect", "LLVM::LLVMDialect",
    "math::MathDialect", "memref::MemRefDialect", "NVVM::NVVMDialect",
    "ROCDL::ROCDLDialect", "scf::SCFDialect", "vector::VectorDialect"
  ];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"sm_90\"",
           "The device, a row of the target table: sm_90, gfx942, ...">,
    Option<"ptxVersion", "ptx-version", "unsigned", /*default=*/"0",
           "PTX version times ten, 78 for 7.8; 0 is the least that the kernels "
           "are at their best with">
  ];
}

def CheckScalesPass : Pass<"fp8-check-scales", "::mlir::ModuleOp"> {
  let summary = "Refuse a scale where a descale belongs, and the reverse";
  let description = [{
    The verifiers of `fp8.cast` and `fp8.scaled_mm` look at the op that defines
    a scale only. This pass follows each scale through shape ops, `select`,
    loops and calls of private functions, so that

    ```mlir
    %s, %d = fp8.scale %amax for f8E4M3FN : tensor<f32> -> tensor<f32>, tensor<f32>
    %e = tensor.expand_shape %d [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
    %q = fp8.cast %x scale %e granularity <block 128x128> : ...
    ```

    is an error at the cast. It changes nothing.
  }];
}

def DeriveBackwardPass : Pass<"fp8-derive-backward", "::mlir::ModuleOp"> {
  let summary = "Make a joint forward and backward function of each function";
  let description = [{
    Reverse-mode differentiation. The joint function keeps the name: after the
    arguments comes one tangent a floating-point result, of the result's type;
    after the results comes one gradient a floating-point tensor argument, of
    the argument's type, unless the argument is `fp8.frozen`. `fp8.tangent` has
    the number of the result, `fp8.gradient` that of the argument.

    ```mlir
    func.func @linear(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>)
        -> tensor<64x16xbf16> {
      %y = fp8.matmul %x, %w trans_b : ... -> tensor<64x16xbf16>
      return %y : tensor<64x16xbf16>
    }
    ```

    becomes

    ```mlir
    func.func @linear(%x: tensor<64x32xbf16>, %w: tensor<16x32xbf16>,
                      %dy: tensor<64x16xbf16> {fp8.tangent = 0})
        -> (tensor<64x16xbf16>, tensor<64x32xbf16> {fp8.gradient = 0},
            tensor<16x32xbf16> {fp8.gradient = 1}) {
      %y = fp8.matmul %x, %w trans_b : ...
      %dx = fp8.matmul %dy, %w role dgrad gradient a : ...
      %dw = fp8.matmul %dy, %x trans_a role wgrad gradient a : ...
      return %y, %dx, %dw : ...
    }
    ```

    Only ops on a path from an argument that wants a gradient to a result are
    differentiated; for a frozen argument nothing is computed and nothing kept.
    An argument that no result depends on gets zeros. Calls of functions with a
    body are inlined first; private functions that nothing calls any more go.

    Numerics: derived bodies compute in f32 (f64 where the primal does), from
    the primal computed again without its roundings in between, and round once.
    A value with several readers gets the sum of their contributions, added up
    in f32 in a fixed order and rounded once to the value's type.

    Rules, with g the cotangent of the result y:

    | op | cotangents |
    | --- | --- |
    | `fp8.matmul`, y = op(A)·op(B) + acc + bias | dA = g·op(B)ᵀ, or op(B)·gᵀ with `trans_a` (role dgrad); dB = op(A)ᵀ·g, or gᵀ·op(A) with `trans_b` (role wgrad); dacc = g; dbias = sum of g over all but the last dimension |
    | `fp8.scaled_mm` | the same, wide, on the inputs of the `fp8.cast`s that feed it (straight through) |
    | `fp8.amax`, `fp8.scale` | none: scales are constants |
    | `fp8.transpose` | gᵀ |
    | structured `linalg` op, y[out] (+)= f(x₀[in₀], …) | dxᵢ[inᵢ] += g[out]·∂f/∂xᵢ over the same loops; loops that inᵢ does not name are summed up in f32, ascending, rounded once; the old value of a sum gets g |
    | reduction by max or min, y = max f | (f = y ? g / number of such f : 0)·∂f/∂xᵢ |
    | `arith`, `math` in a body, on scalars, on tensors | the derivative; maximum and minimum: g to the larger (smaller), g/2 to each of two equals; `select` follows its condition; x^n: g·n·x^(n-1); abs: 0 at 0; rounding to integers, comparisons and integers: none |
    | `tensor.expand_shape`, `collapse_shape`, `cast` | the reverse of g |
    | `tensor.extract_slice`, `extract` | g in zeros |
    | `tensor.insert_slice`, `insert` | the slice of g; g with zeros in its place for the destination |
    | `tensor.pad` (constant), `concat` | the operand's part of g |
    | `tensor.splat`, `from_elements` | the sum of g; its element |

    An op of another kind on a differentiated path is an error that names it, as
    are loops, several blocks, fp8 results and functions without a
    floating-point result; so are `fp8.cast`s that other ops than
    `fp8.scaled_mm` differentiate, and an `fp8.scaled_mm` that is not fed by
    `fp8.cast`s. Dead code is left to canonicalization and CSE.
  }];
  let dependentDialects = [
    "arith::ArithDialect", "fp8::Fp8Dialect", "linalg::LinalgDialect",
    "math::MathDialect", "tensor::TensorDialect"
  ];
  let options = [
    Option<"function", "function", "std::string", /*default=*/"",
           "Differentiate this function only (default: every public function "
           "with a body)">
  ];
}

def ExpandArithPass : Pass<"fp8-expand-arith"> {
  let summary = "Expand arithmetic on FP8 and bf16 to integer code and f32";
  let description = [{
    LLVM has no FP8 types, and lowers casts to bf16 to calls of `__truncsfbf2`
    and `__truncdfbf2`, which many a libgcc lacks. This pass expands the arith
    and math ops on scalars and vectors of `f8E4M3FN`, `f8E5M2`, `f8E4M3FNUZ`,
    `f8E5M2FNUZ`, `f8E8M0FNU` and `bf16` to integer code, f32 ops and
    `arith.bitcast`, exactly, for vectors of every shape, scalable ones too.
    Upstream's conversions lower the rest: FP8 becomes `i8`, and values of bf16
    are only loaded, stored, selected, passed and taken for integers. It replaces

    ```mlir
    %s = arith.addf %x, %y : bf16
    ```

    with

    ```mlir
    %0 = arith.bitcast %x : bf16 to i16
    %1 = arith.extui %0 : i16 to i32
    %2 = arith.shli %1, %c16 : i32
    %3 = arith.bitcast %2 : i32 to f32
    ...
    %8 = arith.addf %3, %7 : f32
    ...                                 // round %8 to nearest even, in integers
    %s = arith.bitcast %17 : i16 to bf16
    ```

    The code has no branches, and loops over it vectorize. Ops on tensors and
    ops of other dialects stay, as `arith.bitcast` and `arith.select` do.
    Whatever other arith or math op on a small float remains is an error: casts
    with another rounding mode, integers of more than 64 bits to bf16 or
    f8E8M0FNU, `arith.scaling_extf` and `arith.scaling_truncf`, and negative
    numbers of f8E8M0FNU (the parser takes them).

    Casts:
    - `extf` is exact, except that an f8E8M0FNU beyond the range of f16 rounds
      to it. Subnormals, infinities and NaNs keep their meaning.
    - `truncf` rounds once, to nearest even, and does not saturate. What rounds
      beyond the range becomes infinity in f8E5M2 and bf16, and NaN in the
      others. From f64, f80 and f128 the value is first rounded to odd in f32,
      after which the second rounding is harmless (S. Boldo and G. Melquiond,
      "Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using
      Rounding to Odd", IEEE Transactions on Computers, 2008).
    - FNUZ types have no -0: what rounds to zero from below is 0x00. Their only
      NaN is 0x80, which `negf` and `absf` keep.
    - f8E8M0FNU has powers of two only. Ties go up, as the one bit of its
      significand is odd. Zero, and all between it and 2^-127, become 2^-127,
      and negative numbers NaN. (PyTorch agrees on zero and drops the sign;
      ml_dtypes makes both NaN. Both round all above 2^-127 up to 2^-126; here
      the middle is at 1.5 * 2^-127.)
    - Integers round once. `fptosi` and `fptoui` are those of f32.

    Arithmetic:
    - `+`, `-`, `*`, `/` and `sqrt` are computed in f32, then rounded. The two
      roundings are one, as f32's 24 bits are at least 2p + 2 for the at most
      p = 8 bits of these types (S. Figueroa, "When is double rounding
      innocuous?", ACM SIGNUM Newsletter 30(3), 1995). `remf`, minimum, maximum
      and the roundings to integers are exact in f32.
    - `math.fma` is one rounding of the exact value: its product is exact in
      f64, and the sum is rounded to odd there. f32 would not do: in f8E5M2,
      36864 + 2^-16 is above a middle, which f32 rounds it to.
    - Other elementwise ops (`math.exp`, `math.powf`, ...) are those of f32,
      rounded.
    - `negf`, `absf`, `copysign` and `isnormal` work on the bits; comparisons
      are those of the exact f32 values.

    Constants become integer constants under a bitcast. A NaN may change its
    payload.

    What the pass makes has no fast-math flags, and it takes them off all other
    casts, those of tensors too: once both carry `contract`, `extf(truncf(x))`
    folds to `x`, and the rounding is gone. Run it before `canonicalize` if the
    input may have such flags; the pass itself never folds.

    f16 is left to LLVM. On x86-64 it rounds once everywhere (its `fma` and its
    conversions from f64 included); without F16C it calls `__extendhfsf2` and
    `__truncsfhf2`, and without AVX512-FP16 `__truncdfhf2`, all three in libgcc
    since GCC 12.
  }];
  let dependentDialects = ["arith::ArithDialect"];
}

#endif // FP8_TRANSFORMS_PASSES_TD
