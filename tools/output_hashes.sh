#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Hashes of what the program writes from fixed seeds: stores of every source, checkpoints, weights, exports, descriptors,
# databases and scores. Run it before and after a change that must not alter results, on one machine, and compare:
#   tools/output_hashes.sh build/release/bin/adasample PHOTOGRAPHS SEQUENCES WORK > before.txt
# PHOTOGRAPHS: a folder of pictures. SEQUENCES: a folder of homography sequences. WORK: a new folder for the outputs.
# PHOTOTOUR, MODEL and FOREIGN add a PhotoTour set with its lists, a COLMAP model (its database beside it, its pictures in
# MODEL_IMAGES) and a PyTorch checkpoint to import. Takes about a minute and a half on two cores.
# What depends on the clock is left out. Needs python3-h5py.
set -euo pipefail
[ $# = 4 ] || { sed -n '3,9p' "$0" >&2; exit 2; }
program=$(realpath "$1") photographs=$(realpath "$2") sequences=$(realpath "$3") work=$4
mkdir "$work" && cd "$work"
ada() { "$program" --quiet --threads 2 "$@" >/dev/null; }
figures() { "$program" --quiet --threads 2 --json "$@"; }

hash_file() { printf '%s  %s\n' "$(sha256sum < "$1" | cut -d' ' -f1)" "$1"; }
hash_tree() { find "$1" -type f ! -name .lock | LC_ALL=C sort | while read -r file; do hash_file "$file"; done; }
# A JSON object per line, without times, rates and what names the build.
hash_json() {
  python3 - "$1" <<'PY'
import hashlib, json, re, sys
clock = re.compile(r"second|time|rate|per_s|version|cpu|device|git|build|threads|created|commit|engine")
def still(value):
    if isinstance(value, dict): return {k: still(v) for k, v in value.items() if not clock.search(k)}
    return [still(v) for v in value] if isinstance(value, list) else value
text = open(sys.argv[1]).read()
try: values = [json.loads(text)]
except json.JSONDecodeError: values = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
print(hashlib.sha256(json.dumps([still(v) for v in values], sort_keys=True).encode()).hexdigest(), "", sys.argv[1])
PY
}

ada --seed 5 data synth --out synth --classes 200 --views 8
ada --seed 6 data synth --out heldout --classes 120 --views 8 --part heldout --jitter wide
ada --seed 7 data images --images "$photographs" --out images --holdout 0.2 --per-image 40
ada data keypoints --images "$photographs" --out keypoints.csv --max-keypoints 100
ada --seed 8 data images --images "$photographs" --keypoints keypoints.csv --out listed --per-image 20 --views 4 --jitter narrow
ada --seed 9 data sequences --images "$sequences" --out strips --max 150
ada data hpatches --root strips --split full --part test --out hpatches
for store in synth heldout images images-heldout listed strips hpatches; do hash_tree "$store"; done
hash_file keypoints.csv
ada --seed 1 data show images --out sheet.png && hash_file sheet.png
if [ -n "${PHOTOTOUR:-}" ]; then
  ada --seed 3 data phototour --root "$PHOTOTOUR" --out phototour && hash_tree phototour
  figures eval phototour --root "$PHOTOTOUR" --model rootsift > phototour.json && hash_json phototour.json
fi
if [ -n "${MODEL:-}" ]; then
  ada --seed 4 data colmap --model "$MODEL" --images "$MODEL_IMAGES" --out tracks --min-track 2 && hash_tree tracks
fi

for run in "adasample" "random --weights none" "hardest --preset paper --loss ht" "adasample --sampling-engine onednn-int8"; do
  name=run-${run%% *}-$(echo "$run" | cksum | cut -d' ' -f1)
  # shellcheck disable=SC2086
  ada --seed 2 train --data synth --val heldout --out "$name" --batch 16 --k 8 --iterations 12 --checkpoint-every 6 --eval-every 6 --sampler $run
  hash_tree "$name/checkpoints" | grep -v 'progress.json\|state.json\|checkpoint.json'
  hash_file "$name/model.safetensors"
  for log in metrics.jsonl snapshots.jsonl; do hash_json "$name/$log"; done
done

ada export --model default --to onnx --out net.onnx
ada export --model default --to pth --out net.pth
ada export --model default --to torchscript --out net.pt
ada export --model default --to safetensors --type float16 --out half.safetensors
ada import net.pth --out back.safetensors
ada calibrate --model default --patches images --out int8.safetensors --count 256
for file in net.onnx net.pth half.safetensors back.safetensors int8.safetensors; do hash_file "$file"; done
python3 - <<'PY'
# The archive's members: the zip itself carries the path it was written to.
import hashlib, zipfile
archive = zipfile.ZipFile("net.pt")
print(hashlib.sha256(b"".join(archive.read(n) for n in sorted(archive.namelist()) if "/data/" in n)).hexdigest(), "", "net.pt")
PY
if [ -n "${FOREIGN:-}" ]; then ada import "$FOREIGN" --out foreign.safetensors && hash_file foreign.safetensors; fi

for engine in reference onednn onednn-int8 simd simd-int8 torch; do
  ada describe --patches heldout --engine $engine --out "patches-$engine.npy" && hash_file "patches-$engine.npy"
done
first=$(find "$photographs" -type f | LC_ALL=C sort | head -n 1)
for detector in dog hessian harris sift; do
  ada describe --images "$first" --detector $detector --max-keypoints 200 --out "picture-$detector.csv"
  hash_file "picture-$detector.csv"; hash_file "picture-$detector.keypoints.csv"
done
ada describe --images "$first" --type uint8 --out bytes.npy && hash_file bytes.npy
for model in sift rootsift orb; do ada describe --patches heldout --model $model --out "$model.npy" && hash_file "$model.npy"; done
pair=$(find "$sequences" -type f -path '*leuven*' -name '[13].*' | LC_ALL=C sort)
# shellcheck disable=SC2086
figures match $pair --matches matches.csv > match.json
# shellcheck disable=SC2086
ada match $pair --model default --model sift --geometry homography --out matches.png
hash_file matches.csv; hash_file matches.png; hash_json match.json
small=pictures && mkdir $small && find "$photographs" -type f | LC_ALL=C sort | head -n 3 | while read -r f; do cp "$f" $small/; done
ada describe --images $small --out pictures.h5
/usr/bin/python3 - <<'PY'
# Without the times that HDF5 keeps of its objects.
import hashlib, h5py
digest, file = hashlib.sha256(), h5py.File("pictures.h5")
file.visititems(lambda name, item: digest.update(name.encode() + (item[()].tobytes() if hasattr(item, "shape") else b"")))
print(digest.hexdigest(), "", "pictures.h5")
PY
ada colmap --images $small --database pictures.db --max-keypoints 300
python3 - <<'PY'
import hashlib, sqlite3
dump = "\n".join(sqlite3.connect("pictures.db").iterdump())
print(hashlib.sha256(dump.encode()).hexdigest(), "", "pictures.db")
PY
for model in default rootsift orb; do
  figures eval patches --data images-heldout --model $model --pairs 2000 > patches-$model.json && hash_json patches-$model.json
  figures eval hpatches --root strips --split full --model $model > hpatches-$model.json && hash_json hpatches-$model.json
done
figures eval hpatches --root strips --split full --model default --dist l1 --corrected > hpatches-l1.json && hash_json hpatches-l1.json
one=$(find "$sequences" -mindepth 1 -maxdepth 1 -type d | LC_ALL=C sort | head -n 1)
figures eval sequences --images "$one" --model default --max-keypoints 500 > sequences.json && hash_json sequences.json
figures eval compare --a 1.3,1.2,1.4 --b 1.6,1.5,1.7 --paired > compare.json && hash_json compare.json
figures check --model default --count 16 > check.json && hash_json check.json
