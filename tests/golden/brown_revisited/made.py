# SPDX-License-Identifier: Apache-2.0
"""Figures of the set that brown_revisited_test.cpp makes up, in plain Python, straight from the definition."""
import json
import math


def point(i):
    return i * 37 % 400 if i < 1100 else 400 + i % 70


def photograph(i):
    return 5 if i < 1100 else 2 if i < 1300 else 9  # 1100, 200 and 60 patches


def descriptor(i):
    return [4 * (point(i) * (17 + 13 * d) % (101 + 2 * d)) + i * (29 + 7 * d) % 67 for d in range(4)]


table = [descriptor(i) for i in range(1360)]


def average_precision(right, scores):
    order = sorted(range(len(scores)), key=lambda k: -scores[k])
    area, hits, begin = 0.0, 0, 0
    while begin < len(order):
        end, before = begin, hits
        while end < len(order) and scores[order[end]] == scores[order[begin]]:
            hits += right[order[end]]
            end += 1
        area += hits / end * (hits - before) / sum(right)
        begin = end
    return area


def score(patches, searched):
    right, scores = [], []
    for place, a in enumerate(patches):
        distances = {b: math.sqrt(sum((x - y) ** 2 for x, y in zip(table[a], table[b]))) for b in patches}
        negative = distances[patches[0]]
        if place < searched:
            negative = min(distances[b] for b in patches if point(b) != point(a))
        for b in patches:
            if b == a or point(b) != point(a):
                continue
            less, more = sorted((distances[b], negative))
            right.append(distances[b] <= negative)
            scores.append(1 - (less / more if more > 0 else 1))
    return average_precision(right, scores)


result = {}
for p in (2, 5, 9):
    patches = [i for i in range(1360) if photograph(i) == p]
    n = len(patches)
    if all(point(a) != point(b) for a in patches for b in patches if a != b):
        continue
    result[p] = {"published": score(patches, n // 128 * 128 if n > 1000 else 0), "intended": score(patches, n)}
print(json.dumps(result, indent=1))
