#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Writes docs/cli.md from the program's own help: make_cli_docs.sh PROGRAM
set -euo pipefail
cd "$(dirname "$0")/.."
program=${1:-build/release/bin/adasample}
{
  echo "# Command line"
  echo
  echo "Written by tools/make_cli_docs.sh from the program's own help; a test compares the two."
  echo
  echo "Exit codes: 0 done, 1 the work failed (one line that says what and where), 2 bad usage, 130 interrupted."
  for command in "" demo train experiment reproduce "data synth" "data keypoints" "data images" "data phototour" "data hpatches" "data sequences" \
    "data redetected" "data colmap" "data check" "data info" "data show" describe match pairs reconstruct colmap "eval patches" "eval pairs" "eval phototour" \
    "eval hpatches" "eval brown-revisited" "eval sequences" "eval tracks" "eval pose" "eval reconstruction" "eval compare" check calibrate export import vocabulary methods report watch "bench embed" "bench pictures" "bench match" "bench eval" \
    "bench step" "bench load"; do
    printf '\n## adasample%s\n\n```\n' "${command:+ $command}"
    "$program" $command --help
    echo '```'
  done
} > docs/cli.md
