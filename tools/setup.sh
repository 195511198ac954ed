#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing. Usage: setup.sh build|test|check|bench|deb|compare|costs|format|fuzz
# Root installs directly, others through sudo; without either the missing names are printed and nothing is changed.
set -euo pipefail

build="g++ cmake ninja-build git ca-certificates
  libtorch-dev libgloo-dev libopenblas0-openmp libdnnl-dev libhwy-dev libopencv-dev libpng-dev libjpeg-dev zlib1g-dev libsqlite3-dev libhdf5-dev
  libcpp-httplib-dev libcli11-dev libtomlplusplus-dev libfmt-dev libspdlog-dev nlohmann-json3-dev"
python="pybind11-dev python3-dev python3-setuptools python3-pip python3-wheel patchelf binutils"
test="$build libgtest-dev pkg-config chromium chromium-driver python3-numpy python3-h5py python3-onnx
  python3-torch colmap $python python3-opencv mypy python3-venv openmpi-bin iproute2"
fuzz="$build clang libclang-rt-dev"
case "${1:-build}" in
  build)   wanted=$build ;;
  test)    wanted=$test ;;
  check)   wanted="$test $fuzz libbenchmark-dev g++-aarch64-linux-gnu" ;;
  bench)   wanted="$build libbenchmark-dev" ;;
  deb)     wanted="$build $python dpkg-dev file" ;;
  compare) wanted="$build python3-torch" ;;
  costs)   wanted="$build python3 time" ;;
  format)  wanted="clang-format clang-tidy" ;;
  fuzz)    wanted=$fuzz ;;
  *) echo "setup.sh: unknown set '$1' (build, test, check, bench, deb, compare, costs, format, fuzz)" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
  echo "setup.sh: no dpkg here; make sure these are installed: $(echo $wanted)" >&2
  exit 0
fi
missing=""
for package in $wanted; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then as_root=""
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as_root="sudo"
else
  echo "setup.sh: these Debian packages are missing and there is no root or password-less sudo to install them:" >&2
  echo "  apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "setup.sh: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y -qq --no-install-recommends $missing >/dev/null
