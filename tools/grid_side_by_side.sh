#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trains a grid on the GPU while the cores score what is ready; then the tables. Goes on where it was stopped.
#   grid_side_by_side.sh GRID.toml|.json OUT [SCORERS]
# One trainer, and SCORERS (4) scorers that each take some of the seeds. Start it where the grid's paths begin. Not for
# budgets of seconds: with work beside it, a run's time says nothing. ADASAMPLE: the program (build/cuda/bin/adasample);
# python3 (3.11 or newer for .toml).
set -euo pipefail
[ $# -ge 2 ] || { sed -n '3,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
grid=$1 out=$2 scorers=${3:-4}
program=$(realpath "${ADASAMPLE:-$(dirname "$0")/../build/cuda/bin/adasample}")
export OMP_WAIT_POLICY=passive
parts=$(mktemp -d)
trap 'trap "" TERM; kill 0 2>/dev/null; rm -rf "$parts"' EXIT
threads=$(( ($(nproc) - 2) / scorers > 1 ? ($(nproc) - 2) / scorers : 1 ))

# The whole grid, and one for each scorer with its seeds.
python3 - "$grid" "$parts" "$scorers" <<'PYTHON'
import json, pathlib, sys
grid, parts, scorers = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
if grid.endswith(".toml"):
    import tomllib
    whole = tomllib.loads(pathlib.Path(grid).read_text())
else:
    whole = json.loads(pathlib.Path(grid).read_text())
seeds = whole.get("seeds", 1)
seeds = list(range(seeds)) if isinstance(seeds, int) else seeds
whole["seeds"] = seeds
(parts / "all.json").write_text(json.dumps(whole))
for i in range(scorers):
    if seeds[i::scorers]:
        (parts / f"seeds{i}.json").write_text(json.dumps({**whole, "seeds": seeds[i::scorers]}))
PYTHON

score() { # FILE: again and again, and once more when everything is trained
  while true; do
    local last=no
    [ ! -e "$parts/trained" ] || last=yes
    if [ -d "$out/runs" ]; then
      nice -n 15 "$program" -q experiment "$1" --out "$out" --part score --threads "$threads" > "$1.log" 2>&1 || true
    fi
    [ $last = no ] || break
    sleep 2
  done
}
waiting=()
for file in "$parts"/seeds*.json; do
  score "$file" &
  waiting+=($!)
done
status=0
"$program" experiment "$parts/all.json" --out "$out" --part train --threads 2 || status=$?
touch "$parts/trained"
wait "${waiting[@]}"
# What a scorer could not do is told here: this scores nothing that is scored already.
"$program" experiment "$parts/all.json" --out "$out" --part score || status=$?
exit $status
