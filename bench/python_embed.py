# SPDX-License-Identifier: Apache-2.0
"""Describing from Python beside `adasample bench embed`, alternately: medians, their ratio, and whether the descriptors are the same bits.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_embed.py --program build/release/bin/adasample

Both describe the same number of made-up patches at once; who goes first changes from round to round. Exit code 1: not the same bits, or
slower than --within allows.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import adasample
import numpy as np


def by_program(program, patches, engine):
    done = subprocess.run([program, "bench", "embed", "--patches", str(patches), "--engine", engine, "--json"], check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])["patches_per_s"]


def by_python(model, patches, rounds=10):
    seconds = []
    model.describe(patches)
    for _ in range(rounds):
        begin = time.perf_counter()
        model.describe(patches)
        seconds.append(time.perf_counter() - begin)
    return len(patches) / statistics.median(seconds)


def same_bits(program, model, patches, engine):
    with tempfile.TemporaryDirectory() as folder:
        file, out = pathlib.Path(folder, "patches.npy"), pathlib.Path(folder, "rows.npy")
        np.save(file, patches)
        subprocess.run([program, "describe", "--patches", file, "--engine", engine, "--out", out, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        return np.load(out).tobytes() == model.describe(patches).tobytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="build/release/bin/adasample")
    parser.add_argument("--engine", default="simd")
    parser.add_argument("--patches", type=int, default=2048)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--within", type=float, default=0.1, help="share by which Python may be slower")
    a = parser.parse_args()
    model = adasample.load("default", a.engine)
    patches = np.random.default_rng(1).integers(0, 256, (a.patches, 32, 32), dtype=np.uint8)
    measure = {"program": lambda: by_program(a.program, a.patches, a.engine), "python": lambda: by_python(model, patches)}
    rates = {name: [] for name in measure}
    for r in range(a.rounds):
        for name in sorted(measure, reverse=r % 2 == 1):
            rates[name].append(measure[name]())
        print(f"round {r + 1}: " + ", ".join(f"{name} {rates[name][-1]:.0f} patches/s" for name in rates), file=sys.stderr)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    ratios = [p / q for p, q in zip(rates["python"], rates["program"])]
    equal = same_bits(a.program, model, patches, a.engine)
    print(json.dumps({"engine": a.engine, "patches": a.patches, "rounds": a.rounds, **{f"{n}_patches_per_s": round(m) for n, m in medians.items()},
                      "ratio": round(statistics.median(ratios), 4), "ratio_from": round(min(ratios), 4), "ratio_to": round(max(ratios), 4), "same_bits": equal}))
    return 0 if equal and statistics.median(ratios) >= 1 - a.within else 1


if __name__ == "__main__":
    sys.exit(main())
