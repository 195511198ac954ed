# SPDX-License-Identifier: Apache-2.0
"""AdaSample in a PyTorch loop (python/examples/train_loop.py) beside `adasample train`: as many pairs of the demo's store, seed by seed,
FPR95 on its held-out scenes.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_loop.py --demo demo --out build/python-loop

Makes the demo's stores where --demo is not there. Runs that are there already are not trained again.
"""
import argparse
import pathlib
import statistics
import subprocess
import sys

import adasample
from adasample.training import program as adasample_program

HERE = pathlib.Path(__file__).resolve().parent
LOOP = HERE.parent / "python" / "examples" / "train_loop.py"
DEMO = {"batch": 32, "k": 4, "dropout": 0, "warmup": 0, "ramp": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--demo", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=809)
    a = parser.parse_args()
    program = adasample_program()
    for part, classes in (("train", 8000), ("heldout", 2000)):
        if not (a.demo / part).exists():
            a.demo.mkdir(exist_ok=True)
            subprocess.run([program, "data", "synth", "--out", a.demo / part, "--classes", str(classes), "--part", part, "--quiet"], check=True)
    a.out.mkdir(parents=True, exist_ok=True)
    found = {"program": [], "loop": []}
    for seed in range(a.seeds):
        run, weights = a.out / f"program-{a.iterations}-{seed}", a.out / f"loop-{a.iterations}-{seed}.safetensors"
        if not run.exists():
            adasample.train(a.demo / "train", run, iterations=a.iterations, seed=seed, **DEMO)
        if not weights.exists():
            subprocess.run([sys.executable, LOOP, a.demo / "train", a.demo / "heldout", "--iterations", str(a.iterations), "--seed", str(seed), "--out", weights],
                           check=True, stdout=subprocess.DEVNULL)
        for name, model in (("program", run), ("loop", weights)):
            found[name].append(100 * adasample.evaluate_patches(a.demo / "heldout", model, pairs=10000)["fpr95"])
        print(f"seed {seed}: " + ", ".join(f"{name} {values[-1]:.2f} %" for name, values in found.items()), file=sys.stderr, flush=True)
    for name, values in found.items():
        spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
        print(f"{name}: FPR95 {statistics.mean(values):.2f}{spread} % over {len(values)} seeds, {a.iterations * DEMO['batch']} pairs")
    if a.seeds > 2:
        print(adasample.compare(found["loop"], found["program"]))


if __name__ == "__main__":
    main()
