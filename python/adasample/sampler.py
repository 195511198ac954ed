# SPDX-License-Identifier: Apache-2.0
"""AdaSample's draw of matching pairs, for a PyTorch loop of your own.

    sampler = AdaSampler(lam=5)
    for patches in loader:                                   # (n, k, 1, 32, 32): k patches of each of n points
        with torch.no_grad():
            x = net.eval()(patches.flatten(0, 1)).view(n, k, -1)
        pairs = sampler.draw(x)
        rows = torch.arange(n)
        net.train()
        a, p = net(torch.cat([patches[rows, pairs.anchor], patches[rows, pairs.positive]])).chunk(2)
        loss = losses.hinge_triplet(a, p)
        (pairs.weight * loss).mean().backward()
        optimiser.step(), optimiser.zero_grad()
        sampler.update(loss)                                 # L_avg
"""
from __future__ import annotations

import math
from typing import Any, NamedTuple, Optional

import torch
from torch import Tensor

from .distance import check_metric, row_distance
from .errors import UsageError

WEIGHTS = ("none", "distance")


class Pairs(NamedTuple):
    """What was drawn: a patch of each class and another one that matches it."""

    anchor: Tensor  # (n) int64
    positive: Tensor  # (n) int64, never the anchor
    distance: Tensor  # (n) d between them
    weight: Tensor  # (n) w, constant under differentiation
    probability: Tensor  # (n, k) p of each patch as the positive; 0 for the anchor and for padding


@torch.no_grad()
def relative_probability(distance: Tensor, candidates: Tensor, exponent: float) -> Tensor:
    """q_i = (d_i / d_max)^exponent over the candidates (Eq. 13), in the log domain. distance: (n, k), candidates: bool.

    Exponent 0 is uniform, infinity takes the farthest. d = 0 has q = 0 under a positive exponent; all 0: uniform.

    >>> relative_probability(torch.tensor([[1.0, 2.0]]), torch.tensor([[True, True]]), 1.0)
    tensor([[0.5000, 1.0000]], dtype=torch.float64)
    """
    d = distance.double().masked_fill(~candidates, 0)
    largest = d.amax(1, keepdim=True)
    if exponent == 0:
        q = torch.ones_like(d)
    elif math.isinf(exponent):
        q = (d == largest).double()
    else:
        q = (exponent * (d.log() - largest.log())).exp()
    return torch.where(largest == 0, torch.ones_like(q), q).masked_fill(~candidates, 0)


@torch.no_grad()
def pick(q: Tensor, u: Tensor) -> Tensor:
    """The first patch whose cumulative q exceeds u times their sum, u in [0, 1). q: (n, k), u: (n) -> (n)"""
    cumulative = q.double().cumsum(1)
    total = cumulative[:, -1]
    target = torch.minimum(u * total, total * (1 - torch.finfo(torch.float64).eps))
    return (cumulative <= target.unsqueeze(1)).sum(1)


class AdaSampler:
    """Draws a uniform anchor of each class and a positive with p ~ d^(lam / L_avg); `lam` is the paper's lambda.

    metric: "angular" or "euclidean", the loss's own. weights: "none", or "distance": 1/d over its batch mean (Eq. 12).
    The running loss L_avg starts at `margin`; give every iteration's losses to `update`.

    >>> sampler = AdaSampler(lam=5, seed=1)
    >>> pairs = sampler.draw(torch.nn.functional.normalize(torch.ones(3, 4, 8), dim=-1))
    >>> bool((pairs.anchor != pairs.positive).all())
    True
    """

    def __init__(self, lam: float = 5.0, *, metric: str = "angular", weights: str = "none", margin: float = 1.0,
                 decay: float = 0.99, floor: float = 1e-3, seed: int = 0) -> None:
        if not lam >= 0:
            raise UsageError(f"lam = {lam}, must be >= 0 (0 draws uniformly, inf takes the farthest)")
        if weights not in WEIGHTS:
            raise UsageError(f"weights = {weights!r}, must be one of {', '.join(WEIGHTS)}")
        if not 0 <= decay <= 1 or not floor > 0 or not margin > 0:
            raise UsageError(f"decay = {decay}, floor = {floor}, margin = {margin}: decay must be in [0, 1], the others positive")
        check_metric(metric)
        self.lam, self.metric, self.weights, self.decay, self.floor = lam, metric, weights, decay, floor
        self.average = margin
        self._generator = torch.Generator().manual_seed(seed)

    @property
    def exponent(self) -> float:
        """lam / L_avg, as the next draw has it."""
        return self.lam / self.average if self.lam else 0.0

    @torch.no_grad()
    def draw(self, descriptors: Tensor, counts: Optional[Tensor] = None, ramp: float = 1.0) -> Pairs:
        """descriptors: (n, k, D) unit vectors of the present network, in evaluation mode. counts: (n), where classes have
        fewer than k patches: theirs are the first. ramp: a factor on the exponent, for a warm-up."""
        if descriptors.dim() != 3 or not descriptors.is_floating_point():
            raise UsageError(f"descriptors: expected floating (n, k, D), found {descriptors.dtype} {tuple(descriptors.shape)}")
        n, k = descriptors.shape[:2]
        device = descriptors.device
        if counts is None:
            counts = torch.full((n,), k, device=device)
        if counts.shape != (n,) or bool(((counts < 2) | (counts > k)).any()):
            raise UsageError(f"counts: expected ({n},) numbers from 2 to {k}")
        counts = counts.to(device)
        u = torch.rand(2, n, dtype=torch.float64, generator=self._generator).to(device)
        anchor = (u[0] * counts).long()
        slot = torch.arange(k, device=device)
        candidates = (slot < counts.unsqueeze(1)) & (slot != anchor.unsqueeze(1))
        rows = torch.arange(n, device=device)
        distances = row_distance(descriptors, descriptors[rows, anchor].unsqueeze(1), self.metric)
        q = relative_probability(distances, candidates, ramp * self.exponent if ramp else 0.0)
        positive = pick(q, u[1])
        distance = distances[rows, positive]
        weight = torch.ones_like(distance)
        if self.weights == "distance":
            weight = 1 / distance.clamp_min(1e-2)
            weight = weight / weight.mean()
        return Pairs(anchor, positive, distance, weight, q / q.sum(1, keepdim=True))

    @torch.no_grad()
    def update(self, losses: Tensor) -> None:
        """Takes the unweighted losses of an iteration's pairs into L_avg."""
        mean = float(losses.detach().mean())
        if not math.isfinite(mean):
            raise UsageError("the losses are not finite")
        self.average = max(self.floor, self.decay * self.average + (1 - self.decay) * mean)

    def state_dict(self) -> dict[str, Any]:
        """For a checkpoint: the running loss and the generator's state."""
        return {"average": self.average, "generator": self._generator.get_state()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on where state_dict() was."""
        self.average = float(state["average"])
        self._generator.set_state(state["generator"])
