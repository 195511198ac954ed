# SPDX-License-Identifier: Apache-2.0
"""A reconstruction by pycolmap from adasample's keypoints and matches: python3 pycolmap_reconstruct.py photos out"""
import itertools
import pathlib
import sys

import adasample
import numpy as np
import pycolmap


def fill_database(database_path, images, model, ratio=0.95):
    """Keypoints of every picture in the database and matches of every pair; the names of the pairs."""
    pycolmap.import_images(database_path, images)
    database = pycolmap.Database(database_path)
    described = {}
    for image in database.read_all_images():
        found = model.describe_image(pathlib.Path(images) / image.name, as_stored=True)  # COLMAP ignores EXIF's orientation
        # COLMAP's pixel centres lie at halves.
        rows = np.column_stack([found.keypoints.xy + 0.5, found.keypoints.sigma, found.keypoints.angle])
        database.write_keypoints(image.image_id, rows.astype(np.float32))
        described[image.image_id] = (image.name, found)
    pairs = []
    for (i, (name_i, a)), (j, (name_j, b)) in itertools.combinations(described.items(), 2):
        matches = adasample.match(a, b, ratio=ratio)
        database.write_matches(i, j, matches.pairs.astype(np.uint32))
        pairs.append((name_i, name_j))
    database.close()
    return pairs


def reconstruct(images, out, model):
    out = pathlib.Path(out)
    out.mkdir()
    database_path, pairs_path = out / "database.db", out / "pairs.txt"
    pairs = fill_database(database_path, images, model)
    pairs_path.write_text("".join(f"{a} {b}\n" for a, b in pairs))
    pycolmap.verify_matches(database_path, pairs_path)
    return pycolmap.incremental_mapping(database_path, images, out)


if __name__ == "__main__":
    for number, reconstruction in reconstruct(sys.argv[1], sys.argv[2], adasample.load()).items():
        print(number, reconstruction.summary())
