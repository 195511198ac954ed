#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The stores of the grids beside this file: keypoints of the same photographs, seen in different ways.
#   make_stores.sh PHOTOGRAPHS FREE OUT
# PHOTOGRAPHS and FREE: folders without the pictures held out; FREE holds those that may be used without condition.
# Makes OUT/stores/*; the judges are those of ../sampling/make_data.sh, and judges/heldout-patches from
# `data sequences --images HELDOUT --max 100`. Goes on where it was stopped. ADASAMPLE: the program.
set -euo pipefail
[ $# -eq 3 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/../.." && pwd)
adasample=$(realpath "${ADASAMPLE:-$root/build/release/bin/adasample}")
photographs=$(realpath "$1") free=$(realpath "$2")
mkdir -p "$3/stores"
cd "$3/stores"
blur=blur=1.5,noise=1.5,motion=1

make() { # NAME OPTIONS..
  local name=$1
  shift
  [ -d "$name" ] || "$adasample" data images --images "$photographs" --detector dog --contrast 0.015 --max-keypoints 1000 \
    --overlap 0.3 --per-image 450 --out "$name" "$@"
}
make_free() { # NAME OPTIONS..: fewer photographs, more of each
  local name=$1
  shift
  [ -d "$name" ] || "$adasample" data images --images "$free" --detector dog --contrast 0.01 --max-keypoints 2000 \
    --overlap 0.3 --per-image 1300 --out "$name" "$@"
}
make usual
make real --hard real
make occlusion --hard occlusion=1
make parallax --hard parallax=1
make light --hard light=2,contrast=1.5,shadow=1
make blur --hard $blur
make again --redetect
make again-real --redetect --hard real --max-warp 1
make again-blur --redetect --hard $blur
make_free free
make_free blur-free --hard $blur
make_free again-free --redetect
make_free again-blur-free --redetect --hard $blur
make_free again-blur-upright-free --redetect --hard $blur --max-turn 45
