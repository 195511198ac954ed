# SPDX-License-Identifier: Apache-2.0
"""Whatever holds numbers, as a NumPy array: nothing is copied, and what does not fit is refused in one line."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from .errors import UsageError

_CPU, _PINNED = 1, 3  # DLPack's numbers of devices whose memory the CPU reads


def is_tensor(value: object) -> bool:
    """Whether it is a torch.Tensor, without importing torch."""
    return any(kind.__module__ == "torch" and kind.__name__ == "Tensor" for kind in type(value).__mro__)


def view(value: Any, name: str) -> NDArray[Any]:
    """The memory of a NumPy array, a torch tensor, or of anything with DLPack or the buffer protocol."""
    if isinstance(value, np.ndarray):
        return value
    try:
        if is_tensor(value):
            if value.device.type != "cpu":
                raise UsageError(f"{name}: expected a tensor in the CPU's memory, found one on {value.device} - call .cpu()")
            array: NDArray[Any] = value.detach().numpy()
            return array
        if hasattr(value, "__dlpack_device__"):
            device = int(value.__dlpack_device__()[0])
            if device not in (_CPU, _PINNED):
                raise UsageError(f"{name}: expected memory of the CPU, found DLPack device {device} - copy it to the CPU")
            return np.from_dlpack(value)
        return np.asarray(value)
    except (TypeError, RuntimeError, BufferError, ValueError) as error:
        if isinstance(error, UsageError):
            raise
        raise UsageError(f"{name}: expected an array of numbers, found {type(value).__name__} ({error})") from None


def like(result: NDArray[Any], value: object) -> Any:
    """The result as a tensor where the argument was one; they share their memory."""
    if not is_tensor(value):
        return result
    import torch

    return torch.from_numpy(result)


def shape_text(array: NDArray[Any]) -> str:
    """float32 (2, 3), for messages."""
    return f"{array.dtype} {tuple(array.shape)}"


def contiguous(array: NDArray[Any], name: str) -> NDArray[Any]:
    """The array itself, if it lies in one piece: a copy is for the caller to make, who knows how large it is."""
    if not array.flags.c_contiguous or not array.flags.aligned:
        raise UsageError(f"{name}: expected numbers one after another (C order), found {shape_text(array)} with strides "
                         f"{array.strides} - copy them first: numpy.ascontiguousarray(..), or .contiguous() of a tensor")
    return array


def patches_of(value: Any, name: str = "patches", copy: bool = False) -> NDArray[np.uint8]:
    """uint8 (n, s, s) of (n, s, s) or (n, 1, s, s). copy: whether those that lie here and there are copied, or refused."""
    array = view(value, name)
    hint = " - patches of 0 to 1 are (255 * x).round().to(uint8)" if array.dtype.kind == "f" else ""
    square = array.ndim in (3, 4) and array.shape[-1] == array.shape[-2] and (array.ndim == 3 or array.shape[1] == 1)
    if array.dtype != np.uint8 or not square:
        raise UsageError(f"{name}: expected uint8 (n, 32, 32) or (n, 1, 32, 32), found {shape_text(array)}{hint}")
    if array.shape[0] == 0 or array.shape[-1] == 0:
        raise UsageError(f"{name}: expected at least one patch, found {shape_text(array)}")
    array = np.ascontiguousarray(array) if copy else contiguous(array, name)
    return array.reshape(array.shape[0], array.shape[-2], array.shape[-1])


def numbers(value: Any, name: str, dtype: Any, columns: Optional[int] = None, kinds: str = "fiu") -> NDArray[Any]:
    """Finite numbers as `dtype`, (n) or, with columns (-1: any number of them), (n, columns); converted where they are others."""
    array = view(value, name)
    if array.dtype.kind not in kinds:
        raise UsageError(f"{name}: expected numbers, found {shape_text(array)}")
    wanted = "(n)" if columns is None else "(n, d)" if columns < 0 else f"(n, {columns})"
    if array.ndim != (1 if columns is None else 2) or (columns is not None and columns >= 0 and array.shape[1] != columns):
        raise UsageError(f"{name}: expected {wanted}, found {shape_text(array)}")
    converted: NDArray[Any] = np.ascontiguousarray(array, dtype=dtype)
    if converted.dtype.kind == "f" and not np.isfinite(converted).all():
        where = np.argwhere(~np.isfinite(converted))[0]
        raise UsageError(f"{name}: expected finite numbers, found {converted[tuple(where)]} at {tuple(int(i) for i in where)}")
    return converted
