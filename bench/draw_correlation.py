#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How alike two engines draw positives: correlation of Eq. 13's probabilities from two descriptor files of one store.

  adasample describe --patches S --model M --engine onednn --out a.npy
  adasample describe --patches S --model M --engine onednn-int8 --out b.npy
  draw_correlation.py S a.npy b.npy
"""
import sys

import numpy


def probabilities(rows, exponent):
    """(k, D) of a class, the first its anchor -> p of the others."""
    angle = numpy.arccos(numpy.clip(rows[1:] @ rows[0], -1, 1))
    score = exponent * numpy.log(numpy.maximum(angle, 1e-12))
    p = numpy.exp(score - score.max())
    return p / p.sum()


def main(store, first, second):
    offsets = numpy.load(f"{store}/classes.npy")
    a, b = (numpy.load(name, mmap_mode="r") for name in (first, second))
    for exponent in (1, 5, 14, 30):
        p, q = [], []
        for begin, end in zip(offsets[:2000], offsets[1:2001]):
            p.append(probabilities(a[begin:end], exponent))
            q.append(probabilities(b[begin:end], exponent))
        distance = numpy.mean([0.5 * numpy.abs(x - y).sum() for x, y in zip(p, q)])
        same = numpy.mean([x.argmax() == y.argmax() for x, y in zip(p, q)])
        r = numpy.corrcoef(numpy.concatenate(p), numpy.concatenate(q))[0, 1]
        print(f"exponent {exponent}: correlation {r:.4f}, total variation {distance:.4f}, same likeliest {same:.3f}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 4 else __doc__)
