#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# adasample and PyTorch (bench/peer_torch.py) in turn on this CPU: describing in fp32 and int8, and whole iterations.
# Who goes first changes from round to round. Every measurement is kept, with medians and ratios, in OUT.
# The peer runs twice. As its user would run it with care: as many threads, channels last, inference mode, the best of three
# batch sizes (found first). And tuned: also with the settings of malloc that adasample gives itself, and, for describing,
# frozen by TorchScript. It has no int8: adasample's is set against its fp32.
#   bench/compare.sh [OUT]          OUT: build/compare
#   ROUNDS=5 THREADS=2 N=256 K=15   of the comparison
#   PROGRAM=build/release/bin/adasample PYTHON=/usr/bin/python3
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/compare}
program=${PROGRAM:-build/release/bin/adasample}
python=${PYTHON:-/usr/bin/python3}
rounds=${ROUNDS:-5} threads=${THREADS:-2} n=${N:-256} k=${K:-15}
export OMP_NUM_THREADS=$threads
"$python" -c 'import torch' 2>/dev/null || { echo "compare.sh: $python has no PyTorch (Debian: python3-torch); set PYTHON" >&2; exit 1; }
[ -x "$program" ] || { echo "compare.sh: no program $program; build it or set PROGRAM" >&2; exit 1; }
read -r load _ </proc/loadavg
mkdir -p "$out"
lines=$out/lines.jsonl
: >"$lines"
store=$out/store-$n-$k
[ -d "$store" ] || "$python" bench/random_store.py "$store" $((4 * n)) "$k"

# keep ROUND WHO WHAT COMMAND..: its last line, a JSON object, becomes one of $lines.
keep() {
  local round=$1 who=$2 what=$3 result
  shift 3
  result=$("$@" 2>"$out/err.txt" | tail -n 1) || { cat "$out/err.txt" >&2; exit 1; }
  printf '{"round": %s, "who": "%s", "what": "%s", "result": %s}\n' "$round" "$who" "$what" "$result" | tee -a "$lines" >&2
}
peer() {
  "$python" bench/peer_torch.py --device cpu --threads "$threads" --n "$n" --k "$k" --classes $((4 * n)) --rounds 3 "$@"
}
tuned() { MALLOC_MMAP_MAX_=0 MALLOC_TRIM_THRESHOLD_=2147483647 MALLOC_TOP_PAD_=268435456 peer "$@"; }
embed() { "$program" bench embed -q --json --threads "$threads" --engine "$1" --patches $((n * k)) --rounds 3; }

step() {
  "$program" bench step -q --json --device cpu --threads "$threads" --data "$store" --batch "$n" --k "$k" \
    --rounds 3 --round-iterations 1
}
ours() {
  keep "$round" adasample "embed fp32" embed onednn
  keep "$round" adasample "embed int8" embed onednn-int8
  keep "$round" adasample step step
}
theirs() {
  keep "$round" pytorch embed peer --only embed --modes channels_last --embed-batches "$batch"
  keep "$round" pytorch step peer --only step --modes channels_last --embed-batches "$batch" --warmup 1
  keep "$round" tuned embed tuned --only embed --modes frozen --embed-batches "$tuned_batch"
  keep "$round" tuned step tuned --only step --modes channels_last --embed-batches "$batch" --warmup 1
}

# What suits the peer best.
best_batch() { "$python" -c 'import json, sys; print(json.loads(open(sys.argv[1]).readlines()[-1])["result"]["embed_batch"])' "$lines"; }
keep 0 pytorch "embed, batches" peer --only embed --modes channels_last --embed-batches 64,256,960
batch=$(best_batch)
keep 0 tuned "embed, batches" tuned --only embed --modes frozen --embed-batches 64,256,960
tuned_batch=$(best_batch)
for round in $(seq "$rounds"); do
  if ((round % 2)); then ours; theirs; else theirs; ours; fi
done

"$python" bench/compare_table.py "$lines" --load "$load" | tee "$out/table.md"
