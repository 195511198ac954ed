#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target of a build for so many seconds, several side by side, and a table of what came out:
#   fuzz_campaign.sh BUILD_DIR SECONDS [JOBS]
# Findings (crashes, hangs, memory) stay in BUILD_DIR/findings; exit code 1 where there is one.
set -euo pipefail
build=$(cd "$1" && pwd) seconds=$2 jobs=${3:-$(nproc)}
cd "$(dirname "$0")/.."
export build seconds

fuzz_one() {
  local target=$1 name corpus found
  name=$(basename "$target") corpus=$build/corpus/$name found=$build/findings/$name
  mkdir -p "$corpus" "$found"
  cp -n "tests/fuzz/seeds/$name"/* "$corpus"/ 2>/dev/null || true
  # Small inputs first, up to 64 KiB later. A finding ends a run, so it is begun again until the time is over.
  local end=$((SECONDS + seconds)) runs=0 left
  while left=$((end - SECONDS)) && [ $left -gt 0 ]; do
    "$target" -max_total_time=$left -max_len=65536 -timeout=20 -rss_limit_mb=3072 -print_final_stats=1 \
      -artifact_prefix="$found/" "$corpus" 2>"$build/$name.log" || true
    runs=$((runs + $(grep -oP 'stat::number_of_executed_units:\s*\K[0-9]+' "$build/$name.log" || echo 0)))
    [ "$(find "$found" -type f | wc -l)" -ge 5 ] && break
  done
  printf '%-24s %12d executions %4d findings\n' "$name" "$runs" "$(find "$found" -type f | wc -l)"
}
export -f fuzz_one

rm -rf "$build/findings"
printf '%s\0' "$build"/bin/*_fuzz | xargs -0 -n 1 -P "$jobs" bash -c 'fuzz_one "$0"' | sort | tee "$build/campaign.txt"
awk '{ runs += $2; found += $4 } END { printf "%-24s %12d executions %4d findings\n", "all", runs, found; exit found > 0 }' "$build/campaign.txt"
