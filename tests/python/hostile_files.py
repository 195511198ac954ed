# SPDX-License-Identifier: Apache-2.0
"""Files that are wrong in one thing each, for every reader."""
import json, os, pickle, struct, zipfile, zlib

from hostile_case import REFUSED, TAKEN, Case
from hostile_makers import *

NAN, INF = float("nan"), float("inf")


def add_npy():
    pixels = bytes(range(256)) * 4
    good = lambda **k: npy("'|u1'", "(1, 32, 32)", pixels, **k)
    for name, content in {
        "fortran order": good(order="True"),
        "big-endian numbers": npy("'>f4'", "(1, 32, 32)", bytes(4096)),
        "Python objects": npy("'|O'", "(1,)", pickle.dumps(Evil())),
        "a structure for a dtype": npy("[('a', '<f4'), ('b', '<i8')]", "(1,)", bytes(12)),
        "a negative extent": npy("'|u1'", "(-1, 32, 32)", pixels),
        "extents whose product wraps round": npy("'|u1'", "(4294967296, 4294967296, 16)", pixels),
        "an extent of 30 digits": npy("'|u1'", "(" + "9" * 30 + ", 32, 32)", pixels),
        "no dimension": npy("'|u1'", "()", b"1"),
        "a thousand dimensions": npy("'|u1'", "(" + "1, " * 1000 + ")", b"1"),
        "no patch": npy("'|u1'", "(0, 32, 32)"),
        "patches of no width": npy("'|u1'", "(1, 0, 0)"),
        "patches that are not square": npy("'|u1'", "(1, 32, 31)", bytes(32 * 31)),
        "patches of 33 pixels": npy("'|u1'", "(1, 33, 33)", bytes(33 * 33)),
        "version 9": b"\x93NUMPY\x09\0" + good()[8:],
        "a header longer than the file": b"\x93NUMPY\x02\0\xff\xff\xff\xff{'descr'",
        "a header without an end": npy("", "", header="{'descr': '|u1', 'fortran_order': False, 'shape': (1, 32, 32"),
        "a key twice": npy("", "", header="{'descr': '|u1', 'descr': '<f8', 'fortran_order': False, 'shape': (4,), }"),
        "code in the header": npy(
            "", "", header="{'descr': '|u1', 'fortran_order': False, 'shape': __import__('os').system('touch pwned'), }"
        ),
        "one byte too many": good() + b"x",
        "one byte too few": good()[:-1],
    }.items():
        Case("npy: " + name, "describe --patches x.npy --out o.npy", {"x.npy": content})
        if name in ("Python objects", "code in the header"):
            Case(
                "npy, calibration: " + name,
                "calibrate --model default --patches x.npy --out o.safetensors",
                {"x.npy": content},
            )
    row = [0.0] * 128
    for name, value in {"NaN": NAN, "infinity": INF, "minus infinity": -INF}.items():
        bad = floats((row[:5] + [value] + row[6:]) * 300)
        Case(
            "descriptors with " + name,
            "eval phototour --root phototour --descriptors d.npy",
            {"d.npy": npy("'<f4'", "(300, 128)", bad)},
        )


def add_pictures():
    describe = "describe --images %s --out o.npy"
    zeros = zlib.compress(bytes(1 << 20), 9)
    for name, file, content in [
        ("PNG of 65,535 x 65,535 in a hundred bytes", "x.png", png(65535, 65535)),
        ("PNG that inflates to 4 GB", "x.png", png(30000, 30000, b"")),
        ("interlaced PNG of 50,000 x 50,000", "x.png", png(50000, 50000, bytes(1000), interlace=1)),
        ("PNG of one bit, 16,384 x 16,384, in 200 bytes", "x.png", png(16384, 16384, b"\0", depth=1)),
        ("PNG without pixels", "x.png", b"\x89PNG\r\n\x1a\n" + png_chunk(b"IEND", b"")),
        ("PNG of no width", "x.png", png(0, 8, b"")),
        ("PNG with a palette that is missing", "x.png", png(8, 8, (b"\0" + bytes(8)) * 8, colour=3)),
        (
            "PNG whose text chunk inflates to gigabytes",
            "x.png",
            png(8, 8, b"", extra=png_chunk(b"zTXt", b"a\0\0" + zeros * 8)),
        ),
        ("PNG with a profile that inflates", "x.png", png(8, 8, b"", extra=png_chunk(b"iCCP", b"a\0\0" + zeros))),
        ("PNG with a chunk of 2 GB", "x.png", b"\x89PNG\r\n\x1a\n\x7f\xff\xff\xffIHDR" + bytes(30)),
        (
            "JPEG of 65,500 x 65,500 in 200 bytes",
            "x.jpg",
            b"\xff\xd8\xff\xc0\0\x0b\x08\xff\xdc\xff\xdc\1\1\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0"
            + bytes(100)
            + b"\xff\xd9",
        ),
        (
            "JPEG of no height",
            "x.jpg",
            b"\xff\xd8\xff\xc0\0\x0b\x08\0\0\0\x20\1\1\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0" + bytes(100) + b"\xff\xd9",
        ),
        (
            "JPEG with components that all differ",
            "x.jpg",
            b"\xff\xd8\xff\xc0\0\x11\x08\0\x20\0\x20\3\1\x41\0\2\x14\0\3\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0\0\xff\xd9",
        ),
        (
            "JPEG of 12 bits",
            "x.jpg",
            b"\xff\xd8\xff\xc1\0\x0b\x0c\0\x20\0\x20\1\1\x11\0\xff\xda\0\x08\1\1\0\0\x3f\0\0\xff\xd9",
        ),
        ("JPEG segment that points at itself", "x.jpg", b"\xff\xd8\xff\xe1\0\0\xff\xd9"),
        (
            "BMP of 30,000 x 30,000 in 60 bytes",
            "x.bmp",
            b"BM" + struct.pack("<IIIIiiHHIIiiII", 60, 0, 54, 40, 30000, 30000, 1, 24, 0, 0, 0, 0, 0, 0),
        ),
        (
            "BMP of height -2147483648",
            "x.bmp",
            b"BM" + struct.pack("<IIIIiiHHIIiiII", 60, 0, 54, 40, 8, -2147483648, 1, 8, 0, 0, 0, 0, 0, 0),
        ),
        (
            "BMP compressed by runs",
            "x.bmp",
            b"BM"
            + struct.pack("<IIIIiiHHIIiiII", 60, 0, 54, 40, 20000, 20000, 1, 8, 1, 0, 0, 0, 0, 0)
            + b"\xff\x01" * 50,
        ),
        ("PGM of 65,536 x 65,536", "x.pgm", b"P5 65536 65536 255\n"),
        ("PGM whose largest value is 0", "x.pgm", b"P5 8 8 0\n" + bytes(64)),
        ("PGM with a comment that never ends", "x.pgm", b"P5 #" + b"x" * 1_000_000),
        ("PGM of text with a number of a million digits", "x.pgm", b"P2 8 8 255 " + b"9" * 1_000_000),
        ("TIFF of 60,000 x 60,000", "x.tif", tiff([(256, 60000), (257, 60000), (258, 8), (262, 1)])),
        ("TIFF of 16,000 x 16,000 in 100 bytes", "x.tif", tiff([(256, 16000), (257, 16000), (258, 8), (262, 1)])),
        (
            "TIFF of 8 x 8 with a tile of a terabyte",
            "x.tif",
            tiff([(256, 8), (257, 8), (258, 8), (262, 1), (322, 1 << 20), (323, 1 << 20)]),
        ),
        ("TIFF whose folder is outside", "x.tif", b"II*\0\xff\xff\xff\x7f"),
        (
            "TIFF with strips outside",
            "x.tif",
            tiff(
                [
                    (256, 64),
                    (257, 64),
                    (258, 8),
                    (259, 1),
                    (262, 1),
                    (273, 0x7FFFFFF0),
                    (277, 1),
                    (278, 64),
                    (279, 4096),
                ]
            ),
        ),
        ("TIFF without strips", "x.tif", tiff([(256, 64), (257, 64), (258, 8), (262, 1)])),
        (
            "WebP of 16,383 x 16,383 in 40 bytes",
            "x.webp",
            b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8L" + struct.pack("<I", 10) + b"\x2f\xff\xff\xff\xff\0\0\0\0\0",
        ),
        (
            "WebP canvas of 2^24 squared",
            "x.webp",
            b"RIFF" + struct.pack("<I", 22) + b"WEBPVP8X" + struct.pack("<I", 10) + bytes(4) + b"\xff" * 6,
        ),
        ("PPM of 65,536 x 65,536", "x.ppm", b"P6 65536 65536 255\n"),
        ("PPM that ends early", "x.ppm", b"P6 64 64 255\n" + bytes(100)),
        ("JPEG 2000", "x.jp2", b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(200)),
        ("OpenEXR", "x.tif", b"\x76\x2f\x31\x01" + bytes(200)),
        ("Radiance", "x.tif", b"#?RADIANCE\n\n-Y 30000 +X 30000\n"),
        ("DICOM", "x.tif", bytes(128) + b"DICM" + bytes(500)),
        (
            "a GDAL dataset that names another file",
            "x.tif",
            b'<VRTDataset rasterXSize="8" rasterYSize="8"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
            b"<SourceFilename>/etc/passwd</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>",
        ),
        ("SVG", "x.png", b"<svg xmlns='http://www.w3.org/2000/svg'><image href='file:///etc/passwd'/></svg>"),
        ("PostScript", "x.png", b"%!PS\n(/etc/passwd) run\n"),
        ("a picture of one pixel", "x.pgm", b"P5 1 1 255\nx"),
        ("a picture of one row", "x.pgm", b"P5 3000 1 255\n" + bytes(3000)),
        ("a flat picture", "x.pgm", b"P5 96 64 255\n" + bytes(96 * 64)),
    ]:
        Case("picture: " + name, describe % file, {file: content})
    Case(
        "a folder with one bad picture of many, described",
        "describe --images photographs --out o.npy",
        {"photographs/bad.png": png(65535, 65535)},
    )
    Case(
        "a folder with one bad picture of many, checked",
        "data check photographs",
        {"photographs/bad.png": png(65535, 65535)},
        codes=(1,),
        says="bad.png",
    )
    Case(
        "a folder with one bad picture of many, made into a store",
        "data images --images photographs --detector dog --views 2 --out o",
        {"photographs/bad.jp2": b"rubbish"},
        codes=TAKEN,
        writes=("o",),
    )
    Case(
        "a sparse PGM of 2 GB",
        "describe --images x.pgm --out o.npy",
        before=lambda f: sparse(f / "x.pgm", b"P5 46340 46340 255\n", 46340 * 46340 + 19),
    )
    Case(
        "EXIF that points at itself, for COLMAP",
        "colmap --images e --detector dog --database o.db",
        {
            "e/x.jpg": b"\xff\xd8\xff\xe1\0\x22Exif\0\0II*\0\x08\0\0\0\1\0\x69\x87\x04\0\1\0\0\0\x08\0\0\0\0\0\0\0\xff\xd9"
        },
    )
    Case("match: a picture with itself, flat", "match x.pgm x.pgm", {"x.pgm": b"P5 96 64 255\n" + bytes(96 * 64)})


def sparse(path, head, size):
    path.write_bytes(head)
    os.truncate(path, size)


def add_weights(default):
    arrays, metadata = read_safetensors(default)
    first = next(name for name in arrays if name.endswith("weight"))
    variance = next((name for name in arrays if "var" in name), first)
    describe = "describe --images photographs/a.pgm --model x.safetensors --out o.npy"

    def changed(name, value, at=0):
        dtype, shape, content = arrays[name]
        size = 2 if dtype == "F16" else 4
        content = bytearray(content)
        content[at * size : (at + 1) * size] = struct.pack("<e" if size == 2 else "<f", value)
        return {**arrays, name: (dtype, shape, bytes(content))}

    for name, content in {
        "a weight that is NaN": safetensors(changed(first, NAN), metadata),
        "a weight that is infinite": safetensors(changed(first, INF), metadata),
        "the last weight of all NaN": safetensors(
            changed(
                list(arrays)[-1],
                NAN,
                len(list(arrays.values())[-1][2]) // (2 if list(arrays.values())[-1][0] == "F16" else 4) - 1,
            ),
            metadata,
        ),
        "a negative variance": safetensors(changed(variance, -5.0), metadata),
        "a shape that is not its bytes": safetensors(
            {**arrays, first: (arrays[first][0], [1, 1], arrays[first][2])}, metadata
        ),
        "an array missing": safetensors({k: v for k, v in arrays.items() if k != first}, metadata),
        "an array too many": safetensors({**arrays, "more": ("F32", [1], bytes(4))}, metadata),
        "a dtype of its own": safetensors({**arrays, first: ("F9", arrays[first][1], arrays[first][2])}, metadata),
        "a negative extent": safetensors({**arrays, first: ("F32", [-1, 4], arrays[first][2])}, metadata),
        "extents that wrap round": safetensors({**arrays, first: ("F32", [1 << 32, 1 << 32], b"")}, metadata),
        "a header of 2^63 bytes": struct.pack("<Q", 1 << 63) + b"{}",
        "a header that is a list": safetensors({}, header=b"[]"),
        "offsets backwards": safetensors(
            {}, header=b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}', data=bytes(4)
        ),
        "arrays that overlap": safetensors(
            {},
            header=b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
            data=bytes(4),
        ),
        "a hole between arrays": safetensors(
            {}, header=b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}', data=bytes(8)
        ),
        "a name twice": safetensors(
            {},
            header=b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}',
            data=bytes(4),
        ),
        "metadata that is a number": safetensors(arrays, 7),
        "metadata with deep JSON in it": safetensors(arrays, {"a": deep("[", "]", 200000)}),
        "a name that acts on the screen": safetensors({"\x1b[2J\u202e": ("F32", [1], bytes(4))}, metadata),
        "a name of a megabyte": safetensors({"n" * 1_000_000: ("F32", [1], bytes(4))}, metadata),
    }.items():
        good = name == "metadata with deep JSON in it"
        Case(
            "weights: " + name,
            describe,
            {"x.safetensors": content},
            codes=TAKEN + REFUSED if good else REFUSED,
            writes=("o.npy", "o.keypoints.csv") if good else (),
        )
    for name, content in {
        "a weight that is NaN": safetensors(changed(first, NAN), metadata),
        "a negative variance": safetensors(changed(variance, -5.0), metadata),
    }.items():
        for command in (
            "export --model x.safetensors --to onnx --out o.onnx",
            "export --model x.safetensors --to safetensors --out o.safetensors",
            "calibrate --model x.safetensors --patches store --out o.safetensors",
            "import x.safetensors --out o.safetensors",
            "check --model x.safetensors --count 2",
            "match photographs/a.pgm photographs/b.pgm --model x.safetensors",
            "eval patches --data store --model x.safetensors --pairs 10",
        ):
            Case("weights, %s: %s" % (command.split(" -")[0], name), command, {"x.safetensors": content})
        Case(
            "weights, train --init: " + name,
            "train --data store --init x.safetensors --batch 4 --k 2 --iterations 1 --out o",
            {"x.safetensors": content},
            torch=True,
        )

    ranges = "int8_ranges"
    if ranges in metadata:
        words = metadata[ranges].split(" ")
        for name in ("nan", "inf", "-1", "0", "1e39", "1e-46", "x", ""):
            text = " ".join(words[:1] + [name] + words[2:])
            Case(
                "ranges for int8 with '%s'" % name,
                "describe --images photographs/a.pgm --engine simd-int8 --model x.safetensors --out o.npy",
                {"x.safetensors": safetensors(arrays, {**metadata, ranges: text})},
            )
        Case(
            "ranges for int8 without any",
            "describe --images photographs/a.pgm --engine simd-int8 --model x.safetensors --out o.npy",
            {"x.safetensors": safetensors(arrays, {**metadata, ranges: "[]"})},
        )


def add_imports():
    imports = "import x.pth --out o.safetensors"
    for name, content in {
        "a pickle that runs a command": torch_zip(pickle.dumps(Evil())),
        "an old pickle that runs a command": pickle.dumps(Evil(), 2),
        "a pickle nested 100,000 deep": torch_zip(b"\x80\x02" + b"(" * 100_000 + b"l" * 100_000 + b"."),
        "a pickle that names getattr": torch_zip(b"\x80\x02cbuiltins\ngetattr\n(X\1\0\0\0aX\1\0\0\0btR."),
        "a pickle that names a module by steps": torch_zip(b"\x80\x02ctorch._utils\n_rebuild_tensor_v2.__globals__\n."),
        "a memo of two billion": torch_zip(b"\x80\x02}r\xff\xff\xff\x7f."),
        "a string of 4 GB": torch_zip(b"\x80\x02X\xff\xff\xff\xffabc"),
        "a bytes object of 2^62": torch_zip(b"\x80\x04\x8e" + struct.pack("<Q", 1 << 62) + b"a."),
        "a pickle that never ends": torch_zip(b"\x80\x02" + b"]0" * 500_000),
        "lists that hold themselves": torch_zip(b"\x80\x02]q\0h\0a."),
        "a long of a million bytes": torch_zip(
            b"\x80\x02\x8b" + struct.pack("<i", 1_000_000) + b"\x7f" * 1_000_000 + b"."
        ),
        "a zip bomb": torch_zip(b"\0" * 200_000_000, compress=zipfile.ZIP_DEFLATED),
        "a zip with 60,000 entries": torch_zip(b"\x80\x02}.", [("a/%d" % i, b"") for i in range(60_000)]),
        "a zip with names that lead out": torch_zip(b"\x80\x02}.", name="../../data.pkl"),
        "a zip whose end says 2^32 entries": torch_zip(b"\x80\x02}.")[:-22] + b"PK\5\6" + b"\xff" * 16 + b"\0\0",
        "a zip without its end": torch_zip(b"\x80\x02}.")[:-10],
        "a tar of old": b"0" * 257 + b"ustar" + bytes(250),
    }.items():
        Case("import: " + name, imports, {"x.pth": content})


def add_text():
    keypoints = "describe --images photographs --keypoints k.csv --out o.npy"
    head = "file,x,y,scale,angle\n"
    for name, text in {
        "NaN for a place": head + "a.pgm,nan,3,2,0\n",
        "infinity for a scale": head + "a.pgm,3,3,inf,0\n",
        "a scale of 0": head + "a.pgm,30,30,0,0\n",
        "a negative scale": head + "a.pgm,30,30,-2,0\n",
        "a scale of 1e30": head + "a.pgm,30,30,1e30,0\n",
        "a place at 1e30": head + "a.pgm,1e30,30,2,0\n",
        "an angle of 1e300": head + "a.pgm,30,30,2,1e300\n",
        "a name that leads out": head + "../secret.pgm,30,30,2,0\n",
        "an absolute name": head + "/etc/passwd,30,30,2,0\n",
        "a folder for a name": head + ".,30,30,2,0\n",
        "no name": head + ",30,30,2,0\n",
        "a name with a zero byte": head + "a\0.pgm,30,30,2,0\n",
        "a name that acts on the screen": head + "\x1b[2J\u202e.pgm,30,30,2,0\n",
        "a name with an Arabic letter mark": head + "\u061cx.pgm,30,30,2,0\n",
        "a name that is no UTF-8": (head + "\udcff\udcfe.pgm,30,30,2,0\n"),
        "too few fields": head + "a.pgm,30,30\n",
        "a million fields": head + "a.pgm" + ",1" * 1_000_000 + "\n",
        "another header": "x;y\n1;2\n",
        "lines that end with CR alone": (head + "a.pgm,30,30,2,0\n").replace("\n", "\r"),
        "hexadecimal numbers": head + "a.pgm,0x1e,30,2,0\n",
        "numbers with a comma of another country": head + 'a.pgm,"30,5",30,2,0\n',
        "a header and nothing else": head,
    }.items():
        Case(
            "keypoint list: " + name,
            keypoints,
            {"k.csv": text.encode("utf-8", "surrogateescape")},
            before=lambda f: (
                (f / "secret.pgm").write_bytes(pgm()),
                os.symlink("../secret.pgm", f / "photographs/leads-out.pgm"),
            ),
        )
        if "out" in name or "absolute" in name:
            Case(
                "keypoint list for a store: " + name,
                "data images --images photographs --keypoints k.csv --views 2 --out o",
                {"k.csv": text.encode("utf-8", "surrogateescape")},
                before=lambda f: (
                    (f / "secret.pgm").write_bytes(pgm()),
                    os.symlink("../secret.pgm", f / "photographs/leads-out.pgm"),
                ),
            )
    Case(
        "keypoint list for a store: a link that leads out",
        "data images --images photographs --keypoints k.csv --views 2 --out o",
        {"k.csv": (head + "leads-out.pgm,30,30,2,0\n").encode()},
        before=lambda f: (
            (f / "secret.pgm").write_bytes(pgm()),
            os.symlink("../secret.pgm", f / "photographs/leads-out.pgm"),
        ),
    )
    for name, text in {
        "NaN": "nan 0 0 0 1 0 0 0 1",
        "infinity": "1 0 inf 0 1 0 0 0 1",
        "zeros": "0 0 0 0 0 0 0 0 0",
        "one of rank 1": "1 1 1 1 1 1 1 1 1",
        "1e300": "1e300 0 0 0 1e300 0 0 0 1",
        "eight numbers": "1 0 0 0 1 0 0 0",
        "ten numbers": "1 0 0 0 1 0 0 0 1 7",
        "1e-320": "1e-320 0 0 0 1e-320 0 0 0 1e-320",
        "words": "a b c d e f g h i",
        "a horizon through the picture": "1 0 0 0 1 0 -0.02 0 1",
    }.items():
        for command in (
            "eval sequences --images sequence --model untrained",
            "data sequences --images sequence --out o",
            "data redetected --images sequence --out o",
            "data check sequence",
        ):
            odd = name in ("1e300", "1e-320", "a horizon through the picture")  # the second is the identity
            Case(
                "homography, %s: %s" % (command.split(" --")[0], name),
                command,
                {"sequence/H_1_2": text.encode()},
                codes=(TAKEN + REFUSED) if odd else REFUSED,
                writes=("o",) if odd else (),
            )
    for name, text in {
        "one label only": "1,0.5\n1,0.25\n",
        "NaN": "1,nan\n0,0.5\n",
        "infinity": "1,inf\n0,0.5\n",
        "a label of 7": "7,0.5\n0,0.2\n",
        "1e999": "1,1e999\n0,0.5\n",
        "a zero byte": "1,0.5\0\n0,0.5\n",
        "a minus": "1,-\n0,0.5\n",
        "a sum that overflows": "1,1e308\n0,1e308\n1,-1e308\n",
    }.items():
        Case(
            "pairs: " + name,
            "eval pairs --csv x.csv",
            {"x.csv": text.encode()},
            codes=TAKEN + REFUSED if "overflows" in name else REFUSED,
        )
    for name, text in {
        "1e999": '{"fpr95": 1e999}',
        "NaN": '{"fpr95": NaN}',
        "text": '{"fpr95": "0.5"}',
        "a list": "[1]",
        "a key twice": '{"fpr95": 0.5, "fpr95": 0.6',
        "a byte-order mark and no more": "\ufeff",
        "half a letter": '{"fpr95": "\\ud800"}',
        "a number of a million digits": '{"fpr95": ' + "9" * 1_000_000 + "}",
        "a million keys": "{" + ",".join('"k%d":1' % i for i in range(1_000_000)) + "}",
        "an object for a number": '{"fpr95": {"fpr95": {}}}',
        "null": "null",
        "two documents": "{} {}",
        "a comment": '{/* */"fpr95": 1}',
    }.items():
        Case("results: " + name, "eval compare --a x.json --b x.json --value fpr95", {"x.json": text.encode()})
    Case("values: NaN", "eval compare --a nan,1,2 --b 1,2,3")
    Case("values: infinity", "eval compare --a 1,2,3 --b 1,inf,3")
    Case("values: none", "eval compare --a , --b ,")
    Case(
        "a key of a thousand dots",
        ["eval", "compare", "--a", "x.json", "--b", "x.json", "--value", "a." * 1000],
        {"x.json": b"{}"},
    )


def add_stores():
    def meta(change):
        def apply(folder):
            path = folder / "store/meta.json"
            said = json.loads(path.read_text())
            change(said)
            path.write_text(json.dumps(said))

        return apply

    for name, change in {
        "a kind that acts on the screen": lambda m: m.update(source={"kind": "\x1b[2J\u061c"}, kind="\x1b[2J"),
        "counts that are negative": lambda m: m.update(classes=-1, patches=-1),
        "counts that are text": lambda m: m.update(classes="4", patches="x"),
        "a version of 10^30": lambda m: m.update(version=10**30, format=10**30),
        "a million keys": lambda m: m.update({"k%d" % i: i for i in range(300_000)}),
    }.items():
        for command in (
            "data info store",
            "data check store",
            "data show store --out o.png",
            "eval patches --data store --model untrained --pairs 10",
        ):
            Case(
                "store, %s: %s" % (command.split(" st")[0].split(" --")[0], name),
                command,
                before=meta(change),
                codes=TAKEN + REFUSED,
                writes=("o.png",),
            )
    for name, content in {
        "classes that go backwards": npy("'<i8'", "(21,)", struct.pack("<21q", *range(80, -4, -4))),
        "classes beyond the patches": npy("'<i8'", "(21,)", struct.pack("<21q", *[0] + [10**12] * 20)),
        "classes of negative numbers": npy("'<i8'", "(21,)", struct.pack("<21q", *[-5] * 21)),
        "classes as floats": npy("'<f8'", "(21,)", struct.pack("<21d", *[NAN] * 21)),
        "no classes": npy("'<i8'", "(0,)"),
        "2^63 - 1": npy("'<i8'", "(2,)", struct.pack("<2q", 0, 2**63 - 1)),
    }.items():
        for command in (
            "data info store",
            "data check store",
            "data show store --out o.png",
            "eval patches --data store --model untrained --pairs 10",
            "describe --patches store --out o.npy",
        ):
            Case(
                "store, %s: %s" % (command.split(" st")[0].split(" --")[0], name),
                command,
                {"store/classes.npy": content},
            )
        Case(
            "store, train: " + name,
            "train --data store --batch 4 --k 2 --iterations 1 --out o",
            {"store/classes.npy": content},
            torch=True,
        )
    for name, content in {
        "NaN": floats([NAN] * 80),
        "minus one": floats([-1] * 80),
        "infinity": floats([INF] * 80),
    }.items():
        Case("strengths of " + name, "data info store", {"store/strengths.npy": npy("'<f4'", "(80,)", content)})


def add_colmap():
    data = "data colmap --model m --images photographs --database d.db --min-track 2 --min-angle 0 --out o"
    two = (("a.pgm", 2), ("b.pgm", 2))

    def files(model):
        return dict(zip(("m/cameras.bin", "m/images.bin", "m/points3D.bin"), model))

    for name, model in {
        "a name that leads out": colmap_model((("../secret.pgm", 2), ("b.pgm", 2))),
        "an absolute name": colmap_model((("/etc/passwd", 2), ("b.pgm", 2))),
        "a name that acts on the screen": colmap_model((("\x1b]0;x\a\u202e.pgm", 2), ("b.pgm", 2))),
        "a name of 100,000 letters": colmap_model((("n" * 100_000, 2), ("b.pgm", 2))),
        "no name": colmap_model((("", 2), ("b.pgm", 2))),
        "a camera model of 999": colmap_model(two, camera=(999, 96, 64)),
        "a camera of no width": colmap_model(two, camera=(1, 0, 0)),
        "a camera of 2^63": colmap_model(two, camera=(1, 2**63, 2**63)),
        "2^62 points": colmap_model(two, points=2**62),
        "a point with 2^60 keypoints": colmap_model((("a.pgm", 2**60), ("b.pgm", 2))),
        "a track of pictures that are not there": colmap_model(two, track=((7, 0), (9, 1))),
        "a track of keypoints that are not there": colmap_model(two, track=((1, 10**9), (2, 4 * 10**9))),
        "a track of one picture twice": colmap_model(two, track=((1, 0), (1, 0))),
        "a point at NaN": colmap_model(two, place=(NAN, 0, 1)),
        "a point at infinity": colmap_model(two, place=(INF, -INF, 1)),
        "an error of NaN": colmap_model(two, error=NAN),
        "a picture twice": colmap_model((("a.pgm", 2), ("a.pgm", 2))),
    }.items():
        Case(
            "COLMAP model: " + name,
            data,
            files(model),
            before=lambda f: ((f / "secret.pgm").write_bytes(pgm()), database(f / "d.db", name="a.pgm")),
        )
        Case("COLMAP model, checked: " + name, "data check m", files(model), codes=TAKEN + REFUSED)
    good = files(colmap_model(two))
    for name, options in {
        "fewer bytes than rows": dict(rows=1000),
        "rows below zero": dict(rows=-1),
        "columns below zero": dict(cols=-4),
        "rows that wrap round": dict(rows=2**62, cols=4),
        "three columns": dict(cols=3, blob=floats([1, 2, 3, 4, 5, 6])),
        "NaN for a place": dict(blob=floats([NAN, 20, 2, 0, 40, 30, 3, 1])),
        "infinity for a scale": dict(blob=floats([20, 20, INF, 0, 40, 30, 3, 1])),
        "a text for a blob": dict(blob="not a blob at all, but as long"),
        "a view for a table": dict(
            script="ALTER TABLE keypoints RENAME TO k; CREATE VIEW keypoints AS SELECT * FROM k;"
        ),
        "a trigger": dict(script="CREATE TRIGGER t AFTER INSERT ON images BEGIN DELETE FROM images; END;"),
        "a view that never ends": dict(
            script="DROP TABLE keypoints; CREATE VIEW keypoints AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT x AS image_id, 1 AS rows, 4 AS cols, zeroblob(16) AS data FROM c;"
        ),
        "a table missing": dict(script="DROP TABLE images;"),
        "a schema that acts on the screen": dict(script='DROP TABLE keypoints; CREATE TABLE "keypoints\x1b[2J" (a);'),
        "a blob of 600 MB": dict(
            blob=b"", script="UPDATE keypoints SET rows = 39321600, cols = 4, data = zeroblob(629145600);"
        ),
        "a generated column": dict(
            script="DROP TABLE images; CREATE TABLE images (image_id INTEGER PRIMARY KEY, name TEXT AS (upper('a.pgm')), camera_id INTEGER);"
        ),
        "another version of the file": dict(
            script="PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql = 'CREATE TABLE keypoints(' WHERE name = 'keypoints';"
        ),
    }.items():
        make = lambda f, options=options: (database(f / "d.db", **{"name": "a.pgm", **options}))
        Case("COLMAP database: " + name, data, good, before=make)
        odd = name in ("a trigger", "a generated column")
        if name not in ("a blob of 600 MB",):
            Case(
                "COLMAP database, described again: " + name,
                "colmap --images photographs --database d.db --redescribe",
                before=make,
                codes=TAKEN + REFUSED if odd else REFUSED,
            )


def add_runs():
    report = "report run --out o.html"
    for name, file, text in [
        (
            "a metric named as HTML",
            "metrics.jsonl",
            '{"iteration": 1, "<script>alert(1)</script>": 0.5}\n{"iteration": 2, "<script>alert(1)</script>": 0.6}\n',
        ),
        (
            "NaN and infinity",
            "metrics.jsonl",
            '{"iteration": 1, "loss": null}\n{"iteration": 2, "loss": 1e308}\n{"iteration": 3, "loss": -1e308}\n',
        ),
        ("an iteration of 10^300", "metrics.jsonl", '{"iteration": 1e300, "loss": 1}\n'),
        ("iterations that go backwards", "metrics.jsonl", '{"iteration": 9, "loss": 1}\n{"iteration": 1, "loss": 2}\n'),
        ("a negative iteration", "metrics.jsonl", '{"iteration": -5, "loss": 1}\n'),
        ("a metric that is a list", "metrics.jsonl", '{"iteration": 1, "loss": [1, 2]}\n'),
        ("a million lines", "metrics.jsonl", '{"iteration": 1, "loss": 1}\n' * 300_000),
        (
            "an end of script in run.json",
            "run.json",
            '{"command": "</script><script>alert(1)</script>", "version": "<img src=x onerror=alert(1)>"}',
        ),
        ("TOML that is HTML", "config.toml", "a = '<script>alert(1)</script>'\n"),
    ]:
        Case("report: " + name, report, {"run/" + file: text.encode()}, codes=TAKEN + REFUSED, writes=("o.html",))
    Case(
        "report: the same run a thousand times",
        "report " + "run " * 1000 + "--out o.html",
        codes=TAKEN + REFUSED,
        writes=("o.html",),
    )


def add_files(default):
    """`default` is a weights file to spoil."""
    for add in (add_npy, add_pictures, add_imports, add_text, add_stores, add_colmap, add_runs):
        add()
    add_weights(default)
