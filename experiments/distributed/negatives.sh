#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Negatives of the whole batch against those of a rank's own share: four ranks of 256 pairs each, everything else equal,
# judged on scenes that no training saw. Usage: negatives.sh ADASAMPLE OUT [ITERATIONS]; goes on where it was stopped.
set -euo pipefail

adasample=$1 out=$2 iterations=${3:-40}
mkdir -p "$out"
[ -d "$out/train" ] || "$adasample" data synth --out "$out/train" --redetect --max-turn 45 --classes 8000 --views 8 --classes-per-scene 200 --seed 1
[ -d "$out/heldout" ] || "$adasample" data synth --out "$out/heldout" --redetect --max-turn 45 --classes 3000 --views 8 --classes-per-scene 200 --part heldout --seed 2
for seed in 0 1 2; do
  for negatives in batch rank; do
    run=$out/$negatives-$seed
    [ -f "$run/result.json" ] || mpirun --allow-run-as-root --oversubscribe -n 4 "$adasample" --quiet train --data "$out/train" --out "$run" \
      --negatives-from "$negatives" --batch 1024 --k 4 --iterations "$iterations" --seed "$seed" --device cpu --resume
    [ -f "$run.json" ] || "$adasample" --json --quiet eval patches --data "$out/heldout" --model "$run" --device cpu >"$run.json"
  done
done

python3 - "$out" <<'P'
import glob, json, statistics, sys
for negatives in ("batch", "rank"):
    scores = [json.loads(open(f).read().splitlines()[-1]) for f in sorted(glob.glob(f"{sys.argv[1]}/{negatives}-?.json"))]
    values = [100 * s["fpr95"] for s in scores]
    print(f"| {negatives} | {' / '.join(f'{v:.2f}' for v in values)} | {statistics.mean(values):.2f} |")
P
