#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The stores and judges of field.toml, with patches of 64x64.
#   make_data.sh PHOTOGRAPHS SEQUENCES SCENES OUT
# As ../sampling/make_data.sh, whose OUT may be given: its COLMAP models and held-out sequences (OUT/work) are used where they are
# there, and made by it where not.
set -euo pipefail
[ $# -eq 4 ] || { sed -n '3,6s/^# \{0,1\}//p' "$0" >&2; exit 2; }
photographs=$(realpath "$1") sequences=$(realpath "$2") scenes=$(realpath "$3")
root=$(cd "$(dirname "$0")/../.." && pwd)
adasample=$(realpath "${ADASAMPLE:-$root/build/release/bin/adasample}")
export ADASAMPLE="$adasample"
"$root/experiments/sampling/make_data.sh" "$photographs" "$sequences" "$scenes" "$4"
cd "$4"

[ -d stores/photographs-64 ] || "$adasample" data images --images "$photographs" --detector dog --contrast 0.015 --max-keypoints 1000 \
  --overlap 0.3 --per-image 1000 --holdout 0.1 --size 64 --out stores/photographs-64
[ -d judges/oxford-redetected-64 ] || "$adasample" data redetected --images "$sequences" --size 64 --out judges/oxford-redetected-64
[ -d judges/heldout-redetected-64 ] ||
  "$adasample" data redetected --images work/heldout --max-keypoints 400 --size 64 --out judges/heldout-redetected-64
for scene in "$scenes"/*/; do
  name=$(basename "$scene")
  [ -d "judges/$name-64" ] || "$adasample" data colmap --model "work/$name/sparse/0" --images "$scene/images" --max-views 6 --size 64 \
    --out "judges/$name-64"
done
