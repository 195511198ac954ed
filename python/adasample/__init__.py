# SPDX-License-Identifier: Apache-2.0
"""Local image descriptors that are learned with AdaSample.

    model = adasample.load("default")                    # pretrained weights
    a, b = model.describe_image("a.jpg"), model.describe_image("b.jpg")
    pairs = adasample.match(a, b, ratio=0.95).pairs

``adasample.AdaSampler`` and ``adasample.losses`` need nothing but PyTorch: AdaSample for a training loop of your own.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .errors import Error as Error, UsageError as UsageError

if TYPE_CHECKING:
    from . import losses as losses, torch as torch
    from .model import Model as Model, engines as engines, from_function as from_function, load as load
    from .pictures import Features as Features, Keypoints as Keypoints, Matches as Matches, Picture as Picture
    from .pictures import detect as detect, match as match
    from .runs import Run as Run
    from .sampler import AdaSampler as AdaSampler
    from .scores import average_precision as average_precision, compare as compare, evaluate_hpatches as evaluate_hpatches
    from .scores import evaluate_patches as evaluate_patches, fpr95 as fpr95, score_pairs as score_pairs
    from .store import Store as Store, open_store as open_store, write_store as write_store
    from .training import train as train

    __version__: str

# Loaded when they are first asked for: the pure-Python part needs no extension, and nothing imports torch unasked.
_PLACES = {
    "model": ("Model", "engines", "from_function", "load"),
    "pictures": ("Features", "Keypoints", "Matches", "Picture", "detect", "match"),
    "runs": ("Run",),
    "sampler": ("AdaSampler",),
    "scores": ("average_precision", "compare", "evaluate_hpatches", "evaluate_patches", "fpr95", "score_pairs"),
    "store": ("Store", "open_store", "write_store"),
    "training": ("train",),
}
_MODULE_OF = {name: module for module, names in _PLACES.items() for name in names}
_MODULES = ("losses", "torch")

__all__ = ["Error", "UsageError", *_MODULE_OF, *_MODULES]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(f".{name}", __name__)
    except ImportError as error:
        if "_native" not in str(error):
            raise
        raise Error(f"{__path__[0]}: expected the extension _native beside the Python files, found none for this Python - install the package, or "
                    "build it and set PYTHONPATH=build/release/python (docs/python.md)") from None


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return _module(name)
    if name == "__version__":
        return _module("_native").VERSION
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_module(_MODULE_OF[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
