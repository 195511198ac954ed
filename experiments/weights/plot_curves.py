#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loss curves of runs as one SVG: plot_curves.py OUT.svg NAME=metrics.jsonl .. ; means over 100 iterations."""
import json
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 330, 52, 16, 28, 44
COLOURS = ["#1f6fb2", "#d1495b", "#3a7d44"]
STEP = 100


def means(path):
    losses = [json.loads(line)["loss"] for line in open(path)]
    return [(i + STEP / 2, sum(losses[i:i + STEP]) / STEP) for i in range(0, len(losses) - STEP + 1, STEP)]


def main(out, runs):
    curves = [(name, means(path)) for name, path in (run.split("=", 1) for run in runs)]
    short = [name for name, points in curves if not points]
    if short:
        sys.exit(f"{', '.join(short)}: fewer than {STEP} iterations, nothing to draw")
    last = max(x for _, points in curves for x, _ in points)
    top = max(y for _, points in curves for _, y in points) * 1.05
    x_of = lambda x: LEFT + (WIDTH - LEFT - RIGHT) * x / last
    y_of = lambda y: HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * y / top
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for i in range(5):
        y = 0.2 * i
        if y < top:
            parts.append(f'<path d="M{LEFT} {y_of(y):.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>'
                         f'<text x="{LEFT - 8}" y="{y_of(y) + 4:.1f}" text-anchor="end">{y:.1f}</text>')
    for x in range(0, int(last) + 1, 4096):
        parts.append(f'<text x="{x_of(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x:,}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">iteration</text>'
                 f'<text x="{LEFT - 40}" y="{TOP - 10}">loss</text>')
    for i, (name, points) in enumerate(curves):
        path = " ".join(f"{x_of(x):.1f},{y_of(y):.1f}" for x, y in points)
        colour = COLOURS[i % len(COLOURS)]
        width = 3.5 if i == 0 else 1.3  # the first one shows from under the others
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'
                     f'<text x="{WIDTH - RIGHT - 8}" y="{HEIGHT - BOTTOM - 42 + 16 * i}" text-anchor="end" fill="{colour}">{name}</text>')
    open(out, "w").write("\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
