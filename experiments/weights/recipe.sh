#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The shipped weights from a folder of photographs.
#   recipe.sh PHOTOGRAPHS OUT [TRAIN FLAGS..]
# Makes OUT/train and OUT/train-heldout, trains OUT/run and writes OUT/adasample-l2net.safetensors with its int8 ranges. Goes on
# where it was stopped. TRAIN FLAGS win over the recipe's: `--iterations 512 --batch 128` to try it on a CPU, `--seed 2`,
# `--sampler random --weights none` for uniform positives.
# ADASAMPLE: the program (build/release/bin/adasample; build/cuda/bin/adasample on a GPU). A machine without OpenCV needs
# KEYPOINTS: a list that `adasample data keypoints --images PHOTOGRAPHS --contrast 0.015 --overlap 0.3
# --max-keypoints 1000 --out LIST` made elsewhere.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
photographs=$1 out=$2
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
adasample=${ADASAMPLE:-$root/build/release/bin/adasample}
mkdir -p "$out"

detection=(--contrast 0.015 --max-keypoints 1000)
[ -z "${KEYPOINTS:-}" ] || detection=(--keypoints "$KEYPOINTS")
[ -d "$out/train" ] || "$adasample" data images --images "$photographs" "${detection[@]}" --overlap 0.3 --per-image 1000 \
  --holdout 0.1 --out "$out/train"

# A flag given twice counts once, the last time; a run that was begun keeps its own.
recipe=(--batch 1024 --k 15 --iterations 24576 --lambda 5 --weights distance --dropout 0 --ema 0.99 --seed 1)
if [ -d "$out/run" ]; then "$adasample" train --resume --out "$out/run"
else "$adasample" train --data "$out/train" --out "$out/run" "${recipe[@]}" "$@"; fi

"$adasample" calibrate --model "$out/run" --patches "$out/train" --out "$out/adasample-l2net.safetensors"
