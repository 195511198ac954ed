#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What docs/reconstruct.md says, measured: measure.sh DATA OUT. DATA holds multiview/fountain-P11 (images, cameras), multiview/sceaux (images),
# photographs and sequences; OUT must not exist. Prints three tables: matching and verifying 300 pairs, reconstructions of all pictures and of
# every second and third, and the recall of `pairs --top 5`. With PARTS="match reconstruct retrieve many" some of them, `many`: 2,000
# photographs in bounded memory. Environment: ADASAMPLE (the program), RUNS (3), RATIOS (0.8 0.85 0.9), SCENES (both), MANY (2000). Needs Debian's
# colmap, sqlite3, python3, time and, for `many`, imagemagick.
set -euo pipefail
[ $# -eq 2 ] || { sed -n '3,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
data=$(cd "$1" && pwd)
mkdir "$2"
out=$(cd "$2" && pwd)
here=$(cd "$(dirname "$0")/../.." && pwd)
adasample=${ADASAMPLE:-$here/build/release/bin/adasample}
runs=${RUNS:-3}
parts=${PARTS:-match reconstruct retrieve}
export QT_QPA_PLATFORM=offscreen
wants() { [[ " $parts " == *" $1 "* ]]; }
seconds() { local start; start=$(date +%s.%N); "$@" >>"$out/log.txt" 2>&1; awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN {printf "%.1f", b - a}'; }
rows() { sqlite3 "$1" "SELECT count(*) || ' pairs, ' || sum(rows > 0) || ' verified, ' || sum(rows) || ' inliers' FROM two_view_geometries"; }

if wants match; then
  # 25 pictures: the two scenes and three photographs, so that pairs with and without overlap are among them.
  mkdir "$out/25"
  for scene in fountain-P11 sceaux; do for file in "$data/multiview/$scene/images"/*.jpg; do cp "$file" "$out/25/$scene-$(basename "$file")"; done; done
  ls "$data"/photographs/unsplash/*.jpg | head -3 | xargs -I{} cp {} "$out/25/"
  "$adasample" bench match "$out/25/fountain-P11-0004.jpg" "$out/25/fountain-P11-0005.jpg" --detector sift --max-keypoints 9500 --rounds 5
  # The same keypoints for all: COLMAP's, contrast lowered until there are more than 11,000 per picture on average.
  colmap feature_extractor --database_path "$out/sift25.db" --image_path "$out/25" --SiftExtraction.use_gpu 0 \
    --SiftExtraction.peak_threshold 0.002 --SiftExtraction.max_num_features 7700 >>"$out/log.txt" 2>&1
  cp "$out/sift25.db" "$out/25.db"
  "$adasample" -q colmap --images "$out/25" --database "$out/25.db" --redescribe
  sqlite3 "$out/25.db" "SELECT 'keypoints per picture: ' || avg(rows) || ', ' || min(rows) || ' to ' || max(rows) FROM keypoints"
  printf "%-34s %s\n" "300 pairs, matched and verified" "seconds, result"
  for run in $(seq "$runs"); do
    for isa in avx512_vnni avx2; do
      cp "$out/25.db" "$out/run.db"
      time=$(ADASAMPLE_MAX_ISA=$isa seconds "$adasample" -q match --database "$out/run.db")
      printf "%-34s %s\n" "adasample, at most $isa" "$time, $(rows "$out/run.db")"
    done
    cp "$out/25.db" "$out/run.db"
    time=$(seconds colmap exhaustive_matcher --database_path "$out/run.db" --SiftMatching.use_gpu 0 --SiftMatching.max_ratio 0.9)
    printf "%-34s %s\n" "COLMAP, the same rows, ratio 0.9" "$time, $(rows "$out/run.db")"
  done
  time=$(seconds colmap exhaustive_matcher --database_path "$out/sift25.db" --SiftMatching.use_gpu 0)
  printf "%-34s %s\n" "COLMAP, its SIFT" "$time, $(rows "$out/sift25.db")"
fi

model_line() { # NAME SPARSE SCENE
  colmap model_analyzer --path "$2/0" >"$out/model.txt" 2>&1
  local cameras=- centres=-
  if [ -d "$data/multiview/$3/cameras" ]; then
    "$adasample" eval reconstruction --reconstruction "$2/0" --cameras "$data/multiview/$3/cameras" --json >"$out/eval.json"
    cameras=$(python3 -c "import json; print('%.4f' % json.load(open('$out/eval.json'))['rotation_degrees']['mean'])")
    centres=$(python3 -c "import json; print('%.5f' % json.load(open('$out/eval.json'))['centre']['mean'])")
  fi
  awk -v name="$1" -v cameras="$cameras" -v centres="$centres" '/Registered images/ {images = $NF} /^.*Points:/ {points = $NF}
    /Mean track length/ {track = $NF} /Mean reprojection error/ {error = $NF}
    END {printf "%-34s %6s %8s %7.3f %10s %10s %10s\n", name, images, points, track, error, cameras, centres}' "$out/model.txt"
}

# Matches are made once per scene: what is not in LIST is left out by the mapper.
map_some() { # NAME DATABASE IMAGES LIST SCENE
  rm -rf "$out/sparse"
  mkdir "$out/sparse"
  colmap mapper --database_path "$2" --image_path "$3" --image_list_path "$4" --output_path "$out/sparse" >>"$out/log.txt" 2>&1
  model_line "$1" "$out/sparse" "$5"
}

if wants reconstruct; then
  printf "%-34s %6s %8s %7s %10s %10s %10s\n" reconstruction images points track error "rotation" "centre"
  for scene in ${SCENES:-fountain-P11 sceaux}; do
    images=$data/multiview/$scene/images
    name=$out/$scene
    for every in 1 2 3; do (cd "$images" && ls -- *.jpg) | awk -v n="$every" 'NR % n == 1 || n == 1' >"$name.$every.txt"; done
    colmap feature_extractor --database_path "$name.sift.db" --image_path "$images" --SiftExtraction.use_gpu 0 >>"$out/log.txt" 2>&1
    cp "$name.sift.db" "$name.redescribed.db"
    "$adasample" -q colmap --images "$images" --database "$name.redescribed.db" --redescribe >>"$out/log.txt" 2>&1
    "$adasample" -q colmap --images "$images" --database "$name.own.db" >>"$out/log.txt" 2>&1
    for run in $(seq "$runs"); do
      cp "$name.sift.db" "$out/run.db"
      colmap exhaustive_matcher --database_path "$out/run.db" --SiftMatching.use_gpu 0 >>"$out/log.txt" 2>&1
      for every in 1 2 3; do map_some "$scene/$every COLMAP SIFT" "$out/run.db" "$images" "$name.$every.txt" "$scene"; done
      for kind in redescribed own; do
        for ratio in ${RATIOS:-0.8 0.85 0.9}; do
          cp "$name.$kind.db" "$out/run.db"
          "$adasample" -q match --database "$out/run.db" --ratio "$ratio" >>"$out/log.txt" 2>&1
          for every in 1 2 3; do map_some "$scene/$every $kind, $ratio" "$out/run.db" "$images" "$name.$every.txt" "$scene"; done
        done
      done
    done
  done
fi

if wants retrieve; then
  mkdir "$out/all"
  cp -r "$data"/photographs/* "$out/all/"
  for scene in fountain-P11 sceaux; do cp -r "$data/multiview/$scene/images" "$out/all/$scene"; done
  groups=()
  for sequence in "$data"/sequences/*/; do
    name=$(basename "$sequence")
    mkdir "$out/all/$name"
    find "$sequence" -maxdepth 1 -name '[1-6].*' -exec cp {} "$out/all/$name/" \;
    groups+=("$name/")
  done
  # Which pictures of a scene overlap is COLMAP's to say, by its SIFT.
  for scene in fountain-P11 sceaux; do
    truth=$out/$scene.truth.db
    colmap feature_extractor --database_path "$truth" --image_path "$data/multiview/$scene/images" --SiftExtraction.use_gpu 0 >>"$out/log.txt" 2>&1
    colmap exhaustive_matcher --database_path "$truth" --SiftMatching.use_gpu 0 >>"$out/log.txt" 2>&1
    groups+=("$scene/=$truth")
  done
  time=$(seconds "$adasample" -q pairs --images "$out/all" --top 5 --out "$out/pairs.txt")
  echo "pairs --top 5 among $(find "$out/all" -type f | wc -l) pictures, $time s"
  "$here/experiments/retrieval/recall.py" "$out/pairs.txt" 5 "${groups[@]}"
fi

if wants many; then
  # Copies, each with a crop and noise of its own.
  mkdir "$out/many" "$out/small"
  count=0
  for file in "$data"/photographs/*/*.jpg "$data"/multiview/*/images/*.jpg; do
    convert -define jpeg:size=1024x1024 "$file" -resize 512x512 -colorspace Gray "$out/small/$count.pgm"
    count=$((count + 1))
  done
  for i in $(seq 0 $((${MANY:-2000} - 1))); do
    convert "$out/small/$((i % count)).pgm" -crop "$((70 + RANDOM % 25))%x$((70 + RANDOM % 25))%+$((RANDOM % 60))+$((RANDOM % 60))" \
      +repage -attenuate 0.1 +noise Gaussian "$out/many/$(printf %04d "$i").jpg"
  done
  timed() { /usr/bin/time -f "$1: %e s (%U + %S of CPU), %M KiB" "${@:2}"; }
  timed describe "$adasample" -q match --images "$out/many" --database "$out/many.db" --sequential 1 --max-keypoints 200
  timed pairs "$adasample" -q pairs --database "$out/many.db" --top 10 --out "$out/many.txt"
  timed match "$adasample" -q match --database "$out/many.db" --pairs "$out/many.txt" --again
fi
