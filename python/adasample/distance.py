# SPDX-License-Identifier: Apache-2.0
"""The distance d between unit descriptors: one choice serves in the draw, the weights and the loss."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .errors import UsageError

METRICS = ("angular", "euclidean")
_SINE_FLOOR = 1e-3


def check_metric(metric: str) -> None:
    """Raises UsageError for a name that is none of METRICS."""
    if metric not in METRICS:
        raise UsageError(f"metric = {metric!r}, must be one of {', '.join(METRICS)}")


def _angle(x: Tensor, y: Tensor) -> Tensor:
    # arccos(x . y), but exact at 0 and pi, where arccos loses half its digits.
    return 2 * torch.atan2((x - y).square().sum(-1).sqrt(), (x + y).square().sum(-1).sqrt())


@torch.no_grad()
def row_distance(x: Tensor, y: Tensor, metric: str = "angular") -> Tensor:
    """d between rows, without gradient: (.., D), (.., D) -> (..).

    >>> row_distance(torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 1.0]]))
    tensor([1.5708])
    """
    check_metric(metric)
    return _angle(x, y) if metric == "angular" else (x - y).square().sum(-1).sqrt()


class _SquaredAngle(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        theta = _angle(x, y)
        ctx.save_for_backward(x, y, theta)
        return theta.square()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor]:
        x, y, theta = ctx.saved_tensors
        # d(theta^2) / d(x . y) = -2 theta / sin(theta), which tends to -2 at 0; the sine is floored near pi.
        quotient = torch.where(theta < _SINE_FLOOR, torch.ones_like(theta), theta / theta.sin().clamp_min(_SINE_FLOOR))
        factor = (-2 * quotient * gradients[0]).unsqueeze(1)
        return factor * y, factor * x


def squared_distance(x: Tensor, y: Tensor, metric: str = "angular") -> Tensor:
    """d^2 between rows of (n, D), with finite gradients also for identical and opposite vectors."""
    check_metric(metric)
    if metric == "angular":
        return _SquaredAngle.apply(x, y)  # type: ignore[no-any-return]
    return (x - y).square().sum(-1)
