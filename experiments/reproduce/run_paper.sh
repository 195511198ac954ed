#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The paper's own run, AdaSample and HardNet one after the other: run_paper.sh STORE VALIDATION OUT MINUTES
# Ends after MINUTES, or when both are complete; the same command goes on. PROGRAM: the program, `adasample` by default.
set -euo pipefail
if [ $# -ne 4 ]; then
  echo "usage: run_paper.sh STORE VALIDATION OUT MINUTES" >&2
  exit 2
fi
store=$1 validation=$2 out=$3 seconds=$(($4 * 60))
program=${PROGRAM:-adasample}
hardnet="--sampler random --weights none --loss hardnet --momentum 0.9 --dampening 0.9 --schedule linear --separate-bn"
mkdir -p "$out"
begin=$SECONDS
for name in adasample hardnet; do
  options=""
  if [ "$name" = hardnet ]; then options=$hardnet; fi
  left=$((seconds - (SECONDS - begin)))
  if [ "$left" -lt 30 ]; then break; fi
  # SIGINT: the iteration is finished and a checkpoint written, which takes less than a minute.
  code=0
  # shellcheck disable=SC2086
  timeout --signal=INT "$left" "$program" train --preset paper $options --data "$store" --val "$validation" \
    --eval-every 4885 --out "$out/$name" --resume || code=$?
  if [ "$code" -ne 0 ] && [ "$code" -ne 124 ] && [ "$code" -ne 130 ]; then exit "$code"; fi
done
