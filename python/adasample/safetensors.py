# SPDX-License-Identifier: Apache-2.0
"""Weights as files: the few lines of safetensors that a network of PyTorch's needs."""
from __future__ import annotations

import json
import os
import struct
from typing import Any, Mapping

import numpy as np
from numpy.typing import NDArray

from .checks import Path
from .errors import Error

_TYPES: dict[str, np.dtype[Any]] = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "I64": np.dtype("<i8")}
_MOST_HEADER = 100 << 20


def read(file: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Arrays and metadata. Raises `adasample.Error` that says what is wrong with the file."""
    def fail(found: str) -> Error:
        return Error(f"{os.fspath(file)}: expected weights (safetensors), found {found}")

    try:
        with open(file, "rb") as opened:
            data = opened.read()
    except OSError as error:
        raise Error(f"{os.fspath(file)}: {error.strerror}") from None
    length = struct.unpack("<Q", data[:8])[0] if len(data) >= 8 else 0
    if not 2 <= length <= min(_MOST_HEADER, len(data) - 8):
        raise fail(f"{len(data)} bytes that say nothing of tensors")
    try:
        header = json.loads(data[8 : 8 + length])
        metadata = {str(k): str(v) for k, v in header.pop("__metadata__", {}).items()}
        arrays = {}
        for name, entry in header.items():
            begin, end = entry["data_offsets"]
            array = np.frombuffer(data[8 + length :][begin:end], _TYPES[entry["dtype"]])
            arrays[name] = array.reshape(entry["shape"])
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise fail(f"a damaged header or tensor ({error})") from None
    return arrays, metadata


def write(file: Path, arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> None:
    """Writes a new file; complete or absent."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    blobs, at = [], 0
    for name, array in sorted(arrays.items()):
        kind = "I64" if array.dtype.kind == "i" else "F32"
        blob = np.ascontiguousarray(array, dtype=_TYPES[kind]).tobytes()
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + len(blob)]}
        at += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    work = f"{os.fspath(file)}.{os.getpid()}.tmp"
    try:
        with open(work, "xb") as out:
            out.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))
            out.flush()
            os.fsync(out.fileno())
        os.link(work, file)  # refuses a name that is taken
    except FileExistsError:
        raise Error(f"{os.fspath(file)}: exists already, and nothing is overwritten") from None
    except OSError as error:
        raise Error(f"{os.fspath(file)}: {error.strerror}") from None
    finally:
        if os.path.exists(work):
            os.remove(work)
