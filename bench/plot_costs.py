#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws what bench/costs.sh measured as SVG. Standard library only. Usage: plot_costs.py COSTS.jsonl PICTURE.svg"""
import json
import math
import sys

PANELS = [("n", "pairs n (k = 15)"), ("k", "patches a class k (n = 64)"),
          ("patches", "patches in the store (n = 64, k = 15)")]
ROWS = [("ms an iteration", lambda point: point["result"]["iter_ms"]),
        ("peak memory, MB", lambda point: point["peak_rss_kb"] / 1024)]
WIDTH, HEIGHT, LEFT, TOP, GAP = 250, 150, 64, 24, 74  # of a panel and around it


def nice_ticks(high):
    """0 .. at least high, in four or five round steps."""
    power = 10 ** math.floor(math.log10(high / 4))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor * 5 >= high)
    return [step * i for i in range(math.ceil(high / step) + 1)]


def text(x, y, words, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{words}</text>'


def panel(points, key, label, value, unit, left, top):
    """One curve, both axes linear from 0 but for the store's size, which is logarithmic."""
    logarithmic = key == "patches"
    xs, ys = [point[key] for point in points], [value(point) for point in points]
    ticks = nice_ticks(max(ys))
    low, high = min(xs), max(xs)

    def at_x(v):
        share = math.log(v / low) / math.log(high / low) if logarithmic and low < high else v / high
        return left + 12 + (WIDTH - 24) * share

    def at_y(v):
        return top + HEIGHT * (1 - v / ticks[-1])

    parts = []
    for tick in ticks:
        parts.append(f'<path class="grid" d="M{left} {at_y(tick):.1f}h{WIDTH}"/>')
        parts.append(text(left - 6, at_y(tick) + 4, f"{tick:,.10g}", "end"))
    free = -math.inf  # a number that would touch the one before is left out
    for x in xs:
        if at_x(x) > free:
            parts.append(text(at_x(x), top + HEIGHT + 16, f"{x:,}"))
            free = at_x(x) + 7 * len(f"{x:,}") + 4
    parts.append(text(left + WIDTH / 2, top + HEIGHT + 34, label))
    parts.append(text(left, top - 8, unit, "start", ' class="unit"'))
    parts.append('<polyline points="' + " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in zip(xs, ys)) + '"/>')
    for x, y in zip(xs, ys):
        parts.append(f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3"><title>{x:,}: {y:,.1f}</title></circle>')
    return parts


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        measured = [json.loads(line) for line in file]
    width = len(PANELS) * (WIDTH + LEFT) + 20
    height = len(ROWS) * (HEIGHT + GAP) + 4
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
             'font-family="sans-serif" font-size="11" fill="#333">',
             "<!-- drawn by bench/plot_costs.py -->",
             "<style>.grid{stroke:#ddd}.unit{font-weight:bold}"
             "polyline{fill:none;stroke:#1f6feb;stroke-width:2}circle{fill:#1f6feb}</style>",
             f'<rect width="{width}" height="{height}" fill="#fff"/>']
    for column, (series, label) in enumerate(PANELS):
        points = sorted((point for point in measured if point["series"] == series), key=lambda point: point[series])
        if not points:
            raise SystemExit(f"plot_costs.py: {sys.argv[1]} has no points of the series {series}")
        for row, (unit, value) in enumerate(ROWS):
            parts += panel(points, series, label, value, unit, LEFT + column * (WIDTH + LEFT), TOP + row * (HEIGHT + GAP))
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write("\n".join(parts + ["</svg>", ""]))


if __name__ == "__main__":
    main()
