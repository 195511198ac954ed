# SPDX-License-Identifier: Apache-2.0
"""AdaSample in a PyTorch loop (python/examples/train_loop.py) beside `adasample train`: as many pairs of one store, seed by seed, FPR95
on held-out scenes.

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_loop.py --stores build/python-stores --out build/python-loop

Makes procedural stores where --stores is not there. Runs that are there already are not trained again.
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
SETTINGS = {"batch": 32, "k": 4, "dropout": 0, "warmup": 0, "ramp": 0}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stores", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--iterations", type=int, default=809)
    a = parser.parse_args()
    program = adasample_program()
    for part, classes in (("train", 8000), ("heldout", 2000)):
        if not (a.stores / part).exists():
            a.stores.mkdir(exist_ok=True)
            subprocess.run([program, "data", "synth", "--out", a.stores / part, "--classes", str(classes), "--part", part, "--quiet"], check=True)
    a.out.mkdir(parents=True, exist_ok=True)
    found = {"program": [], "loop": []}
    for seed in range(a.seeds):
        run, weights = a.out / f"program-{a.iterations}-{seed}", a.out / f"loop-{a.iterations}-{seed}.safetensors"
        if not run.exists():
            adasample.train(a.stores / "train", run, iterations=a.iterations, seed=seed, **SETTINGS)
        if not weights.exists():
            subprocess.run([sys.executable, LOOP, a.stores / "train", a.stores / "heldout", "--iterations", str(a.iterations), "--seed", str(seed), "--out", weights],
                           check=True, stdout=subprocess.DEVNULL)
        for name, model in (("program", run), ("loop", weights)):
            found[name].append(100 * adasample.evaluate_patches(a.stores / "heldout", model, pairs=10000)["fpr95"])
        print(f"seed {seed}: " + ", ".join(f"{name} {values[-1]:.2f} %" for name, values in found.items()), file=sys.stderr, flush=True)
    for name, values in found.items():
        spread = f" ± {statistics.stdev(values):.2f}" if len(values) > 1 else ""
        print(f"{name}: FPR95 {statistics.mean(values):.2f}{spread} % over {len(values)} seeds, {a.iterations * SETTINGS['batch']} pairs")
    if a.seeds > 2:
        print(adasample.compare(found["loop"], found["program"]))


if __name__ == "__main__":
    main()
