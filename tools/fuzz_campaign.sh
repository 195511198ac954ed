#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every fuzz target of a build for so many seconds altogether, several side by side, and a table of what came out:
#   fuzz_campaign.sh BUILD_DIR SECONDS [JOBS] [RESULTS]
# RESULTS (BUILD_DIR/campaign) gets a file of its own for each call, table.txt over all calls so far, the logs of runs
# that found something, and what they found in findings/. Exit code 1 where there is a finding.
# Targets take turns in short slices, and each slice is recorded when it ends: whoever kills this loses seconds, and
# may call it again. Every other slice begins with inputs of full length, the rest lets libFuzzer grow them.
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,8s/^# //p' "$0" >&2; exit 2; }
build=$(cd "$1" && pwd) seconds=$2 jobs=${3:-$(nproc)} results=${4:-$1/campaign}
mkdir -p "$results/findings" "$build/corpus"
results=$(cd "$results" && pwd)
seeds=$build/seeds
[ -d "$seeds" ] || seeds=$(cd "$(dirname "$0")/.." && pwd)/tests/fuzz/seeds
record=$results/slices-$(date -u +%Y%m%dT%H%M%S)-$$.txt end=$(($(date +%s) + seconds))
slice=20 most=65536 most_findings=5
export build results record end slice most most_findings

# Target, executions, findings: of all calls, and their sum.
make_table() {
  cat "$results"/slices-*.txt | awk '
    { runs[$1] += $2; found[$1] += $3; all += $2; bad += $3 }
    END {
      for (name in runs) printf "%-24s %14d executions %4d findings\n", name, runs[name], found[name] | "sort"
      close("sort")
      printf "%-24s %14d executions %4d findings\n", "all", all, bad
    }'
}

fuzz_slice() {
  local name=$1 length=$2 left corpus=$build/corpus/$1 found=$results/findings/$1 log runs before after
  left=$((end - $(date +%s)))
  [ "$left" -ge 2 ] || return 0
  mkdir -p "$found"
  before=$(find "$found" -type f | wc -l)
  [ "$before" -lt "$most_findings" ] || return 0
  log=$(mktemp "$results/.$name-XXXXXX")
  # FUZZ_LIBRARIES: where fuzz_bundle.sh has put them. A process that hangs is told so by -timeout; one that cannot even be told is killed.
  LD_LIBRARY_PATH=${FUZZ_LIBRARIES:-${LD_LIBRARY_PATH:-}} timeout -k 5 $((slice + 120)) "$build/bin/$name" -max_total_time=$((left < slice ? left : slice)) -max_len=$most \
    -len_control="$length" -timeout=20 -rss_limit_mb=3072 -print_final_stats=1 -artifact_prefix="$found/" "$corpus" \
    >"$log" 2>&1 || true
  # Without its last statistics (it was killed) the last line that counts has to do.
  runs=$(grep -aoP 'stat::number_of_executed_units:\s*\K[0-9]+' "$log" || grep -aoP '^#\K[0-9]+' "$log" | tail -n 1 || echo 0)
  after=$(find "$found" -type f | wc -l)
  if [ "$after" -gt "$before" ] || [ "${runs:-0}" -eq 0 ]; then mv "$log" "$results/$name-$(date +%s%N).log"; else rm "$log"; fi
  printf '%s %d %d\n' "$name" "${runs:-0}" $((after - before)) >>"$record"
  (
    flock 9
    make_table >"$results/.table" && mv "$results/.table" "$results/table.txt"
  ) 9>"$results/.lock"
}
export -f make_table fuzz_slice

# Who had the fewest turns in earlier calls comes first.
mapfile -t names <<<"$(for target in "$build"/bin/*_fuzz; do
  name=$(basename "$target")
  echo "$(cat "$results"/slices-*.txt 2>/dev/null | grep -c "^$name ") $name"
done | sort -n -k 1,1 | cut -d ' ' -f 2)"
for name in "${names[@]}"; do
  mkdir -p "$build/corpus/$name"
  cp -n "$seeds/$name"/* "$build/corpus/$name"/ 2>/dev/null || true
done
: >"$record"
# More turns than there is time for; those that come too late return at once.
rounds=$((seconds * jobs / slice / ${#names[@]} + 2))
for ((round = 0; round < rounds; ++round)); do
  for name in "${names[@]}"; do echo "$name $((round % 2 == 0 ? 100 : 0))"; done
done | xargs -n 2 -P "$jobs" bash -c 'fuzz_slice "$0" "$1"'

make_table | tee "$results/table.txt"
[ "$(find "$results/findings" -type f | wc -l)" -eq 0 ]
