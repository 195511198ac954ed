#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The training data and the judges' data of the grids beside this file.
#   make_data.sh PHOTOGRAPHS SEQUENCES SCENES OUT
# PHOTOGRAPHS: a folder of pictures, every tenth of which is held out; SEQUENCES: homography sequences; SCENES: folders that each
# hold images/ of one scene, as fountain-P11 and sceaux do. Makes OUT/stores and OUT/judges; start `adasample experiment` in OUT.
# Goes on where it was stopped. Needs COLMAP, Python with numpy and OpenCV, and ADASAMPLE: the program
# (build/release/bin/adasample), built with SQLite.
set -euo pipefail
[ $# -eq 4 ] || { sed -n '3,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
photographs=$(realpath "$1") sequences=$(realpath "$2") scenes=$(realpath "$3")
root=$(cd "$(dirname "$0")/../.." && pwd)
adasample=$(realpath "${ADASAMPLE:-$root/build/release/bin/adasample}")
mkdir -p "$4/stores" "$4/judges" "$4/work"
cd "$4"

[ -d stores/photographs ] || "$adasample" data images --images "$photographs" --detector dog --contrast 0.015 --max-keypoints 1000 \
  --overlap 0.3 --per-image 1000 --holdout 0.1 --out stores/photographs
[ -d judges/oxford-redetected ] || "$adasample" data redetected --images "$sequences" --out judges/oxford-redetected
[ -d judges/oxford-patches ] || "$adasample" data sequences --images "$sequences" --max 1000 --out judges/oxford-patches

# The photographs held out, as sequences with homographies that are known.
if [ ! -d judges/heldout-redetected ]; then
  rm -rf work/heldout
  "${PYTHON:-/usr/bin/python3}" "$root/experiments/weights/heldout_sequences.py" stores/photographs-heldout "$photographs" work/heldout
  "$adasample" data redetected --images work/heldout --max-keypoints 400 --out judges/heldout-redetected
fi

export QT_QPA_PLATFORM=offscreen
for scene in "$scenes"/*/; do
  name=$(basename "$scene")
  [ ! -d "judges/$name" ] || continue
  rm -rf "work/$name"
  mkdir -p "work/$name/sparse"
  colmap feature_extractor --database_path "work/$name/database.db" --image_path "$scene/images" --SiftExtraction.use_gpu 0
  colmap exhaustive_matcher --database_path "work/$name/database.db" --SiftMatching.use_gpu 0
  colmap mapper --database_path "work/$name/database.db" --image_path "$scene/images" --output_path "work/$name/sparse"
  "$adasample" data colmap --model "work/$name/sparse/0" --images "$scene/images" --max-views 6 --out "judges/$name"
done
