# SPDX-License-Identifier: Apache-2.0
"""Patch stores: patches in classes, on disk (docs/formats.md)."""
from __future__ import annotations

import json
from typing import Any, Iterable, Iterator, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _native, checks
from .arrays import numbers, patches_of
from .checks import Path
from .errors import UsageError



class Store:
    """A patch store: class c is `store[c]`, uint8 (k, s, s). Arrays view the file's pages; nothing is read before it is used.

    They stay valid after `close()`; the store itself then raises `adasample.UsageError`.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = checks.path(folder, "folder")
        self._native = _native.Store(self.folder)
        self._offsets = self._native.offsets()
        self._patches = self._native.patches()

    def _open(self) -> _native.Store:
        if self._native.closed:
            raise UsageError(f"{self.folder}: expected an open store, found a closed one")
        return self._native

    @property
    def patches(self) -> NDArray[np.uint8]:
        """All patches, (n, s, s), read-only."""
        self._open()
        return self._patches

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each class begins, and at last the number of patches: (classes + 1)."""
        self._open()
        return self._offsets

    @property
    def labels(self) -> NDArray[np.int64]:
        """The class of each patch, (n)."""
        sizes = np.diff(self.offsets)
        return np.repeat(np.arange(len(sizes)), sizes)

    @property
    def pictures(self) -> Optional[NDArray[np.int64]]:
        """Which of `picture_names` each patch was cut from, or None."""
        return self._open().pictures()

    @property
    def picture_names(self) -> list[str]:
        return self._open().picture_names()

    @property
    def strengths(self) -> Optional[NDArray[np.float32]]:
        """How hard each patch's view is, or None."""
        return self._open().strengths()

    @property
    def meta(self) -> dict[str, Any]:
        """meta.json: how the store was made."""
        meta: dict[str, Any] = json.loads(self._open().meta())
        return meta

    @property
    def fingerprint(self) -> str:
        """sha256 of the arrays as recorded when the store was made, or ""."""
        return self._open().fingerprint()

    def check_intact(self) -> None:
        """Raises `adasample.Error` if the file was truncated since: patches read from then on were zeros."""
        self._open().check_intact()

    def close(self) -> None:
        self._native.close()

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, c: int) -> NDArray[np.uint8]:
        if not -len(self) <= c < len(self):
            raise IndexError(f"class {c} of {len(self)}")
        c %= len(self)
        return self.patches[self._offsets[c] : self._offsets[c + 1]]

    def __iter__(self) -> Iterator[NDArray[np.uint8]]:
        return (self[c] for c in range(len(self)))

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.folder,)

    def __repr__(self) -> str:
        if self._native.closed:
            return f"<adasample.Store {self.folder!r}, closed>"
        return f"<adasample.Store {self.folder!r}: {len(self._patches)} patches in {len(self)} classes>"


def _each(values: Any, name: str) -> Iterator[Any]:
    try:
        return iter(values)
    except TypeError:
        raise UsageError(f"{name}: expected one after another, found {type(values).__name__}") from None


def open_store(folder: Path) -> Store:
    """Opens a patch store.

    >>> adasample.write_store(tmp / "s", [np.zeros((2, 32, 32), np.uint8), np.ones((3, 32, 32), np.uint8)])
    >>> with adasample.open_store(tmp / "s") as store:
    ...     len(store), store[1].shape, store.labels.tolist()
    (2, (3, 32, 32), [0, 0, 1, 1, 1])
    """
    return Store(folder)


def write_store(folder: Path, classes: Iterable[Any], *, pictures: Optional[Iterable[Any]] = None,
                picture_names: Optional[Sequence[str]] = None, picture_scenes: Optional[Sequence[str]] = None,
                strengths: Optional[Iterable[Any]] = None, meta: Optional[Mapping[str, Any]] = None) -> None:
    """Writes a patch store; the folder appears when it is complete, and must not exist.

    classes: uint8 (k, s, s) each, k >= 2 patches of one point; a generator may make them one by one. pictures: with each
    class the numbers (k) of the pictures its patches come from, into picture_names. strengths: with each class how hard
    its views are, (k). meta: what else to record, values that JSON can hold.
    """
    if pictures is not None and strengths is not None:
        raise UsageError("pictures and strengths: expected one of them, found both")
    if (pictures is None) != (picture_names is None):
        raise UsageError("pictures and picture_names: expected both or none of them")
    if meta is not None and not isinstance(meta, Mapping):
        raise UsageError(f"meta: expected names and values, found {type(meta).__name__}")
    target, record = checks.path(folder, "folder"), {**(meta or {})}
    if picture_names is not None:
        record["pictures"] = list(picture_names)
        record["picture_scenes"] = list(picture_scenes if picture_scenes is not None else picture_names)
    try:
        text = json.dumps(record)
    except (TypeError, ValueError) as error:
        raise UsageError(f"meta: expected what JSON can hold ({error})") from None
    writer: Optional[_native.StoreWriter] = None
    column = _each(pictures if pictures is not None else strengths if strengths is not None else (), "pictures or strengths")
    size = 0
    try:
        for c, patches in enumerate(_each(classes, "classes")):
            pixels = patches_of(patches, f"class {c}: patches", copy=True)
            if writer is None:
                size = pixels.shape[1]
                writer = _native.StoreWriter(target, size)
            if pixels.shape[1] != size:
                raise UsageError(f"class {c}: expected patches of {size} pixels like those before, found {pixels.shape[1]}")
            beside = None
            if pictures is not None or strengths is not None:
                beside = numbers(next(column, ()), f"class {c}: one number per patch", np.int64 if pictures is not None else np.float32)
                if len(beside) != len(pixels):
                    raise UsageError(f"class {c}: expected {len(pixels)} numbers, one per patch, found {len(beside)}")
            writer.add(pixels, beside if pictures is not None else None, beside if strengths is not None else None)
        if writer is None:
            raise UsageError("classes: expected at least one, found none")
        writer.finish(text)
    finally:
        if writer is not None:
            writer.abandon()  # what is finished stays
