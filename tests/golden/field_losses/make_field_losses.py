# SPDX-License-Identifier: Apache-2.0
"""Losses of the field in double precision, by numpy and PyTorch's autograd: expected.json beside this file.
Each is written from its paper's equation with loops where the product has matrices. Run by hand with Debian's
python3-torch: /usr/bin/python3 make_field_losses.py"""
import json
import math
import os

import torch

torch.set_default_dtype(torch.float64)
N, M, D = 9, 3, 6
EPS = 1e-6


def rows(count, seed):
    """Unit rows of closed form, so that no file is needed."""
    i = torch.arange(count * D, dtype=torch.float64)
    x = torch.sin(0.37 * i + seed) + 0.5 * torch.cos(1.91 * i * i + seed)
    x = x.view(count, D)
    return x / x.norm(dim=1, keepdim=True)


def views(members, seed):
    """Row j N + i is member j of class i, near its anchor."""
    anchors = rows(N, seed)
    parts = [anchors] + [anchors + 0.6 * rows(N, seed + 10 * j) for j in range(1, members)]
    x = torch.cat(parts)
    return x / x.norm(dim=1, keepdim=True)


def distance(x, y):
    return torch.sqrt(((x - y) ** 2).sum() + EPS)


def closest_of_all(x, i):
    """Over anchor-anchor, positive-positive and both cross kinds."""
    best = None
    for j in range(N):
        if j == i:
            continue
        for u, v in ((i, j), (N + i, N + j), (i, N + j), (j, N + i)):
            d = distance(x[u], x[v])
            best = d if best is None or d < best else best
    return best


def sosnet(x, extra):
    return [torch.clamp(1 + distance(x[i], x[N + i]) - closest_of_all(x, i), min=0) ** 2 for i in range(N)], None


def hynet(x, extra):
    def h(d):
        return d + 2 * d * d / 2
    per_pair = [torch.clamp(1.2 + h(distance(x[i], x[N + i])) - h(closest_of_all(x, i)), min=0) for i in range(N)]
    norms = [torch.sqrt((extra["raw"][i] ** 2).sum() + EPS) for i in range(2 * N)]
    return per_pair, 0.1 * sum((norms[i] - norms[N + i]) ** 2 for i in range(N)) / N


def dynamic_margin(x, extra):
    def d(u, v):
        return torch.sqrt(2 * (1 - x[u].dot(x[v]) + 1e-6))
    differences = []
    for i in range(N):
        others = [d(u, v) for j in range(N) if j != i for u, v in ((i, N + j), (j, N + i))]
        differences.append(d(i, N + i) - min(others))
    histogram = [0.0] * 512
    for value in differences:
        place = (value.item() + 2) / (4 / 512)
        low = math.floor(place)
        histogram[low] += 1 - (place - low)
        histogram[low + 1] += place - low
    total = sum(histogram)
    weights = [sum(histogram[: math.floor((v.item() + 2) / (4 / 512)) + 1]) / total for v in differences]
    return [w * v for w, v in zip(weights, differences)], None


def softmax_pair(s):
    """-1/2 (log of the own entry's share of its row + of its column)."""
    out = []
    for i in range(N):
        row = s[i][i] - torch.log(sum(torch.exp(s[i][j]) for j in range(N)))
        column = s[i][i] - torch.log(sum(torch.exp(s[j][i]) for j in range(N)))
        out.append(-0.5 * (row + column))
    return out


def l2net(x, extra):
    s = [[2 - torch.sqrt(2 - 2 * x[i].dot(x[N + j]) + EPS) for j in range(N)] for i in range(N)]
    term = 0
    for first in (0, N):
        y = x[first: first + N]
        y = y - y.mean(0)
        total = 0
        for u in range(D):
            for v in range(D):
                if u != v:
                    total = total + (y[:, u].dot(y[:, v]) / torch.sqrt((y[:, u].dot(y[:, u]) + EPS) *
                                                                       (y[:, v].dot(y[:, v]) + EPS))) ** 2
        term = term + 0.5 * total / (D * (D - 1))
    for maps in (extra["first_layer"], extra["last_layer"]):
        flat = maps.flatten(1)
        flat = torch.stack([f / torch.sqrt(f.dot(f) + EPS) for f in flat])
        g = [[flat[i].dot(flat[N + j]) for j in range(N)] for i in range(N)]
        term = term + sum(softmax_pair(g)) / N
    return softmax_pair(s), term


def tfeat_distances(x):
    for i in range(N):
        negative = x[(i - 1) % N]
        yield distance(x[i], x[N + i]), torch.minimum(distance(x[i], negative), distance(x[N + i], negative))


def tfeat(x, extra):
    return [torch.clamp(1 + p - n, min=0) for p, n in tfeat_distances(x)], None


def tfeat_ratio(x, extra):
    def ratio(p, n):
        total = torch.exp(p) + torch.exp(n)
        return (torch.exp(p) / total) ** 2 + (1 - torch.exp(n) / total) ** 2
    return [ratio(p, n) for p, n in tfeat_distances(x)], None


def deepdesc(x, extra):
    positive = [distance(x[i], x[N + i]) for i in range(N)]
    other = [torch.clamp(4 - distance(x[i], x[N + (i + 1) % N]), min=0) for i in range(N)]
    keep = max(1, N // 8)

    def hardest(losses):
        order = sorted(range(N), key=lambda i: -losses[i].item())[:keep]
        return [N / keep * losses[i] if i in order else 0 * losses[i] for i in range(N)]
    return [p + o for p, o in zip(hardest(positive), hardest(other))], None


def doap(x, extra):
    bins, width = 25, 4 / 24
    present = extra["present"]  # (N, M)
    precision = {}
    for q in range(M * N):
        h, h_plus = [0] * bins, [0] * bins
        for r in range(M * N):
            if r == q or not present[r % N][r // N]:
                continue
            d2 = 2 - 2 * x[q].dot(x[r])
            for b in range(bins):
                share = torch.clamp(1 - torch.abs(d2 - b * width) / width, min=0)
                h[b] = h[b] + share
                if r % N == q % N:
                    h_plus[b] = h_plus[b] + share
        ap, before, before_plus = 0, 0, 0
        for b in range(bins):
            after, after_plus = before + h[b], before_plus + h_plus[b]
            ap = ap + h_plus[b] * (after_plus + before_plus + 1) / (after + before + 1)
            before, before_plus = after, after_plus
        precision[q] = ap / max(1, sum(1 for j in range(M) if j * N + q % N != q and present[q % N][j]))
    out = []
    for i in range(N):
        own = [precision[j * N + i] for j in range(M) if present[i][j]]
        out.append(1 - sum(own) / len(own))
    return out, None


def matchnet(x, extra):
    """A metric of closed form: 12 numbers to 5, ReLU, to 2; the second of a softmax is the probability of a match."""
    first = torch.sin(0.3 * torch.arange(5 * 2 * D, dtype=torch.float64) + 0.1).view(5, 2 * D)
    second = torch.cos(0.7 * torch.arange(2 * 5, dtype=torch.float64)).view(2, 5)

    def probability(u, v):
        s = [torch.dot(second[k], torch.clamp(first @ torch.cat([u, v]), min=0)) for k in range(2)]
        return torch.exp(s[1]) / (torch.exp(s[0]) + torch.exp(s[1]))
    return [-0.5 * (torch.log(probability(x[i], x[N + i])) + torch.log(1 - probability(x[i], x[N + (i + 1) % N])))
            for i in range(N)], None


def main():
    expected = {"n": N, "members": M, "dimension": D, "losses": {}}
    for name, function, members in (("sosnet", sosnet, 2), ("hynet", hynet, 2), ("dynamic-margin", dynamic_margin, 2),
                                    ("l2net", l2net, 2), ("tfeat", tfeat, 2), ("tfeat-ratio", tfeat_ratio, 2),
                                    ("deepdesc", deepdesc, 2), ("doap", doap, M), ("matchnet", matchnet, 2)):
        x = views(members, 1.0).requires_grad_(True)
        extra = {"raw": (1.5 * rows(2 * N, 3.0) + rows(2 * N, 4.0)).requires_grad_(True),
                 "first_layer": (2 * rows(2 * N, 5.0)).view(2 * N, 2, 3, 1).requires_grad_(True),
                 "last_layer": (2 * rows(2 * N, 6.0)).view(2 * N, D, 1, 1).requires_grad_(True),
                 "present": [[j < 2 or i % 3 != 0 for j in range(M)] for i in range(N)]}
        per_pair, term = function(x, extra)
        per_pair = torch.stack([p + 0 * x.sum() for p in per_pair])
        weight = torch.cos(torch.arange(N, dtype=torch.float64)) + 2
        total = (weight * per_pair).mean()
        if term is not None:
            total = total + term
        total.backward()
        expected["losses"][name] = {"per_pair": per_pair.tolist(), "members": members, "gradient": x.grad.tolist()}
        if term is not None:
            expected["losses"][name]["batch_term"] = term.item()
        for key in ("raw", "first_layer", "last_layer"):
            if extra[key].grad is not None:
                expected["losses"][name]["gradient_" + key] = extra[key].grad.flatten(1).tolist()
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "expected.json"), "w") as file:
        json.dump(expected, file, separators=(",", ":"))
        file.write("\n")


main()
