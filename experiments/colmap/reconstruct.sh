#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Reconstructs a folder of photographs by COLMAP 3.8: with its own SIFT (at a ratio of 0.8 and at RATIO), with its keypoints
# described by a network, with keypoints and descriptors of ours. Usage: reconstruct.sh PHOTOGRAPHS OUT [RATIO]; OUT must not exist. A line a method goes to
# OUT/table.txt. Environment: ADASAMPLE (the program), ADASAMPLE_MODEL (default: default), RUNS (default: 1).
# Needs Debian's colmap and sqlite3.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
for tool in colmap sqlite3; do command -v $tool >/dev/null || { echo "reconstruct.sh: $tool is missing" >&2; exit 1; }; done
images=$1 out=$2 ratio=${3:-0.9}
here=$(cd "$(dirname "$0")/../.." && pwd)
adasample=${ADASAMPLE:-$here/build/release/bin/adasample}
model=${ADASAMPLE_MODEL:-default}
export QT_QPA_PLATFORM=offscreen
mkdir "$out"

count() { sqlite3 "$1" "SELECT ifnull(sum(rows), 0) FROM two_view_geometries"; }

# reconstruct NAME RATIO: matches and maps OUT/NAME.db in OUT/NAME-RATIO-RUN.
reconstruct() {
  for run in $(seq "${RUNS:-1}"); do
    local work=$out/$1-$2-$run
    mkdir -p "$work/sparse"
    cp "$out/$1.db" "$work/database.db"
    local start=$SECONDS
    colmap exhaustive_matcher --database_path "$work/database.db" --SiftMatching.use_gpu 0 \
      --SiftMatching.max_ratio "$2" >"$work/log.txt" 2>&1
    local matched=$SECONDS
    colmap mapper --database_path "$work/database.db" --image_path "$images" --output_path "$work/sparse" \
      >>"$work/log.txt" 2>&1
    colmap model_analyzer --path "$work/sparse/0" >"$work/model.txt" 2>&1
    awk -v name="$1" -v ratio="$2" -v inliers="$(count "$work/database.db")" -v matching=$((matched - start)) \
      -v mapping=$((SECONDS - matched)) '
      /Registered images/ {images = $NF} /^.*Points:/ {points = $NF} /Mean track length/ {track = $NF}
      /Mean reprojection error/ {error = $NF}
      END {printf "%-10s %5s %7s %9s %8s %7.2f %9s %6d %6d\n", name, ratio, images, inliers, points, track, error, matching, mapping}
      ' "$work/model.txt" | tee -a "$out/table.txt"
  done
}

printf "%-10s %5s %7s %9s %8s %7s %9s %6s %6s\n" features ratio images inliers points track error match map |
  tee "$out/table.txt"
colmap feature_extractor --database_path "$out/sift.db" --image_path "$images" --SiftExtraction.use_gpu 0 >"$out/sift.txt" 2>&1
cp "$out/sift.db" "$out/redescribed.db"
"$adasample" colmap --images "$images" --database "$out/redescribed.db" --model "$model" --redescribe --json >"$out/redescribed.json"
"$adasample" colmap --images "$images" --database "$out/own.db" --model "$model" --json >"$out/own.json"
reconstruct sift 0.8 # what COLMAP is tuned to
[ "$ratio" = 0.8 ] || reconstruct sift "$ratio"
reconstruct redescribed "$ratio"
reconstruct own "$ratio"
