# SPDX-License-Identifier: Apache-2.0
"""Single values as they should be, or one line that says what was expected and found. Arrays: arrays.py."""
from __future__ import annotations

import math
import numbers
import os
from typing import Any, Optional, Union

from .errors import UsageError

Path = Union[str, "os.PathLike[str]"]


def path(value: Any, name: str) -> str:
    """A path as text."""
    try:
        found = os.fsdecode(value)
    except TypeError:
        raise UsageError(f"{name}: expected a path, found {type(value).__name__}") from None
    if not found or "\0" in found:
        raise UsageError(f"{name}: expected a path, found {found!r}")
    return found


def optional_path(value: Any, name: str) -> str:
    """A path as text, "" for None."""
    return "" if value is None else path(value, name)


def text(value: Any, name: str) -> str:
    """A string."""
    if not isinstance(value, str):
        raise UsageError(f"{name}: expected a string, found {type(value).__name__}")
    return value


def whole(value: Any, name: str, low: int, high: int = 2**62) -> int:
    """A whole number in [low, high]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral) or not low <= int(value) <= high:
        raise UsageError(f"{name}: expected a whole number from {low} to {high}, found {value!r}")
    return int(value)


def real(value: Any, name: str, above: float = 0.0, most: float = math.inf) -> float:
    """A number in (above, most]."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not above < float(value) <= most:
        raise UsageError(f"{name}: expected a number above {above:g}" + (f", {most:g} at most" if most < math.inf else "") + f", found {value!r}")
    return float(value)


def callback(value: Any, name: str) -> Optional[Any]:
    """Something to call, or None."""
    if value is not None and not callable(value):
        raise UsageError(f"{name}: expected a function or None, found {type(value).__name__}")
    return value
