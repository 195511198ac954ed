#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws a COLMAP text model as SVG: its points from above and from the front, the cameras as red frames.

Usage: draw_model.py MODEL_FOLDER OUT.svg; the folder holds images.txt and points3D.txt (colmap model_converter
--output_type TXT). Points of short tracks or large errors are left out. The world is turned so that the cameras' mean
"up" is up and their mean view is ahead: a reconstruction has no such directions of its own.
"""
import sys

WIDTH, HEIGHT, MARGIN = 620, 420, 20
MIN_TRACK, MAX_ERROR = 3, 1.5
CORE = 0.94  # share of the points, along each direction, that must fit into the picture


def rotation(w, x, y, z):
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]


def dot(a, b):
    return sum(p * q for p, q in zip(a, b))


def unit(a):
    return [x / dot(a, a) ** 0.5 for x in a]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def lines(path):
    with open(path) as file:
        return [line.split() for line in file if not line.startswith("#")]


def read_cameras(folder):
    """Centre and camera-from-world rotation of each image."""
    cameras = []
    for fields in lines(folder + "/images.txt")[::2]:
        r = rotation(*map(float, fields[1:5]))
        t = list(map(float, fields[5:8]))
        cameras.append(([-dot([r[k][i] for k in range(3)], t) for i in range(3)], r))
    return cameras


def read_points(folder):
    points = []
    for fields in lines(folder + "/points3D.txt"):
        if len(fields) >= 8 + 2 * MIN_TRACK and float(fields[7]) <= MAX_ERROR:
            points.append((list(map(float, fields[1:4])), list(map(int, fields[4:7]))))
    return points


def span(values):
    values = sorted(values)
    cut = int(len(values) * (1 - CORE) / 2)
    return values[cut], values[-1 - cut]


def panel(points, cameras, across, down, left):
    """SVG of one view: `across` and `down` are world directions."""
    flat = [(dot(p, across), dot(p, down), colour) for p, colour in points]
    centres = [(dot(c, across), dot(c, down)) for c, _ in cameras]
    u0, u1 = span([f[0] for f in flat])
    v0, v1 = span([f[1] for f in flat])
    u0, u1 = min([u0] + [c[0] for c in centres]), max([u1] + [c[0] for c in centres])
    v0, v1 = min([v0] + [c[1] for c in centres]), max([v1] + [c[1] for c in centres])
    scale = min((WIDTH - 2 * MARGIN) / (u1 - u0), (HEIGHT - 2 * MARGIN) / (v1 - v0))

    def place(u, v):
        return left + WIDTH / 2 + scale * (u - (u0 + u1) / 2), HEIGHT / 2 + scale * (v - (v0 + v1) / 2)

    shapes = []
    by_shade = {}
    for u, v, colour in flat:
        if u0 <= u <= u1 and v0 <= v <= v1:
            shade = min(sum(colour) // 3, 200) // 25 * 25
            by_shade.setdefault(shade, []).append("M%.1f %.1fh.9" % place(u, v))
    for shade, dots in sorted(by_shade.items(), reverse=True):
        shapes.append('<path stroke="rgb(%d,%d,%d)" d="%s"/>' % (shade, shade, shade + 30, "".join(dots)))
    size = 0.035 * max(u1 - u0, v1 - v0)
    for centre, r in cameras:
        corners = [[centre[i] + size * (x * r[0][i] + y * r[1][i] + 1.2 * r[2][i]) for i in range(3)]
                   for x, y in ((-.75, -.5), (.75, -.5), (.75, .5), (-.75, .5))]
        tip = "%.1f %.1f" % place(dot(centre, across), dot(centre, down))
        ends = ["%.1f %.1f" % place(dot(c, across), dot(c, down)) for c in corners]
        shapes.append('<path fill="none" stroke="#c22" stroke-width="1.2" d="M%sZ%s"/>' % (
            "L".join(ends), "".join("M%sL%s" % (tip, e) for e in ends)))
    return "\n".join(shapes)


def main():
    folder, out = sys.argv[1:3]
    cameras, points = read_cameras(folder), read_points(folder)
    up = unit([-sum(r[1][i] for _, r in cameras) for i in range(3)])
    ahead = [sum(r[2][i] for _, r in cameras) for i in range(3)]
    ahead = unit([a - dot(ahead, up) * u for a, u in zip(ahead, up)])
    right = cross(ahead, up)
    above = panel(points, cameras, right, [-a for a in ahead], 0)
    front = panel(points, cameras, right, [-u for u in up], WIDTH)
    text = '<text x="%d" y="%d" font-family="sans-serif" font-size="13" fill="#444">%s</text>'
    with open(out, "w") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d">\n' % (2 * WIDTH, HEIGHT))
        file.write('<rect width="100%%" height="100%%" fill="#fff"/>\n<g stroke-width=".9">\n%s\n%s\n</g>\n%s\n%s\n</svg>\n' % (
            above, front, text % (12, 20, "from above"), text % (WIDTH + 12, 20, "from the front")))


if __name__ == "__main__":
    main()
