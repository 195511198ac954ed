#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HPatches' three tasks with numpy and scipy: the benchmark's arithmetic and its way of working (a call of scipy a pair, a sorted
pool a query), to compare `adasample eval hpatches` with, in figures and in seconds. Needs python3-numpy and python3-scipy.

  bench/hpatches_reference.py --descriptors D --tasks T --splits splits.json --split a [--dist l1] [--rows N] [--queries N]
  bench/hpatches_reference.py --compare ours.json theirs.json

The first prints the keys verification, matching and retrieval of `adasample eval hpatches --json`; --rows and --queries cut
the lists short. The second prints the largest difference of any figure both files have."""
import argparse
import csv
import json
import os
import sys
import time

import numpy as np

LEVELS = {"easy": "e", "hard": "h", "tough": "t"}
POOLS = [100, 500, 1000, 5000, 10000, 15000, 20000]
TINY = 1e-10


def ranked(scores, labels, positives=None):
    """(true positives, retrieved, all positives) down the list, a stable order of decreasing score."""
    labels = labels[np.argsort(-scores, kind="mergesort")]
    right = np.concatenate(([0.0], np.cumsum(labels == 1)))
    wrong = np.concatenate(([0.0], np.cumsum(labels == 0)))
    return right, wrong, np.sum(labels == 1) if positives is None else positives, np.sum(labels == 0)


def precision_areas(scores, labels, positives=None):
    right, wrong, positives, _ = ranked(scores, labels, positives)
    recall = right / max(positives, TINY)
    precision = np.maximum(right, TINY) / np.maximum(right + wrong, TINY)  # 1 before the first item
    return {"trapezoid": np.trapz(precision, recall), "step": np.sum(np.diff(recall) * precision[1:])}


def roc_area(scores, labels):
    right, wrong, positives, negatives = ranked(scores, labels)
    return np.trapz(right / max(positives, TINY), wrong / max(negatives, TINY))


def load(folder, names):
    files = ["ref"] + [level + str(i) for level in "eht" for i in range(1, 6)]
    return {name: {f: np.loadtxt(os.path.join(folder, name, f + ".csv"), delimiter=",", ndmin=2).astype(np.float32)
                   for f in files} for name in names}


def rows_of(tasks, kind, split):
    with open(os.path.join(tasks, f"{kind}_split-{split}.csv"), newline="") as file:
        return [[int(x) if x.isdigit() else x for x in row] for row in list(csv.reader(file))[1:]]


def pair_distances(descriptors, pairs, level, metric):
    from scipy.spatial import distance
    measure = distance.euclidean if metric == "l2" else distance.cityblock
    files = ["ref"] + [level + str(i) for i in range(1, 6)]
    found = np.empty(len(pairs))
    for i, (s1, t1, p1, s2, t2, p2) in enumerate(pairs):
        found[i] = measure(descriptors[s1][files[t1]][p1], descriptors[s2][files[t2]][p2])
    return found


def verification(descriptors, lists, metric):
    result = {}
    for name, level in LEVELS.items():
        positive, intra, inter = (pair_distances(descriptors, pairs, level, metric) for pairs in lists)
        labels = np.concatenate((np.zeros(len(intra)), np.ones(len(positive))))
        some = len(positive) + int(len(positive) * 0.2)
        result[name] = {}
        for kind, negative in (("inter", inter), ("intra", intra)):
            scores = -np.concatenate((negative, positive))
            result[name][kind] = {"auc": roc_area(scores, labels), **precision_areas(scores[:some], labels[:some])}
    return result


def matching(descriptors, names, metric):
    from scipy.spatial.distance import cdist
    result = {}
    for level_name, level in LEVELS.items():
        scores = []
        for name in names:
            reference = descriptors[name]["ref"]
            own = np.arange(len(reference))
            for image in range(1, 6):
                table = cdist(reference, descriptors[name][level + str(image)], metric)
                nearest = np.argmin(table, axis=1)
                areas = precision_areas(-table[own, nearest], nearest == own, len(own))
                scores.append({**areas, "success": np.mean(nearest == own)})
        result[level_name] = {key: np.mean([s[key] for s in scores]) for key in scores[0]}
    return result


def retrieval(descriptors, queries, distractors, metric):
    from scipy.spatial.distance import cdist
    gather = lambda places: np.array([descriptors[s]["ref"][i] for s, i in places])
    query_rows = gather(queries)
    table = cdist(query_rows, gather(distractors), metric)
    names = np.array([s for s, _ in distractors])
    others = {name: names != name for name in descriptors}
    sums = {name: {k: {"trapezoid": [], "step": []} for k in POOLS} for name in LEVELS}
    for i, (s, patch) in enumerate(queries):
        for name, level in LEVELS.items():
            own = [cdist(query_rows[i:i + 1], descriptors[s][level + str(t)][patch:patch + 1], metric)[0, 0] for t in range(1, 6)]
            pool = np.concatenate((own, table[i][others[s]]))
            labels = np.concatenate((np.ones(5), np.zeros(len(pool) - 5)))
            for k in POOLS:
                for key, value in precision_areas(-pool[:k], labels[:k]).items():
                    sums[name][k][key].append(value)
    return {name: {str(k): {key: np.mean(v) for key, v in by_key.items()} for k, by_key in pools.items()}
            for name, pools in sums.items()}


def mean(values):
    return float(np.mean(list(values)))


def evaluate(a):
    metric = {"l2": "euclidean", "l1": "cityblock"}[a.dist]
    with open(a.splits) as file:
        names = json.load(file)[a.split]["test"]
    seconds, start = {}, time.time()

    def lap(name):
        nonlocal start
        seconds[name], start = time.time() - start, time.time()
        print(f"{name}: {seconds[name]:.1f} s", file=sys.stderr)

    descriptors = load(a.descriptors, names)
    lap("reading")
    lists = [rows_of(a.tasks, "verif_" + kind, a.split)[:a.rows] for kind in ("pos", "neg_intra", "neg_inter")]
    queries, distractors = (rows_of(a.tasks, "retr_" + kind, a.split) for kind in ("queries", "distractors"))
    lap("lists")
    v = verification(descriptors, lists, a.dist)
    lap("verification")
    m = matching(descriptors, names, metric)
    lap("matching")
    r = retrieval(descriptors, queries[:a.queries], distractors, metric)
    lap("retrieval")
    kinds = [v[level][kind] for level in LEVELS for kind in ("inter", "intra")]
    largest = str(POOLS[-1])
    return {
        "verification": {**{k: mean(x[k] for x in kinds) for k in ("trapezoid", "step", "auc")}, "per": v},
        "matching": {**{k: mean(m[level][k] for level in LEVELS) for k in ("trapezoid", "step", "success")}, "per": m},
        "retrieval": {**{k: mean(r[level][largest][k] for level in LEVELS) for k in ("trapezoid", "step")}, "per": r},
        "seconds": seconds,
    }


def figures(tree, path=""):
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from figures(value, f"{path}/{key}")
    elif isinstance(tree, (int, float)):
        yield path, tree


def compare(a, b):
    trees = [json.loads(open(name).read().splitlines()[-1]) for name in (a, b)]
    first, second = ({p: x for task in ("verification", "matching", "retrieval") for p, x in figures(tree[task], task)}
                     for tree in trees)
    shared = first.keys() & second.keys()
    worst = max(shared, key=lambda p: abs(first[p] - second[p]))
    print(f"{len(shared)} figures, largest difference {abs(first[worst] - second[worst]):.3g} ({worst})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for flag in ("--descriptors", "--tasks", "--splits"):
        parser.add_argument(flag)
    parser.add_argument("--split", default="a")
    parser.add_argument("--dist", default="l2", choices=["l2", "l1"])
    parser.add_argument("--rows", type=int)
    parser.add_argument("--queries", type=int)
    parser.add_argument("--compare", nargs=2)
    arguments = parser.parse_args()
    if arguments.compare:
        compare(*arguments.compare)
    else:
        print(json.dumps(evaluate(arguments)))
