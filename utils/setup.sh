# Part of the mlir-fp8 project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Shared by quickstart.sh and test.sh: installing what is missing, building.
# Sourced, with the repository as the working directory.

# What the build and the tests need of Debian 12.
FP8_PACKAGES=(
  ca-certificates ccache clang-22 clang-format-22 cmake g++ libclang-rt-22-dev
  libgtest-dev libjemalloc-dev libmlir-22-dev libopenblas-dev lld-22 llvm-22-dev
  llvm-22-tools make mlir-22-tools ninja-build
  python3 python3-venv
)

fp8_as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# Installs the packages that are missing; touches no network when there are none.
fp8_install_packages() {
  local missing=() package
  for package in "${FP8_PACKAGES[@]}"; do
    if ! dpkg-query -W -f='${Status}' "$package" 2>/dev/null |
        grep -q 'install ok installed'; then
      missing+=("$package")
    fi
  done
  [ ${#missing[@]} -eq 0 ] && return
  echo "Installing: ${missing[*]}"
  fp8_as_root apt-get update -q
  fp8_as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}"
}

# Python packages of the tests, in an environment in the build folder.
fp8_install_python() {
  local stamp=build/venv/installed
  local files=(test/oracle/requirements.txt test/Python/requirements.txt)
  cat "${files[@]}" | cmp -s - "$stamp" && return
  python3 -m venv build/venv
  build/venv/bin/pip install -q "${files[@]/#/-r}"
  cat "${files[@]}" >"$stamp"
}

# Builds the given targets, or everything, with the preset release.
fp8_build() {
  cmake --preset release
  cmake --build --preset release ${1:+--target "$@"}
}
