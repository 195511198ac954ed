#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sequences with known homographies from photographs that a store held out: what choices are made on, so that the real
sequences stay unseen.

  heldout_sequences.py STORE-heldout PHOTOGRAPHS OUT      (needs numpy and OpenCV's Python module)

Of each photograph six pictures: itself, and five under homographies that grow (corners moved by up to 6 to 22 % of the
side, turned by up to 10 to 40 degrees, scaled by up to 1.15 to 1.6), with gamma, blur, noise and JPEG artefacts.
"""
import json
import pathlib
import sys

import cv2
import numpy


def names_of(store):
    """The photographs' names, wherever the store's meta.json lists them."""
    def strings(value):
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for item in value:
                yield from strings(item)
        elif isinstance(value, dict):
            for item in value.values():
                yield from strings(item)
    suffixes = {".pgm", ".jpg", ".jpeg", ".png"}
    return sorted({name for name in strings(json.load(open(pathlib.Path(store) / "meta.json")))
                   if pathlib.Path(name).suffix.lower() in suffixes})


def homography(rng, level, width, height):
    strength = level / 5
    side = min(width, height)
    corners = numpy.float32([[0, 0], [width, 0], [width, height], [0, height]])
    centre = corners.mean(0)
    angle = numpy.deg2rad(rng.uniform(-1, 1) * (2.5 + 37.5 * strength))
    scale = numpy.exp2(rng.uniform(-1, 1) * (0.1 + 0.58 * strength))
    turn = scale * numpy.float32([[numpy.cos(angle), -numpy.sin(angle)], [numpy.sin(angle), numpy.cos(angle)]])
    moved = (corners - centre) @ turn.T + centre + rng.uniform(-1, 1, (4, 2)) * side * (0.02 + 0.20 * strength) / 2
    return cv2.getPerspectiveTransform(corners, moved.astype(numpy.float32))


def degrade(rng, picture, level):
    strength = level / 5
    x = (picture / 255.0) ** numpy.exp2(rng.uniform(-1, 1) * strength)
    x = x * rng.uniform(1 - 0.3 * strength, 1) + rng.uniform(0, 0.1 * strength)
    sigma = rng.uniform(0, 1.8 * strength)
    if sigma > 0.3:
        x = cv2.GaussianBlur(x, (0, 0), sigma)
    x = x * 255 + rng.normal(0, rng.uniform(0, 6 * strength), x.shape)
    bytes_ = numpy.clip(numpy.rint(x), 0, 255).astype(numpy.uint8)
    quality = int(rng.integers(95 - 50 * strength, 96))
    return cv2.imdecode(cv2.imencode(".jpg", bytes_, [cv2.IMWRITE_JPEG_QUALITY, quality])[1], 0)


def main(store, photographs, out):
    rng = numpy.random.default_rng(1)
    for index, name in enumerate(names_of(store)):
        found = [p for p in (pathlib.Path(photographs) / name, pathlib.Path(name)) if p.exists()]
        if not found:
            sys.exit(f"{name}: not below {photographs}")
        picture = cv2.imread(str(found[0]), 0)
        height, width = picture.shape
        folder = pathlib.Path(out) / f"v_{index:03d}"
        folder.mkdir(parents=True)
        cv2.imwrite(str(folder / "1.pgm"), picture)
        for level in range(1, 6):
            h = homography(rng, level, width, height)
            moved = degrade(rng, cv2.warpPerspective(picture, h, (width, height), flags=cv2.INTER_AREA), level)
            cv2.imwrite(str(folder / f"{level + 1}.pgm"), moved)
            numpy.savetxt(folder / f"H_1_{level + 1}", h / h[2, 2])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 4 else __doc__)
