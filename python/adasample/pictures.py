# SPDX-License-Identifier: Apache-2.0
"""Pictures: keypoints, features, matches."""
from __future__ import annotations

import math
import os
from dataclasses import dataclass
from typing import Any, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _native, checks
from .arrays import numbers, shape_text, view
from .errors import Error, UsageError

_GREY = np.array([0.299, 0.587, 0.114], np.float32)  # of red, green, blue


class Keypoints:
    """Places in a picture, strongest first: rows (x, y, sigma, angle, strength).

    Pixels with centres at integers; sigma in pixels (half of OpenCV's size); radians, clockwise as seen from +x.

    >>> found = Keypoints(np.array([[10.0, 20.0, 3.0, 0.0, 1.0]]))
    >>> len(found), found.xy.tolist()
    (1, [[10.0, 20.0]])
    """

    def __init__(self, rows: Any) -> None:
        self.rows: NDArray[np.float64] = numbers(rows, "keypoints", np.float64, 5)
        if (self.rows[:, 2] <= 0).any():
            at = int(np.argmax(self.rows[:, 2] <= 0))
            raise UsageError(f"keypoints: expected sigma > 0, found {self.rows[at, 2]} in row {at}")

    @property
    def xy(self) -> NDArray[np.float64]:
        return self.rows[:, :2]

    @property
    def sigma(self) -> NDArray[np.float64]:
        return self.rows[:, 2]

    @property
    def angle(self) -> NDArray[np.float64]:
        return self.rows[:, 3]

    @property
    def strength(self) -> NDArray[np.float64]:
        return self.rows[:, 4]

    @staticmethod
    def from_opencv(keypoints: Sequence[Any]) -> "Keypoints":
        """Of cv2.KeyPoint; one without an angle (-1) is taken as upright."""
        rows = [(k.pt[0], k.pt[1], k.size / 2, math.radians(max(k.angle, 0)), k.response) for k in keypoints]
        return Keypoints(np.array(rows, np.float64).reshape(-1, 5))

    def to_opencv(self) -> list[Any]:
        """As cv2.KeyPoint."""
        import cv2

        return [cv2.KeyPoint(x, y, 2 * sigma, math.degrees(angle) % 360, strength)
                for x, y, sigma, angle, strength in self.rows.tolist()]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<adasample.Keypoints {len(self)}>"


@dataclass(frozen=True)
class Features:
    """A picture described."""

    keypoints: Keypoints
    descriptors: NDArray[np.float32]  # (n, 128)
    size: tuple[int, int]  # of the picture: width, height

    def __len__(self) -> int:
        return len(self.keypoints)


@dataclass(frozen=True)
class Matches:
    """Pairs of nearest neighbours of each other, those within the limits."""

    pairs: NDArray[np.int64]  # (m, 2): rows of the first and of the second
    distance: NDArray[np.float64]  # (m) Euclidean
    ratio: NDArray[np.float64]  # (m) Lowe's, in both directions; 1 for a tie
    mutual: int  # pairs before the limits
    matrix: Optional[NDArray[np.float64]] = None  # (3, 3): F with x2' F x1 = 0, or H with x2 ~ H x1; None: none found
    inliers: Optional[NDArray[np.bool_]] = None  # (m) which pairs agree with the matrix

    def __len__(self) -> int:
        return len(self.pairs)


class Picture:
    """A picture opened once, to find and describe keypoints in: what `detect` and `Model.describe_image` use."""

    def __init__(self, image: Any, **options: Any) -> None:
        chosen = _native.PictureOptions()
        for name, value in options.items():
            if name.startswith("_") or not hasattr(chosen, name):
                known = ", ".join(n for n in dir(chosen) if not n.startswith("_"))
                raise UsageError(f"{name}: expected an option of detect(), which are {known}")
            try:
                setattr(chosen, name, value)
            except (TypeError, OverflowError):
                raise UsageError(f"{name}: expected {type(getattr(chosen, name)).__name__}, found {value!r}") from None
        self._patch_size = int(chosen.size)
        if isinstance(image, (str, bytes, os.PathLike)):
            self.native = _native.Picture(checks.path(image, "image"), chosen)
        else:
            self.native = _native.Picture.from_pixels(_grey(image), "image", chosen)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height."""
        return self.native.width, self.native.height

    def detect(self) -> Keypoints:
        return Keypoints(self.native.detect())

    def place(self, keypoints: Any) -> Keypoints:
        """Keypoints of any form, those without an angle oriented."""
        if isinstance(keypoints, Keypoints):
            return keypoints
        if isinstance(keypoints, (list, tuple)) and keypoints and hasattr(keypoints[0], "pt"):
            return Keypoints.from_opencv(keypoints)
        rows = view(keypoints, "keypoints")
        if rows.ndim != 2 or rows.shape[1] not in (3, 4, 5):
            raise UsageError(f"keypoints: expected rows (x, y, sigma), (x, y, sigma, angle) or with a strength, found {shape_text(rows)}")
        given = numbers(rows, "keypoints", np.float64, rows.shape[1])
        whole = np.zeros((len(given), 5))
        whole[:, : given.shape[1]] = given
        placed = Keypoints(whole)
        return Keypoints(self.native.orient(placed.rows)) if given.shape[1] == 3 else placed

    def cut(self, keypoints: Any) -> NDArray[np.uint8]:
        """The patches around keypoints, uint8 (n, 32, 32)."""
        return self.native.cut(self.place(keypoints).rows, self._patch_size)


def _grey(image: Any) -> NDArray[np.float32]:
    pixels = view(image, "image")
    colour = pixels.ndim == 3 and pixels.shape[2] == 3
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[:, :, 0]
    if (pixels.dtype != np.uint8 and pixels.dtype.kind != "f") or not (pixels.ndim == 2 or colour) or 0 in pixels.shape:
        raise UsageError(f"image: expected a file, or uint8 or float (0 to 255) pixels (height, width) or (height, width, 3) in RGB, "
                         f"found {shape_text(pixels)}")
    if max(pixels.shape[:2]) > 1 << 15:
        raise UsageError(f"image: expected at most {1 << 15} pixels along a side, found {shape_text(pixels)}")
    if pixels.dtype.kind == "f" and not np.isfinite(pixels).all():
        raise UsageError("image: expected finite pixels, found NaN or infinity")
    grey: NDArray[np.float32] = np.ascontiguousarray(pixels @ _GREY if colour else pixels, dtype=np.float32)
    return grey


def detect(image: Any, **options: Any) -> Keypoints:
    """The keypoints of a picture: a JPEG, PNG, PGM or BMP file, or pixels (height, width), or (height, width, 3) in RGB.

    Options, with the program's defaults: detector ("dog", "hessian", "harris"), max_keypoints, upright, region_factor,
    min_contrast, min_sigma, max_overlap, max_side (larger pictures are halved), as_stored (pixels as the file has them,
    whatever EXIF says).

    >>> len(detect(np.zeros((64, 64), np.uint8)))       # nothing to be seen
    0
    """
    return Picture(image, **options).detect()


def _descriptors(side: Any, name: str) -> NDArray[np.float32]:
    return numbers(side.descriptors if isinstance(side, Features) else side, name, np.float32, -1, kinds="f")


def match(first: Any, second: Any, *, ratio: float = 1.0, max_distance: float = math.inf, geometry: str = "none",
          threshold: float = 2.0) -> Matches:
    """Nearest neighbours of each other between two `Features`, or two arrays of descriptors (n, d).

    ratio and max_distance keep the better ones. geometry: "fundamental" or "homography" also finds which of them agree
    on one, by OpenCV's MAGSAC++ as the program does it (needs cv2 and `Features`); threshold in pixels.

    >>> rows = np.eye(3, dtype=np.float32)
    >>> match(rows, rows[::-1].copy()).pairs.tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    a, b = _descriptors(first, "first"), _descriptors(second, "second")
    if a.shape[1] != b.shape[1] or a.shape[1] == 0:
        raise UsageError(f"first and second: expected descriptors of one length, 1 or more, found {a.shape[1]} and {b.shape[1]} numbers")
    checks.real(ratio, "ratio", 0, 1), checks.real(max_distance, "max_distance"), checks.real(threshold, "threshold")
    if checks.text(geometry, "geometry") not in ("none", "fundamental", "homography"):
        raise UsageError(f"geometry = {geometry!r}, must be one of fundamental, homography, none")
    pairs, distance, quality = _native.match(a, b)
    kept = (quality <= ratio) & (distance <= max_distance)
    matches = Matches(pairs[kept], distance[kept], quality[kept], len(pairs))
    if geometry == "none":
        return matches
    if not isinstance(first, Features) or not isinstance(second, Features):
        raise UsageError(f"geometry = {geometry!r}: expected two Features, which know where their keypoints are, found "
                         f"{type(first).__name__} and {type(second).__name__}")
    return _with_geometry(matches, first.keypoints.xy[matches.pairs[:, 0]], second.keypoints.xy[matches.pairs[:, 1]], geometry, threshold)


def _with_geometry(matches: Matches, a: NDArray[np.float64], b: NDArray[np.float64], geometry: str, threshold: float) -> Matches:
    try:
        import cv2
    except ImportError:
        raise Error(f"geometry = {geometry!r}: expected OpenCV for Python, found no module cv2 - install python3-opencv, "
                    "or ask for geometry='none'") from None
    none = Matches(matches.pairs, matches.distance, matches.ratio, matches.mutual, None, np.zeros(len(matches), bool))
    if len(matches) < _native.fewest_matches(geometry):
        return none
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    if geometry == "homography":
        found, _ = cv2.findHomography(a, b, cv2.USAC_MAGSAC, threshold, maxIters=10000, confidence=0.9999)
    else:
        found, _ = cv2.findFundamentalMat(a, b, cv2.USAC_MAGSAC, threshold, 0.9999, 10000)
    if found is None or found.shape != (3, 3) or not np.isfinite(found).all() or not found.any():
        return none
    matrix = found / math.sqrt(sum(v * v for v in found.ravel().tolist()))
    inliers = _native.inliers(geometry, matrix.ravel().tolist(), a, b, threshold)
    return Matches(matches.pairs, matches.distance, matches.ratio, matches.mutual, matrix, inliers)
