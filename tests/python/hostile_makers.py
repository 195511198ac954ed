# SPDX-License-Identifier: Apache-2.0
"""Small files of many formats with whatever in them, well formed up to the thing that is asked for."""
import array, io, json, math, os, sqlite3, struct, zipfile, zlib


def npy(descr, shape, data=b"", order="False", version=1, header=None):
    text = header if header is not None else "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    text = text.encode() + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(text))
    return b"\x93NUMPY" + bytes([version, 0]) + length + text + data


def floats(values):
    return array.array("f", values).tobytes()


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, rows=b"", depth=8, colour=0, interlace=0, extra=b""):
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (
        b"\x89PNG\r\n\x1a\n"
        + png_chunk(b"IHDR", head)
        + extra
        + png_chunk(b"IDAT", zlib.compress(rows, 9))
        + png_chunk(b"IEND", b"")
    )


def pgm(width=96, height=64, seed=1):
    """Blobs, so that detectors find something."""
    rows = bytearray(width * height)
    for y in range(height):
        for x in range(width):
            rows[y * width + x] = int(
                127 + 60 * math.sin(x * (0.31 + 0.01 * seed)) * math.cos(y * 0.27) + 40 * math.sin(0.05 * x * y / 9)
            )
    return b"P5 %d %d 255\n" % (width, height) + bytes(rows)


def tiff(tags, more=b""):
    return (
        b"II*\0"
        + struct.pack("<IH", 8, len(tags))
        + b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
        + b"\0\0\0\0"
        + more
    )


def safetensors(arrays, metadata=None, header=None, data=None):
    """arrays: name -> (dtype, shape, bytes)."""
    body, table = b"", {}
    if metadata is not None:
        table["__metadata__"] = metadata
    for name, (dtype, shape, content) in arrays.items():
        table[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(content)]}
        body += content
    text = header if header is not None else json.dumps(table).encode()
    return struct.pack("<Q", len(text)) + text + (body if data is None else data)


def read_safetensors(path):
    raw = path.read_bytes()
    length = struct.unpack("<Q", raw[:8])[0]
    table, body = json.loads(raw[8 : 8 + length]), raw[8 + length :]
    metadata = table.pop("__metadata__", None)
    return {
        name: (entry["dtype"], entry["shape"], body[slice(*entry["data_offsets"])]) for name, entry in table.items()
    }, metadata


def colmap_model(
    images=(("p.pgm", 2),), points=1, camera=(1, 96, 64), track=((1, 0), (2, 1)), error=0.5, place=(0, 0, 1)
):
    """cameras.bin, images.bin, points3D.bin."""
    model, width, height = camera
    cameras = struct.pack("<QIiQQ4d", 1, 1, model, width, height, 100, 100, 48, 32)
    pictures = struct.pack("<Q", len(images))
    for i, (name, seen) in enumerate(images):
        pictures += (
            struct.pack("<I7dI", i + 1, 1, 0, 0, 0, i, 0, 0, 1) + name.encode("utf-8", "surrogateescape") + b"\0"
        )
        pictures += struct.pack("<Q", seen) + b"".join(struct.pack("<ddq", 10 + k, 12, 1) for k in range(min(seen, 4)))
    tracks = b"".join(struct.pack("<II", a, b) for a, b in track)
    cloud = struct.pack("<Q", points) + struct.pack("<Qddd3BdQ", 1, *place, 9, 9, 9, error, len(track)) + tracks
    return cameras, pictures, cloud


def database(path, rows=2, cols=4, blob=None, name="p.pgm", script=""):
    connection = sqlite3.connect(path)
    connection.executescript(
        """
      CREATE TABLE cameras (camera_id INTEGER PRIMARY KEY, model INTEGER, width INTEGER, height INTEGER, params BLOB,
                            prior_focal_length INTEGER);
      CREATE TABLE images (image_id INTEGER PRIMARY KEY, name TEXT, camera_id INTEGER, prior_qw REAL, prior_qx REAL,
                           prior_qy REAL, prior_qz REAL, prior_tx REAL, prior_ty REAL, prior_tz REAL);
      CREATE TABLE keypoints (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
      CREATE TABLE descriptors (image_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
      CREATE TABLE matches (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB);
      CREATE TABLE two_view_geometries (pair_id INTEGER PRIMARY KEY, rows INTEGER, cols INTEGER, data BLOB,
                                        config INTEGER, F BLOB, E BLOB, H BLOB, qvec BLOB, tvec BLOB);"""
    )
    connection.execute("INSERT INTO cameras VALUES (1, 1, 96, 64, ?, 0)", (struct.pack("<4d", 100, 100, 48, 32),))
    connection.execute("INSERT INTO images VALUES (1, ?, 1, 1, 0, 0, 0, 0, 0, 0)", (name,))
    connection.execute(
        "INSERT INTO keypoints VALUES (1, ?, ?, ?)",
        (rows, cols, blob if blob is not None else floats([20, 20, 2, 0, 40, 30, 3, 1])),
    )
    connection.commit()
    if script:
        connection.executescript(script)
    connection.close()


class Evil:
    """A pickle that would run a command."""

    def __reduce__(self):
        return (os.system, ("touch pwned",))


def torch_zip(pickled, entries=(), name="a/data.pkl", compress=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compress) as archive:
        archive.writestr(name, pickled)
        archive.writestr("a/version", "3\n")
        for entry, content in entries:
            archive.writestr(entry, content)
    return out.getvalue()


def deep(opening, closing, times=100_000):
    return opening * times + closing * times
