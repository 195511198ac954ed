#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The weights behind --model free, from photographs that may be used without condition.
#   free.sh PHOTOGRAPHS OUT [TRAIN FLAGS..]
# PHOTOGRAPHS: a folder without the pictures held out. Makes OUT/stores (six minutes of two cores), trains OUT/run (33 minutes) and
# writes OUT/adasample-l2net-free.safetensors with its int8 ranges. Goes on where it was stopped. TRAIN FLAGS win over the recipe's.
# ADASAMPLE: the program (build/release/bin/adasample).
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
photographs=$1 out=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
adasample=${ADASAMPLE:-$root/build/release/bin/adasample}
mkdir -p "$out/stores"

make() { # NAME OPTIONS..
  local name=$1
  shift
  [ -d "$out/stores/$name" ] || "$adasample" data images --images "$photographs" --detector dog --contrast 0.01 --max-keypoints 2000 \
    --overlap 0.3 --per-image 1300 --redetect --hard blur=1.5,noise=1.5,motion=1 --out "$out/stores/$name" "$@"
}
make all
make upright --max-turn 45

recipe=(--batch 256 --k 8 --iterations 5487 --lambda 5 --weights none --refresh 0.25 --dropout 0 --ema 0.99 --seed 1)
if [ -d "$out/run" ]; then "$adasample" train --resume --out "$out/run"
else "$adasample" train --data "$out/stores/upright" "$out/stores/all" --out "$out/run" "${recipe[@]}" "$@"; fi

"$adasample" calibrate --model "$out/run" --patches "$out/stores/upright" --out "$out/adasample-l2net-free.safetensors"
