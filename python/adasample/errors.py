# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package. Every message is one line: what was expected, what was found, and where."""
from __future__ import annotations


class Error(Exception):
    """Something is not as it should be: a file, its content, a program that is missing."""


class UsageError(Error, ValueError):
    """A call is not as it should be: a wrong type, shape, name or number."""
