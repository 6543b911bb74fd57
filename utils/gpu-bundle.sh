#!/usr/bin/env bash
# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds what the tests and benchmarks on a GPU need and packs it into
# gpu-bundle/, for a machine that has PyTorch and neither compilers nor LLVM:
# bin/*Tests, bin/fp8-tune, lib/, compiled steps with arguments and results of
# the CPU in steps/, compiled linears in linear/, with -pow2 in their names those
# of the recipe tensorwise_pow2, with -split some in two functions, and the Python
# package with a step that it saved in python/. The C library there must be 2.36 or
# later. Needs ptxas for machine code (CUDA_HOME, or in PATH).
#
# With --with-tools also fp8-run and models, in tools.tar.xz, and in packages/ the
# Debian packages of LLVM, MLIR and Z3 that it needs, of these versions; what else
# they need (libedit, libffi, libxml2, zlib, libzstd) is taken to be there. 60 MB.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tools=0
for argument in "$@"; do
  case "$argument" in
    --with-tools) tools=1 ;;
    *)
      echo "gpu-bundle.sh: error: expects --with-tools or nothing, but got '$argument'" >&2
      exit 2 ;;
  esac
done

build="${FP8_BUILD:-build}"
bundle=gpu-bundle
target="${FP8_TARGET:-sm_90}"
shapes=("2048 2048 2048" "4096 4096 4096" "16384 768 3072" "16384 2048 8192"
  "8192 8192 8192" "16384 4096 14336")
steps=(torch_linear torch_linear_bias torch_nanochat_mlp torch_linear_odd
  torch_gpt2_mlp torch_llama_ffn jax_linear jax_nanochat_mlp)
split=(torch_linear torch_nanochat_mlp torch_llama_ffn)

[ -f "$build/build.ninja" ] || cmake --preset release -B "$build"
cmake --build "$build" --target Fp8CudaTests fp8-c fp8rt fp8-compile fp8-run \
  fp8-tune

rm -rf "$bundle"
mkdir -p "$bundle"/{bin,lib,steps,linear}
cp "$build"/bin/{Fp8CudaTests,fp8-tune} "$bundle/bin/"
cp -L "$build"/lib/libfp8rt.so.0 "$bundle/lib/"

# The model $1 to the library $3.so for the suffix $2 of its name: "" or -pow2.
# Further arguments are flags.
compile_library() {
  local model="$1" recipe="tensorwise${2/-/_}" output="$3"
  shift 3
  "$build/bin/fp8-compile" "$model" --backward --target="$target" \
    --recipe="$recipe" -o "$output.so" "$@"
}
# One step: model, suffix of the name.
compile_step() {
  local model="test/Inputs/$1.mlir" data="test/Inputs/data/$1"
  local step="$bundle/steps/$1$2" recipe="tensorwise${2/-/_}" arguments file
  compile_library "$model" "$2" "$step" || { rm -f "$step".*; return; }
  [[ " ${split[*]} " != *" $1 "* ]] ||
    compile_library "$model" "$2" "$step-split" --split
  mkdir "$step"
  "$build/bin/fp8-run" "$model" --backward --recipe="$recipe" --inputs="$data" \
    --save-inputs="$step" --outputs="$step" >/dev/null
  # With the gradient of the output among the data, its results are gradients.
  arguments=$(ls "$step" | grep -c '^arg')
  [ -f "$data/arg$((arguments - 1)).npy" ] || return 0
  for file in "$data"/result*.npy; do
    cp "$file" "$step/ref${file##*/result}"
  done
}
for name in "${steps[@]}"; do
  compile_step "$name" ""
  compile_step "$name" -pow2
done
for shape in "${shapes[@]}"; do
  read -r m k n <<<"$shape"
  python3 benchmark/linear_module.py "$m" "$k" "$n" >"$bundle/linear/module.mlir"
  linear="$bundle/linear/${m}x${k}x${n}"
  for suffix in "" -pow2; do
    compile_library "$bundle/linear/module.mlir" "$suffix" "$linear$suffix"
    compile_library "$bundle/linear/module.mlir" "$suffix" "$linear$suffix-split" --split
  done
  python3 benchmark/linear_module.py --gemms "$m" "$k" "$n" >"$bundle/linear/module.mlir"
  "$build/bin/fp8-compile" "$bundle/linear/module.mlir" --target="$target" \
    -o "$linear-gemms.so"
done
# The package compiles here, and goes without its compiler.
package="$bundle/python/fp8"
mkdir -p "$package/lib" "$bundle/python/steps"
cp python/fp8/*.py "$package/"
cp -a "$build"/lib/lib{Fp8,fp8-c}.so* "$package/lib/"
cp -L "$build"/lib/libfp8rt.so.0 "$package/lib/"
python="$build/venv/bin/python"
[ -x "$python" ] || python=python3
PYTHONPATH="$bundle/python" PYTHONDONTWRITEBYTECODE=1 "$python" - "$target" "$bundle" <<'END'
import sys, fp8
target, bundle = sys.argv[1:]
step = fp8.compile("test/Inputs/torch_linear.mlir", backward=True, target=target,
                   cpu="x86-64-v3", argument_names=["x", "w"], result_names=["y"])
step.save(f"{bundle}/python/steps/torch_linear.so")
END
rm "$package"/lib/lib{Fp8,fp8-c}.so*
for file in "$bundle"/bin/* "$bundle"/lib/* "$bundle"/*/*.so "$package"/lib/*; do
  "${STRIP:-strip}" --strip-debug "$file"
done

if [ "$tools" = 1 ]; then
  mkdir -p "$bundle"/{packages,tools}
  cp "$build/bin/fp8-run" "$bundle/tools/"
  while read -r name path; do
    cp -L "$path" "$bundle/tools/$name"
  done < <(ldd "$build/bin/fp8-run" | awk '/libFp8|libjemalloc/ { print $1, $3 }')
  "${STRIP:-strip}" --strip-unneeded "$bundle"/tools/*
  for name in "${split[@]}" torch_gpt2_mlp jax_linear; do
    cp "test/Inputs/$name.mlir" "$bundle/tools/"
    [ ! -d "test/Inputs/data/$name" ] || cp -r "test/Inputs/data/$name" "$bundle/tools/"
  done
  tar -C "$bundle" -cJf "$bundle/tools.tar.xz" tools
  rm -r "$bundle/tools"
  # The versions that fp8-run was linked with.
  (cd "$bundle/packages" && for package in libllvm22 libmlir-22 libz3-4; do
    apt-get download "$package=$(dpkg-query -W -f '${Version}' "$package")"
  done)
fi
echo "$bundle: $(du -sh "$bundle" | cut -f1)"
