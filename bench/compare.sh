#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# adasample and PyTorch (bench/peer_torch.py) alternately on this CPU: describing in fp32 and int8, forward and backward of
# training alone, and whole iterations. Who goes first changes from round to round. Every measurement is kept, with medians
# and ratios, in OUT; table.md there begins with the CPU and its instruction set. What this machine or this program does not
# have is left out, with one line that says why.
# The peer runs twice. As its user would run it with care: as many threads, channels last, inference mode, the best of three
# batch sizes (found first). And tuned: also with the settings of malloc that adasample gives itself, and, for describing,
# frozen by TorchScript. It has no int8: adasample's is set against its fp32.
#   bench/compare.sh [OUT]          OUT: build/compare, with -ISA where one is given
#   ISA=avx2                        both as on a CPU with nothing better: avx2, avx512 or avx512_vnni
#   ROUNDS=7 THREADS=2 N=256 K=15   of the comparison
#   PROGRAM=build/release/bin/adasample PYTHON=/usr/bin/python3
set -euo pipefail
cd "$(dirname "$0")/.."
isa=${ISA:-}
out=${1:-build/compare}${isa:+-$isa}
program=${PROGRAM:-build/release/bin/adasample}
python=${PYTHON:-/usr/bin/python3}
rounds=${ROUNDS:-7} threads=${THREADS:-2} n=${N:-256} k=${K:-15}
export OMP_NUM_THREADS=$threads
[ -x "$program" ] || { echo "compare.sh: no program $program; build it or set PROGRAM" >&2; exit 1; }
command -v "$python" >/dev/null || { echo "compare.sh: no $python, which writes the table; set PYTHON" >&2; exit 1; }
. bench/instruction_set.sh
limit_instruction_set "$isa"
read -r load _ </proc/loadavg
mkdir -p "$out"
lines=$out/lines.jsonl skipped=$out/skipped.txt
: >"$lines"
: >"$skipped"
machine=$(cpu_name)
here=${isa:-$(instruction_set)}
echo "$machine, $here${isa:+ at most}, $threads threads" >&2

# skip WHAT WHY: one line, also for the table.
skip() { echo "skipped: $1: $2" | tee -a "$skipped" >&2; }
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
embed() { "$program" bench embed -q --json --device cpu --threads "$threads" --engine "$1" --patches "$2" --rounds "$3"; }
step() {
  "$program" bench step -q --json --device cpu --threads "$threads" --data "$store" --batch "$1" --k "$k" \
    --rounds "$2" --round-iterations 1
}

# What there is to measure. An engine that is not here either fails, or another takes its place and says so.
int8=()
for engine in simd-int8 onednn-int8; do
  if found=$(embed "$engine" 64 1 2>"$out/err.txt"); then
    [[ $found == *"\"engine\":\"$engine\""* ]] && int8+=("$engine") || skip "embed $engine" "this machine has not what it needs"
  else
    skip "embed $engine" "$(tail -n 1 "$out/err.txt")"
  fi
done
store=$out/store-$n-$k
[ -d "$store" ] || "$python" bench/random_store.py "$store" $((4 * n)) "$k" || { store=; skip step "no store could be made"; }
if [ -n "$store" ] && ! step 8 1 >/dev/null 2>"$out/err.txt"; then
  skip step "$(tail -n 1 "$out/err.txt")"
  store=
fi
torch=1
"$python" -c 'import torch' 2>/dev/null || { torch=; skip PyTorch "$python has none (Debian: python3-torch); no ratios"; }

ours() {
  keep "$round" adasample "embed fp32" embed auto $((n * k)) 3
  for engine in "${int8[@]}"; do keep "$round" adasample "embed $engine" embed "$engine" $((n * k)) 3; done
  [ -z "$store" ] || keep "$round" adasample step step "$n" 3
}
theirs() {
  [ -n "$torch" ] || return 0
  keep "$round" pytorch embed peer --only embed --modes channels_last --embed-batches "$batch"
  keep "$round" tuned embed tuned --only embed --modes frozen --embed-batches "$tuned_batch"
  [ -n "$store" ] || return 0
  for who in pytorch tuned; do
    local run=peer
    [ $who = pytorch ] || run=tuned
    keep "$round" $who pass $run --only pass --modes channels_last --warmup 1
    keep "$round" $who step $run --only step --modes channels_last --embed-batches "$batch" --warmup 1
  done
}

if [ -n "$torch" ]; then  # what suits the peer best
  best_batch() { "$python" -c 'import json, sys; print(json.loads(open(sys.argv[1]).readlines()[-1])["result"]["embed_batch"])' "$lines"; }
  keep 0 pytorch "embed, batches" peer --only embed --modes channels_last --embed-batches 64,256,960
  batch=$(best_batch)
  keep 0 tuned "embed, batches" tuned --only embed --modes frozen --embed-batches 64,256,960
  tuned_batch=$(best_batch)
fi
for round in $(seq "$rounds"); do
  if ((round % 2)); then ours; theirs; else theirs; ours; fi
done

"$python" bench/compare_table.py "$lines" --load "$load" --cpu "$machine" --isa "$here" --skipped "$skipped" | tee "$out/table.md"
