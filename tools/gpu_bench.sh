#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds for a GPU, runs the tests labelled gpu, and measures adasample and PyTorch in turn on this machine.
# Needs a CUDA compiler and a LibTorch with CUDA: python3's PyTorch serves as both LibTorch and the peer.
#   PEER_MODES="fp32 tf32 bf16 bf16-compile"   what of the peer is measured; compile takes minutes of autotuning
#   GPU_ARCHITECTURES=90a                       of the build
#   GPU_ROUNDS=2                                ours and the peer in turn, so many times
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-build/gpu-bench}
mkdir -p "$out"
python=${PYTHON:-python3}
prefix=$("$python" -c 'import torch; print(torch.utils.cmake_prefix_path)') ||
  { echo "gpu_bench.sh: $python has no PyTorch; set PYTHON" >&2; exit 1; }
architectures=${GPU_ARCHITECTURES:-$("$python" -c 'import torch; m, n = torch.cuda.get_device_capability(); print(f"{m}{n}" + ("a" if m == 9 else ""))')}

cmake --preset cuda -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CUDA_ARCHITECTURES="$architectures" \
  -DTORCH_CUDA_ARCH_LIST="$(sed -E 's/(.)(a?)$/.\1\2/' <<<"$architectures")" >"$out/configure.log" 2>&1 ||
  { tail -20 "$out/configure.log" >&2; exit 1; }
cmake --build build/cuda -j "$(nproc)" ${GPU_TARGETS:+--target $GPU_TARGETS} >"$out/build.log" 2>&1 ||
  { grep -E 'error|FAILED' "$out/build.log" | head -30 >&2; exit 1; }
program=build/cuda/bin/adasample

echo "== tests"
status=0
build/cuda/bin/gpu_tests >"$out/gpu_tests.log" 2>&1 || status=$?
grep -E '^(descriptors|gradient|positives)|FAILED|PASSED|SKIPPED|Failure' "$out/gpu_tests.log"
if [ "$status" != 0 ] || grep -q 'PASSED  . 0 tests' "$out/gpu_tests.log"; then
  echo "gpu_bench.sh: the tests did not pass, or did not run; see $out/gpu_tests.log" >&2
  exit 1
fi

echo "== speed"
store=$out/patches
rm -f "$out/ours.jsonl" "$out/peer.jsonl"
[ -d "$store" ] || "$program" data synth -q --out "$store" --classes 4000 --views 15
for round in $(seq "${GPU_ROUNDS:-1}"); do
  for precision in fp32 tf32 fp16 bf16; do
    "$program" bench step -q --device cuda --data "$store" --batch 1024 --k 15 --precision $precision --json | tee -a "$out/ours.jsonl"
  done
  "$program" bench embed -q --device cuda --json | tee -a "$out/ours.jsonl"
  modes=${PEER_MODES-fp32 tf32 bf16 bf16-compile}
  [ -z "$modes" ] || "$python" bench/peer_torch.py --device cuda --modes "$(tr ' ' ',' <<<"$modes")" 2>/dev/null | tee -a "$out/peer.jsonl"
done
"$python" - "$out" <<'PY'
import json, pathlib, sys
out = pathlib.Path(sys.argv[1])
read = lambda name: [json.loads(line) for line in (out / name).open()] if (out / name).exists() else []
print("\n| | pairs/s | ms | TFLOP/s | embedded patches/s |\n|---|---|---|---|---|")
embed = {}
for row in read("ours.jsonl"):
    if "pairs_per_s" in row:
        print(f"| adasample {row['precision']} | {row['pairs_per_s']:,.0f} | {row['iter_ms']:.2f} | {row['tflops']:.0f} | |")
    else:
        print(f"| adasample, embedding | | | {row.get('resident_gflops', row['gflops']) / 1000:.0f} | {row.get('resident_patches_per_s', row['patches_per_s']):,.0f} |")
for row in read("peer.jsonl"):
    print(f"| PyTorch {row['mode']} | {row['pairs_per_s']:,.0f} | {row['iter_ms']:.2f} | {row['tflops']:.0f} | {row['patches_per_s']:,.0f} |")
PY
