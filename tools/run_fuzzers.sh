#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs every fuzz target of a build: run_fuzzers.sh BUILD_DIR EXECUTIONS. Stops at the first finding.
set -euo pipefail
build=$1 runs=$2
for target in "$build"/bin/*_fuzz; do
  name=$(basename "$target")
  corpus="$build/corpus/$name"
  mkdir -p "$corpus"
  seeds=tests/fuzz/seeds/$name
  [ -d "$seeds" ] && cp -n "$seeds"/* "$corpus"/ 2>/dev/null || true
  echo "== $name: $runs executions"
  "$target" -runs="$runs" -max_len=16384 -max_total_time=600 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "$corpus" 2>"$build/$name.log" ||
    { tail -n 40 "$build/$name.log"; exit 1; }
  grep -E 'stat::(number_of_executed_units|average_exec_per_sec)' "$build/$name.log"
done
