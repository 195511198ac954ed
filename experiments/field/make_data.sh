#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The stores and judges of field.toml and field-cpu.toml, with patches of 64x64.
#   make_data.sh PHOTOGRAPHS SEQUENCES SCENES OUT
# PHOTOGRAPHS: a folder of pictures, every tenth of which is held out; SEQUENCES: homography sequences; SCENES: folders that each
# hold images/ of one scene, as fountain-P11 and sceaux do. Makes OUT/stores and OUT/judges; start `adasample experiment` in OUT.
# Goes on where it was stopped. Needs COLMAP, Python with numpy and OpenCV, and ADASAMPLE: the program
# (build/release/bin/adasample), built with SQLite. PER_IMAGE (1000): classes per photograph, at most; KEYPOINTS (2000): of a
# judge's picture, at most; PATCHES (1000): of a sequence with noise; MIN_TRACK (3): photographs that see a judge's 3D point.
set -euo pipefail
[ $# -eq 4 ] || { sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
photographs=$(realpath "$1") sequences=$(realpath "$2") scenes=$(realpath "$3")
root=$(cd "$(dirname "$0")/../.." && pwd)
adasample=$(realpath "${ADASAMPLE:-$root/build/release/bin/adasample}")
per_image=${PER_IMAGE:-1000} keypoints=${KEYPOINTS:-2000} patches=${PATCHES:-1000} min_track=${MIN_TRACK:-3}
mkdir -p "$4/stores" "$4/judges" "$4/work"
cd "$4"

[ -d stores/photographs-64 ] || "$adasample" data images --images "$photographs" --detector dog --contrast 0.015 --max-keypoints 1000 \
  --overlap 0.3 --per-image "$per_image" --holdout 0.1 --size 64 --out stores/photographs-64
# Pairs of few views of few spots in the photographs held out, for FPR95: what a learned metric can be scored by.
[ -d judges/pairs-64-heldout ] || "$adasample" data images --images "$photographs" --detector dog --contrast 0.015 --max-keypoints 1000 \
  --overlap 0.3 --per-image $((per_image / 4)) --views 4 --holdout 0.1 --size 64 --out judges/pairs-64
[ -d judges/oxford-redetected-64 ] ||
  "$adasample" data redetected --images "$sequences" --max-keypoints "$keypoints" --size 64 --out judges/oxford-redetected-64
[ -d judges/oxford-patches ] || "$adasample" data sequences --images "$sequences" --max "$patches" --out judges/oxford-patches

# The photographs held out, as sequences with homographies that are known.
if [ ! -d judges/heldout-redetected-64 ]; then
  rm -rf work/heldout
  "${PYTHON:-/usr/bin/python3}" "$root/experiments/weights/heldout_sequences.py" stores/photographs-64-heldout "$photographs" work/heldout
  "$adasample" data redetected --images work/heldout --max-keypoints $((keypoints / 5)) --size 64 --out judges/heldout-redetected-64
fi

export QT_QPA_PLATFORM=offscreen
for scene in "$scenes"/*/; do
  name=$(basename "$scene")
  [ ! -d "judges/$name-64" ] || continue
  if [ ! -f "work/$name/sparse/0/points3D.bin" ]; then
    rm -rf "work/$name"
    mkdir -p "work/$name/sparse"
    colmap feature_extractor --database_path "work/$name/database.db" --image_path "$scene/images" --SiftExtraction.use_gpu 0
    colmap exhaustive_matcher --database_path "work/$name/database.db" --SiftMatching.use_gpu 0
    colmap mapper --database_path "work/$name/database.db" --image_path "$scene/images" --output_path "work/$name/sparse"
  fi
  "$adasample" data colmap --model "work/$name/sparse/0" --images "$scene/images" --min-track "$min_track" --max-views 6 --size 64 \
    --out "judges/$name-64"
done
