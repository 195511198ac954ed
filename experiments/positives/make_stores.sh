#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The stores of the grids beside this file: the same keypoints of the same photographs, seen in different ways.
#   make_stores.sh PHOTOGRAPHS OUT
# Makes OUT/stores/*; the judges are those of ../sampling/make_data.sh. Goes on where it was stopped. ADASAMPLE: the program.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '3,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
adasample=$(realpath "${ADASAMPLE:-$root/build/release/bin/adasample}")
photographs=$(realpath "$1")
mkdir -p "$2/stores"
cd "$2/stores"

make() { # NAME OPTIONS..
  local name=$1
  shift
  [ -d "$name" ] || "$adasample" data images --images "$photographs" --detector dog --contrast 0.015 --max-keypoints 1000 \
    --overlap 0.3 --per-image 1000 --out "$name" "$@"
}
make usual
make real --hard real
make again --redetect
make again-real --redetect --hard real --max-warp 1
make little-warp --max-warp 0.45
make occlusion --hard occlusion=1
make parallax --hard parallax=1
make light --hard light=2,contrast=1.5,shadow=1
make blur --hard blur=1.5,noise=1.5,motion=1
