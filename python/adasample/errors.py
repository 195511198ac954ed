# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package. Every message is one line: what was expected, what was found, and where."""
from __future__ import annotations

_MOST = 600  # characters


class Error(Exception):
    """Something is not as it should be: a file, its content, a program that is missing."""

    def __init__(self, message: object = "") -> None:
        text = " ".join(str(message).split())  # one line, whatever it quotes
        super().__init__(text if len(text) <= _MOST else text[: _MOST - 3] + "...")


class UsageError(Error, ValueError):
    """A call is not as it should be: a wrong type, shape, name or number."""
