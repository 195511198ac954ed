# SPDX-License-Identifier: Apache-2.0
"""Local image descriptors that are learned with AdaSample.

``adasample.AdaSampler`` and ``adasample.losses`` need nothing but PyTorch: AdaSample for a training loop of your own.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import losses as losses
    from .sampler import AdaSampler as AdaSampler

__all__ = ["AdaSampler", "losses"]


def __getattr__(name: str) -> Any:  # so that importing adasample does not import torch
    if name == "AdaSampler":
        from .sampler import AdaSampler

        return AdaSampler
    if name == "losses":
        import importlib

        return importlib.import_module(".losses", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
