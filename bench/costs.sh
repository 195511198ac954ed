#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What an iteration costs in time and memory, against pairs n, patches a class k and the size of the store, on this CPU.
# Measured points are kept in OUT/costs.jsonl and not measured again, so that it can be stopped and started; then they are drawn.
#   bench/costs.sh [OUT] [PICTURE.svg]   build/costs, docs/pictures/costs.svg
#   THREADS=2 NS="32 64 128 256 512" KS="2 4 8 15 22 30" STORES="2000 20000 200000" (patches)
#   PROGRAM=build/release/bin/adasample PYTHON=python3
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/costs} picture=${2:-docs/pictures/costs.svg}
program=${PROGRAM:-build/release/bin/adasample} python=${PYTHON:-python3} threads=${THREADS:-2}
[ -x /usr/bin/time ] || { echo "costs.sh: no /usr/bin/time (Debian: time)" >&2; exit 1; }
[ -x "$program" ] || { echo "costs.sh: no program $program; build it or set PROGRAM" >&2; exit 1; }
export OMP_NUM_THREADS=$threads
views=30  # enough for every k
mkdir -p "$out"
points=$out/costs.jsonl
touch "$points"

# measure SERIES N K PATCHES: one line of $points, unless it is there.
measure() {
  local series=$1 n=$2 k=$3 patches=$4 store=$out/store-$4 id result
  id="\"series\": \"$series\", \"n\": $n, \"k\": $k, \"patches\": $patches, \"threads\": $threads"
  if grep -qF "{$id," "$points"; then return; fi
  [ -d "$store" ] || "$python" bench/random_store.py "$store" $((patches / views)) "$views"
  result=$(/usr/bin/time -f %M -o "$out/rss" "$program" bench step -q --json --device cpu --threads "$threads" --data "$store" \
    --batch "$n" --k "$k" --rounds 5 --round-iterations 1 | tail -n 1)
  printf '{%s, "peak_rss_kb": %s, "result": %s}\n' "$id" "$(tail -n 1 "$out/rss")" "$result" | tee -a "$points"
}

for n in ${NS:-32 64 128 256 512}; do measure n "$n" 15 20000; done
for k in ${KS:-2 4 8 15 22 30}; do measure k 64 "$k" 20000; done
for patches in ${STORES:-2000 20000 200000}; do measure patches 64 15 "$patches"; done
mkdir -p "$(dirname "$picture")"
"$python" bench/plot_costs.py "$points" "$picture"
