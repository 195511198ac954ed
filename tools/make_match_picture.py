#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A second view of a photograph, for docs/pictures/match.png: turned, tilted, halved in light.

make_match_picture.py PHOTO.jpg VIEW.png (needs numpy and Pillow), then
adasample match PHOTO.jpg VIEW.png --model default --model sift --geometry homography --width 1000 --draw 40 --out match.png
"""
import sys

import numpy
from PIL import Image

photo = Image.open(sys.argv[1]).convert("L")
width, height = photo.size
# Pillow maps the new picture to the old one: corners of the view, in shares of the photograph's width and height.
corners = numpy.array([(0.16, 0.10), (0.97, 0.02), (0.80, 0.99), (0.04, 0.78)]) * (width, height)
new = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
rows, values = [], []
for (x, y), (u, v) in zip(new, corners):
    rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
    values += [u, v]
view = photo.transform(photo.size, Image.Transform.PERSPECTIVE, numpy.linalg.solve(rows, values), Image.Resampling.BICUBIC)
noise = numpy.random.default_rng(1).normal(0, 2, (height, width))
grey = 255 * (numpy.asarray(view) / 255.0) ** 1.3 * 0.55 + noise
Image.fromarray(numpy.clip(grey, 0, 255).astype("uint8")).save(sys.argv[2])
