# SPDX-License-Identifier: Apache-2.0
"""Triplet losses with negatives mined in the batch: what `adasample train` has, for a PyTorch loop of your own.

>>> torch.manual_seed(0)  # doctest: +ELLIPSIS
<torch._C.Generator object at ...>
>>> anchors = torch.nn.functional.normalize(torch.randn(4, 8))
>>> loss = hinge_triplet(anchors, anchors)      # L_i of each pair
>>> loss.shape
torch.Size([4])
"""
from __future__ import annotations

import torch
from torch import Tensor

from .distance import squared_distance
from .errors import UsageError

NEGATIVES = ("eq14", "cross", "all")
_EXCLUDED = -3.0  # below every dot product of unit vectors


def _check_pairs(anchors: Tensor, positives: Tensor) -> None:
    for name, x in (("anchors", anchors), ("positives", positives)):
        if x.dim() != 2 or not x.is_floating_point():
            raise UsageError(f"{name}: expected floating (n, D), found {x.dtype} {tuple(x.shape)}")
    if anchors.shape != positives.shape:
        raise UsageError(f"anchors and positives: expected one shape, found {tuple(anchors.shape)} and {tuple(positives.shape)}")
    if len(anchors) < 2:
        raise UsageError(f"expected at least 2 pairs, found {len(anchors)}: a negative comes from another pair")


@torch.no_grad()
def mine_negatives(anchors: Tensor, positives: Tensor, negatives: str = "all", duplicates: float = 0.0) -> tuple[Tensor, Tensor]:
    """The closest non-matching descriptors of each pair, as two rows of cat([anchors, positives]).

    negatives: candidates of pair i, for all j != i: "eq14" (a_i, a_j) and (p_i, p_j), "cross" (a_i, p_j) and (a_j, p_i),
    or "all" of them. Candidates closer than `duplicates` (Euclidean) are skipped, unless nothing else is left.
    """
    _check_pairs(anchors, positives)
    if negatives not in NEGATIVES:
        raise UsageError(f"negatives = {negatives!r}, must be one of {', '.join(NEGATIVES)}")
    n = len(anchors)
    x = torch.cat([anchors, positives])
    blocks = []  # (first row of the left, of the right, whether the pair is named right first)
    if negatives != "cross":
        blocks += [(0, 0, False), (n, n, False)]
    if negatives != "eq14":
        blocks += [(0, n, False), (n, 0, True)]
    own = torch.eye(n, dtype=torch.bool, device=x.device)
    similarity = torch.cat([(x[left : left + n] @ x[right : right + n].T).masked_fill(own, _EXCLUDED) for left, right, _ in blocks], 1)
    if duplicates > 0:
        masked = similarity.masked_fill(similarity > 1 - duplicates**2 / 2, _EXCLUDED)
        nothing_left = (masked.amax(1) == _EXCLUDED).unsqueeze(1)
        similarity = torch.where(nothing_left, similarity, masked)
    column = similarity.argmax(1)
    block, j = column.div(n, rounding_mode="floor"), column.remainder(n)
    i = torch.arange(n, device=x.device)
    left = torch.tensor([b[0] for b in blocks], device=x.device)[block] + i
    right = torch.tensor([b[1] for b in blocks], device=x.device)[block] + j
    swapped = torch.tensor([b[2] for b in blocks], device=x.device)[block]
    return torch.where(swapped, right, left), torch.where(swapped, left, right)


def hinge_triplet(anchors: Tensor, positives: Tensor, *, metric: str = "angular", margin: float = 1.0, negatives: str = "all",
                  duplicates: float = 0.0) -> Tensor:
    """L_i = max(0, margin + d_pos^2 - d_neg^2) of each pair: with angles the paper's AHT (Eq. 15), else HT. (n)"""
    first, second = mine_negatives(anchors, positives, negatives, duplicates)
    x = torch.cat([anchors, positives])
    positive = squared_distance(anchors, positives, metric)
    return torch.relu(margin + positive - squared_distance(x[first], x[second], metric))


def hardnet(anchors: Tensor, positives: Tensor, *, margin: float = 1.0) -> Tensor:
    """HardNet's loss as published: max(0, margin + d_pos - d_neg), closest of row and column, its own distance and mask. (n)"""
    _check_pairs(anchors, positives)
    a2, p2 = anchors.square().sum(1, keepdim=True), positives.square().sum(1).unsqueeze(0)
    d = (a2 + p2 - 2 * anchors @ positives.T + 1e-6).sqrt() + 1e-8
    masked = d + 10 * torch.eye(len(d), dtype=d.dtype, device=d.device)
    masked = masked + 10 * (masked < 0.008).to(d.dtype)
    return torch.relu(margin + d.diagonal() - torch.minimum(masked.min(1)[0], masked.min(0)[0]))
