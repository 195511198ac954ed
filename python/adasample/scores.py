# SPDX-License-Identifier: Apache-2.0
"""The field's protocols: the numbers that `adasample eval` prints, to the last digit."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Iterable, Mapping, Optional, Union

import numpy as np

from . import _native, checks
from .arrays import numbers
from .checks import Path
from .errors import UsageError
from .model import Model, Progress, load
from .store import Store, open_store



def score_pairs(labels: Any, distances: Any) -> dict[str, Any]:
    """FPR95 with its bounds by ties, FPR99, average precision and AUC of labelled pairs, as `adasample eval pairs` has them.

    labels: 1 (or True) for a pair that shows the same point, else 0. distances: small for pairs that look alike.

    >>> score_pairs([1, 1, 0, 0], [0.1, 0.2, 0.3, 0.4])["auc"]
    1.0
    """
    marks = numbers(labels, "labels", np.int64, kinds="biu")
    if not np.isin(marks, (0, 1)).all():
        raise UsageError(f"labels: expected 0 and 1, found {int(marks[~np.isin(marks, (0, 1))][0])}")
    values = numbers(distances, "distances", np.float64)
    if len(marks) != len(values):
        raise UsageError(f"labels and distances: expected as many of both, found {len(marks)} and {len(values)}")
    scores: dict[str, Any] = json.loads(_native.score_pairs(marks.astype(np.uint8), values))
    return scores


def fpr95(labels: Any, distances: Any) -> float:
    """The share of non-matching pairs accepted before 95 % of the matching ones are; ties count in input order.

    >>> fpr95([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4])
    0.5
    """
    return float(score_pairs(labels, distances)["fpr95"])


def average_precision(labels: Any, distances: Any) -> float:
    """Mean precision at each matching pair, ranked by distance; ties in input order.

    >>> average_precision([1, 0, 1, 0], [0.1, 0.2, 0.3, 0.4])
    0.8333333333333333
    """
    return float(score_pairs(labels, distances)["ap"])


def _model(model: Union[Model, Path]) -> Model:
    return model if isinstance(model, Model) else load(model)


def evaluate_patches(data: Union[Store, Path], model: Union[Model, Path] = "default", *, pairs: int = 20000, seed: int = 0,
                     progress: Optional[Progress] = None) -> dict[str, Any]:
    """`adasample eval patches`: pairs drawn from a store, described and scored."""
    store = data if isinstance(data, Store) else open_store(data)
    text = _native.score_store(store._open(), _model(model)._native, checks.whole(pairs, "pairs", 1), checks.whole(seed, "seed", 0),
                               checks.callback(progress, "progress"))
    result: dict[str, Any] = json.loads(text)
    return result


def evaluate_hpatches(root: Optional[Path] = None, model: Union[Model, Path, None] = None, *, descriptors: Optional[Path] = None,
                      split: str = "a", splits: Optional[Path] = None, tasks: Optional[Path] = None, dist: str = "l2",
                      delimiter: str = ",", size: int = 32, corrected: bool = False, allow_missing: bool = False,
                      progress: Optional[Progress] = None) -> dict[str, Any]:
    """`adasample eval hpatches`: verification, matching and retrieval of a folder of patches described by a model, or of
    descriptors. split: "a", "b", "c", "illum", "view", or "full" for all sequences present."""
    if (root is None) == (descriptors is None) or (root is None) != (model is None):
        given = [name for name, value in (("root", root), ("model", model), ("descriptors", descriptors)) if value is not None]
        raise UsageError(f"expected a root with a model, or descriptors, found {' and '.join(given) or 'none of them'}")
    opened = None if model is None else _model(model)._native
    path, word = checks.optional_path, checks.text
    text = _native.score_hpatches(path(root, "root"), path(descriptors, "descriptors"), opened, word(split, "split"), path(splits, "splits"),
                                  path(tasks, "tasks"), word(dist, "dist"), word(delimiter, "delimiter"), checks.whole(size, "size", 1, 4096),
                                  bool(corrected), bool(allow_missing), checks.callback(progress, "progress"))
    result: dict[str, Any] = json.loads(text)
    return result


class Comparison(dict[str, Any]):
    """The record of `adasample eval compare`; `str()` is what it prints."""

    text: str = ""

    def __str__(self) -> str:
        return self.text


def compare(a: Any, b: Any, value: str = "", *, paired: Optional[bool] = None, alternative: str = "less",
            resamples: int = 10000, level: float = 0.95, seed: int = 0) -> Comparison:
    """Is one method better than another, or is it chance? `adasample eval compare`.

    a, b: numbers, one per run; or results: files, or what `evaluate_patches` and `evaluate_hpatches` return, from which
    `value` ("fpr95", "matching.trapezoid") is taken. One result per side is compared sequence by sequence.

    >>> compare([1.25, 1.22, 1.28, 1.26, 1.24], [1.31, 1.27, 1.36, 1.33, 1.30])["p_one_sided"] < 0.01
    True
    """
    if not isinstance(alternative, str) or alternative not in ("less", "greater"):
        raise UsageError(f"alternative = {alternative!r}, must be less or greater")
    if paired is not None and not isinstance(paired, bool):
        raise UsageError(f"paired: expected True, False or None, found {paired!r}")
    given: dict[str, str] = {}

    def side(values: Any, name: str) -> list[str]:
        listed: Iterable[Any] = [values] if isinstance(values, (str, bytes, os.PathLike, Mapping)) else values
        words = []
        for i, item in enumerate(listed):
            if isinstance(item, Mapping):
                words.append(f"{name}[{i}]")
                given[words[-1]] = json.dumps(item)
            elif isinstance(item, (str, bytes, os.PathLike)):
                words.append(checks.path(item, name))
            else:
                if not math.isfinite(item):
                    raise UsageError(f"{name}: expected finite numbers, found {item}")
                words.append(repr(float(item)))
        if not words:
            raise UsageError(f"{name}: expected numbers or results, found none")
        return words

    try:
        words_a, words_b = side(a, "a"), side(b, "b")
    except TypeError as error:
        raise UsageError(f"a and b: expected numbers or results ({error})") from None
    record, text = _native.compare(words_a, words_b, given, checks.text(value, "value"), paired, alternative == "greater",
                                   checks.whole(resamples, "resamples", 1, 10**7), checks.real(level, "level", 0, 1), checks.whole(seed, "seed", 0))
    comparison = Comparison(json.loads(record))
    comparison.text = text
    return comparison
