#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Describes a numpy array of patches through the C API: describe.py patches.npy descriptors.npy [WEIGHTS]

patches.npy: uint8 [n, 32, 32]. descriptors.npy: float32 [n, 128]. WEIGHTS: a file, a run folder, or "default".
The library is found as the system's loader does, or named by ADASAMPLE_LIBRARY=/path/libadasample_engine.so.0.1"""
import ctypes
import os
import sys

import numpy

library = ctypes.CDLL(os.environ.get("ADASAMPLE_LIBRARY", "libadasample_engine.so.0.1"))
library.adasample_last_error.restype = ctypes.c_char_p


def check(status):
    if status != 0:
        sys.exit(library.adasample_last_error().decode(errors="replace"))


class Engine:
    def __init__(self, weights="default", engine=None, threads=0):
        self.handle = ctypes.c_void_p()
        check(library.adasample_create(weights.encode(), engine and engine.encode(), threads, ctypes.byref(self.handle)))

    def __del__(self):
        library.adasample_destroy(self.handle)

    def describe(self, patches):
        size, dimension = library.adasample_patch_size(self.handle), library.adasample_dimension(self.handle)
        patches = numpy.ascontiguousarray(patches)
        if patches.dtype != numpy.uint8 or patches.ndim != 3 or patches.shape[1:] != (size, size):
            sys.exit(f"expected uint8 [n, {size}, {size}], found {patches.dtype} {list(patches.shape)}")
        out = numpy.empty((len(patches), dimension), numpy.float32)
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (patches, out)]
        check(library.adasample_describe(self.handle, pointers[0], ctypes.c_size_t(len(patches)), pointers[1]))
        return out


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    descriptors = Engine(*sys.argv[3:]).describe(numpy.load(sys.argv[1]))
    assert numpy.allclose(numpy.linalg.norm(descriptors, axis=1), 1, atol=1e-5)
    numpy.save(sys.argv[2], descriptors)
    print(f"{len(descriptors)} descriptors of {descriptors.shape[1]} numbers, norm 1")
