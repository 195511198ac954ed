# SPDX-License-Identifier: Apache-2.0
"""Models: patches, and the keypoints of pictures, to descriptors."""
from __future__ import annotations

import os
import warnings
from typing import Any, Callable, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _native, checks
from .arrays import like, numbers, patches_of, shape_text
from .errors import UsageError
from .pictures import Features, Keypoints, Picture

_FUNCTION = "python"  # the engine of models that are functions of the user's
Progress = Callable[[int, int, str], object]
"""Called now and then with what is done, how much there is, and what it is; what it raises ends the work."""


class Model:
    """What describes patches; `adasample.load` makes one. Threads may share it.

    A forked child can load and use models if its parent had not loaded one before the fork; otherwise it raises
    `adasample.Error` at once. Workers that multiprocessing starts by "spawn" always can: a model is pickled as its name.
    """

    def __init__(self, native: _native.Model, options: tuple[str, str, int]) -> None:
        self._native, self._options = native, options

    @property
    def name(self) -> str:
        """As it was asked for: "default", a file, a run folder."""
        return self._native.model

    @property
    def engine(self) -> str:
        """What runs it: "simd", "onednn", .."""
        return self._native.engine

    @property
    def file(self) -> str:
        """The weights' file."""
        return self._native.file

    @property
    def dimension(self) -> int:
        """Numbers of a descriptor."""
        return self._native.dimension

    def describe(self, patches: Any, *, out: Optional[NDArray[np.float32]] = None, progress: Optional[Progress] = None) -> Any:
        """Descriptors of patches: uint8 (n, 32, 32) or (n, 1, 32, 32) to float32 (n, 128), rows of norm 1.

        `patches` is a NumPy array, a torch tensor on the CPU, or has DLPack or the buffer protocol; it is read where it
        lies. Patches of 64 x 64 pixels are halved. A tensor gives a tensor. `out`: an array to write to.

        >>> model = adasample.load()
        >>> patches = np.arange(2 * 32 * 32, dtype=np.uint32).astype(np.uint8).reshape(2, 32, 32)
        >>> model.describe(patches).shape
        (2, 128)
        """
        pixels = patches_of(patches)
        if pixels.shape[1] not in (_native.PATCH_SIZE, 2 * _native.PATCH_SIZE):
            raise UsageError(f"patches: expected 32 x 32 pixels (or 64 x 64, which are halved), found {shape_text(pixels)}")
        rows = np.empty((pixels.shape[0], self.dimension), np.float32) if out is None else out
        if (not isinstance(rows, np.ndarray) or rows.dtype != np.float32 or rows.shape != (pixels.shape[0], self.dimension)
                or not rows.flags.c_contiguous or not rows.flags.writeable):
            found = shape_text(rows) if isinstance(rows, np.ndarray) else type(rows).__name__
            raise UsageError(f"out: expected a writeable float32 {(pixels.shape[0], self.dimension)} in C order, found {found}")
        self._native.describe(pixels, rows, checks.callback(progress, "progress"))
        return like(rows, patches)

    def describe_image(self, image: Any, keypoints: Optional[Any] = None, *, progress: Optional[Progress] = None,
                       **options: Any) -> Features:
        """Keypoints and descriptors of a picture: a file, or pixels as `adasample.detect` takes them.

        `keypoints`: `Keypoints`, rows (x, y, sigma, angle), rows (x, y, sigma) that are then oriented, or OpenCV's; by
        default those that `detect` finds. `options` are those of `detect`.

        >>> picture = np.random.default_rng(1).integers(0, 256, (120, 160), dtype=np.uint8)
        >>> found = adasample.load().describe_image(picture, max_keypoints=10)
        >>> found.descriptors.shape == (len(found.keypoints), 128)
        True
        """
        picture = Picture(image, **options)
        placed = picture.detect() if keypoints is None else picture.place(keypoints)
        return Features(placed, picture.native.describe(placed.rows, self._native, checks.callback(progress, "progress")), picture.size)

    def __repr__(self) -> str:
        return f"<adasample.Model {self.name!r} by {self.engine}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._options[0] == _FUNCTION:
            raise UsageError(f"{self.name}: expected a model that has a name to be pickled by, found one made from a function")
        return load, (self.name, *self._options)


def load(model: Union[str, "os.PathLike[str]"] = "default", engine: str = "auto", device: str = "auto", threads: int = 0) -> Model:
    """Opens a model: "default" (the weights that come with the package), a weights file, or a run folder.

    engine: "auto" takes the fastest in fp32; others are in `engines()`. threads: 0 for one per core.

    >>> adasample.load("default").dimension
    128
    """
    name = checks.path(model, "model")
    checks.whole(threads, "threads", 0, max(64, 4 * (os.cpu_count() or 1)))  # each has memory of its own
    native = _native.Model(name, checks.text(engine, "engine"), checks.text(device, "device"), threads)
    for text in native.warnings:
        warnings.warn(text, stacklevel=2)
    return Model(native, (engine, device, threads))


def from_function(function: Callable[[NDArray[np.uint8]], Any], name: str = "python", dimension: int = 128) -> Model:
    """A model of your own, to be scored like ours: a function from uint8 (n, s, s) to float32 (n, dimension).

    >>> mean = from_function(lambda patches: patches.mean((1, 2), dtype=np.float32)[:, None], "mean", 1)
    >>> mean.describe(np.full((1, 32, 32), 7, np.uint8))
    array([[7.]], dtype=float32)
    """
    def rows(patches: NDArray[np.uint8]) -> NDArray[np.float32]:
        return numbers(function(patches), f"descriptors of {name}", np.float32, dimension)

    if not callable(function):
        raise UsageError(f"function: expected something to call, found {type(function).__name__}")
    checks.whole(dimension, "dimension", 1, 1 << 16)
    return Model(_native.Model.from_function(rows, checks.text(name, "name"), dimension), (_FUNCTION, "cpu", 0))


def engines() -> list[str]:
    """The engines that run here."""
    return _native.engines()


__all__ = ["Keypoints", "Features", "Model", "Progress", "engines", "from_function", "load"]
