#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a patch store (docs/formats.md) of random bytes: for measuring, where pictures do not matter. Standard library only.

Usage: random_store.py FOLDER CLASSES PATCHES_A_CLASS
"""
import json
import os
import struct
import sys


def write_npy(path, dtype, shape, chunks):
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({', '.join(map(str, shape))},), }}"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117).encode() + b"\n")
        for chunk in chunks:
            file.write(chunk)


def main():
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    folder, classes, views = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    writing = f"{folder}.writing-{os.getpid()}"
    os.makedirs(writing)
    write_npy(f"{writing}/patches.npy", "|u1", (classes * views, 32, 32), (os.urandom(views * 1024) for _ in range(classes)))
    write_npy(f"{writing}/classes.npy", "<i8", (classes + 1,), (struct.pack("<q", i * views) for i in range(classes + 1)))
    with open(f"{writing}/meta.json", "w", encoding="utf-8") as file:
        json.dump({"source": "random bytes"}, file)
    os.rename(writing, folder)  # fails where a store stands already


if __name__ == "__main__":
    main()
