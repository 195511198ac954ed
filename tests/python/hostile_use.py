# SPDX-License-Identifier: Apache-2.0
"""Options, names and surroundings that are wrong in one thing each."""
import os

from hostile_case import REFUSED, TAKEN, Case
from hostile_makers import pgm


def add_configuration():
    train = "train --config x.toml --data store --batch 4 --k 2 --iterations 1 --out o"
    for name, text in {
        "NaN for a rate": "lr = nan\n",
        "infinity for a rate": "lr = inf\n",
        "a date": "lr = 2020-01-01\n",
        "a list for a number": "lr = [1, 2]\n",
        "an option that is none": "no-such-option = 1\n",
        "an option twice": "batch = 4\nbatch = 8\n",
        "a table that is a value": "batch = 4\n[batch]\na = 1\n",
        "a number of 400 digits": "batch = " + "9" * 400 + "\n",
        "a text without end": 'out = """' + "x" * 100_000,
        "another configuration": 'config = "x.toml"\n',
        "Latin letters": "lr = 0.1 # \udce4\n",
        "100,000 tables": "".join("[a%d]\n" % i for i in range(100_000)),
        "an out that leads elsewhere": 'out = "../elsewhere"\nno-such = 1\n',
    }.items():
        Case("configuration: " + name, train, {"x.toml": text.encode("utf-8", "surrogateescape")}, torch=True)
    for option in (
        "--lr nan",
        "--lr inf",
        "--lr -1",
        "--momentum nan",
        "--momentum 2",
        "--margin nan",
        "--lambda nan",
        "--lambda -1",
        "--ema 1.5",
        "--ema nan",
        "--dropout 1",
        "--dropout nan",
        "--weight-decay nan",
        "--average-decay nan",
        "--warmup nan",
        "--ramp 2",
        "--duplicates nan",
        "--checkpoint-minutes nan",
        "--k 1",
        "--k -1",
        "--k 2000000000",
        "--batch 0",
        "--batch 2000000000",
        "--iterations -1",
        "--share nan",
        "--share -1",
        "--terms gor=nan",
        "--terms gor=1e999",
        "--terms x=1",
        "--keep-last -1",
        "--log-every 0",
        "--pairs 0",
        "--epochs 99999999999999",
        "--alpha nan",
    ):
        Case("train " + option, "train --data store --iterations 1 --batch 4 --k 2 --out o " + option, torch=True)
    for command in (
        "data synth --out o --classes 0",
        "data synth --out o --classes -1",
        "data synth --out o --classes 2000000000 --views 2000000000",
        "data synth --out o --size 0",
        "data synth --out o --size 2000000000",
        "data synth --out o --views 1",
        "data synth --out o --max-warp nan",
        "data synth --out o --max-warp inf",
        "data synth --out o --hard real,noise=nan",
        "data synth --out o --hard warp=1e300",
        "data synth --out o --classes-per-scene 0",
        "data synth --out o --seed -1",
        "data synth --out o --threads 0",
        "data synth --out o --threads 99999",
        "data images --images photographs --out o --holdout nan",
        "data images --images photographs --out o --holdout 2",
        "data images --images photographs --out o --flat nan",
        "data keypoints --images photographs --out o.csv --contrast nan",
        "data keypoints --images photographs --out o.csv --min-sigma nan",
        "data keypoints --images photographs --out o.csv --min-sigma 1e300",
        "data keypoints --images photographs --out o.csv --overlap nan",
        "data keypoints --images photographs --out o.csv --region nan",
        "data keypoints --images photographs --out o.csv --region 1e300",
        "describe --images photographs --out o.npy --region inf",
        "describe --images photographs --out o.npy --region 0",
        "describe --images photographs --out o.npy --max-side 0",
        "describe --images photographs --out o.npy --max-keypoints -1",
        "match photographs/a.pgm photographs/b.pgm --ratio nan",
        "match photographs/a.pgm photographs/b.pgm --max-distance nan",
        "match photographs/a.pgm photographs/b.pgm --threshold nan",
        "match photographs/a.pgm photographs/b.pgm --out o.png --width 0",
        "match photographs/a.pgm photographs/b.pgm --out o.png --width 2000000000",
        "match photographs/a.pgm photographs/b.pgm --threshold inf",
        "data show store --out o.png --classes 2000000000 --patches 2000000000",
        "data show store --out o.png --classes -1",
        "eval compare --a 1,2 --b 1,2 --level nan",
        "eval compare --a 1,2 --b 1,2 --level 1",
        "eval compare --a 1,2 --b 1,2 --resamples 2000000000",
        "eval compare --a 1,2 --b 1,2 --resamples 0",
        "eval patches --data store --model untrained --pairs 0",
        "eval patches --data store --model untrained --pairs 2000000000000",
        "eval tracks --data store --model untrained --min-shared -1",
        "check --model untrained --count 0",
        "check --model untrained --max-error nan",
        "check --model untrained --count 2 --max-angle nan",
        "calibrate --model default --patches store --count 0 --out o.safetensors",
        "export --model default --to onnx --opset 999 --out o.onnx",
        "export --model default --to onnx --batch -1 --out o.onnx",
        "bench embed --patches 2000000000",
        "bench eval --rows 2000000000",
        "bench eval --rows 0",
        "bench embed --rounds 0",
        "bench eval --pairs -1",
        "colmap --images photographs --database o.db --region nan",
        "colmap --images photographs --database o.db --max-side -1",
        "data colmap --model m --images photographs --out o --sigma nan",
        "data colmap --model m --images photographs --out o --region nan",
    ):
        Case("option: " + command, command)


def add_names():
    long_name, screen = "n" * 251 + ".npy", "\x1b[2J\u202e\u061c\nx.npy"
    describe = lambda out: ["describe", "--images", "photographs/a.pgm", "--out", out]
    longest = "n" * 252 + ".h5"
    Case("a name as long as the file system allows", describe(longest), codes=TAKEN, writes=(longest,))
    Case("a name whose companion would be too long", describe(long_name), says="the name has")
    Case(
        "a folder's name as long as the file system allows",
        ["data", "synth", "--classes", "4", "--views", "2", "--out", "n" * 255],
        codes=TAKEN,
        writes=("n" * 255,),
    )
    Case(
        "a database's name as long as the file system allows",
        ["colmap", "--images", "photographs", "--detector", "dog", "--database", "n" * 252 + ".db"],
        codes=TAKEN + REFUSED,
        writes=("n" * 252 + ".db",),
    )
    for out in (
        "",
        ".",
        "..",
        "/",
        "a" * 256 + ".npy",
        "x/" * 3000 + "y.npy",
        "no/such/folder/o.npy",
        "/dev/full",
        "/dev/stdout",
        "/proc/self/mem.npy",
        "store",
        "photographs/a.pgm",
        "photographs/a.pgm/o.npy",
        "o.npy/",
        "o.exe",
        ".npy",
    ):
        Case(
            "--out " + (out if len(out) < 40 else out[:20] + ".."),
            describe(out),
            codes=REFUSED if out != ".npy" else TAKEN + REFUSED,
            writes=(".npy", ".keypoints.csv") if out == ".npy" else (),
        )
    Case("--out that acts on the screen", describe(screen), codes=TAKEN, writes=(screen,))
    Case(
        "--out that begins with a dash",
        describe("-o.npy"),
        codes=TAKEN + REFUSED,
        writes=("-o.npy", "-o.keypoints.csv"),
    )
    Case(
        "--out in a folder that cannot be written",
        describe("locked/o.npy"),
        before=lambda f: (f / "locked").mkdir(mode=0o500),
        codes=TAKEN + REFUSED,
        writes=("locked/o.npy", "locked/o.keypoints.csv"),
    )
    Case(
        "--out where a folder of the companion's name stands",
        describe("o.npy"),
        before=lambda f: (f / "o.keypoints.csv").mkdir(),
    )
    for name in (
        "\x1b[31m.pgm",
        "\u202e.pgm",
        "\u061c.pgm",
        "a\nb.pgm",
        "\udcff.pgm",
        "x" * 251 + ".pgm",
        "-x.pgm",
        'a,b"c.pgm',
        " .pgm",
    ):
        Case(
            "a picture named %r" % (name if len(name) < 20 else name[:9] + ".."),
            "describe --images odd --out o.csv",
            before=lambda f, name=name: ((f / "odd").mkdir(), (f / "odd" / name).write_bytes(pgm())),
            codes=TAKEN + REFUSED,
            writes=("o.csv", "o.keypoints.csv"),
        )
        Case(
            "a bad picture named %r" % (name if len(name) < 20 else name[:9] + ".."),
            "data check odd",
            before=lambda f, name=name: ((f / "odd").mkdir(), (f / "odd" / name).write_bytes(b"P5 9 9 255 ")),
        )
        Case(
            "COLMAP, a picture named %r" % (name if len(name) < 20 else name[:9] + ".."),
            "colmap --images odd --detector dog --database o.db",
            before=lambda f, name=name: ((f / "odd").mkdir(), (f / "odd" / name).write_bytes(pgm())),
            codes=TAKEN + REFUSED,
            writes=("o.db",),
        )
    Case("a command that is none, and acts on the screen", ["\x1b[2J\u202e"])
    Case("an option of a megabyte", ["describe", "--images", "x" * 100_000, "--out", "o.npy"])
    Case("a thousand options", ["data", "info", "store"] + ["--json"] * 1000, codes=TAKEN + REFUSED)
    Case(
        "a model that is a name like a path",
        ["describe", "--images", "photographs/a.pgm", "--model", "../../default", "--out", "o.npy"],
    )
    Case(
        "a folder of links in a ring",
        "data check ring",
        before=lambda f: (
            (f / "ring").mkdir(),
            os.symlink("../ring", f / "ring/ring"),
            (f / "ring/a.pgm").write_bytes(pgm()),
        ),
        codes=TAKEN + REFUSED,
    )
    Case("pictures 500 folders deep", "data check deep", before=deep_folders, codes=TAKEN + REFUSED)


def deep_folders(folder):
    here = os.open(folder, os.O_RDONLY)
    for name in ["deep"] + ["d" * 100] * 500:
        os.mkdir(name, dir_fd=here)
        below = os.open(name, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    with os.fdopen(os.open("a.pgm", os.O_WRONLY | os.O_CREAT, dir_fd=here), "wb") as out:
        out.write(pgm())
    os.close(here)


def add_surroundings():
    info, describe = "data info store", "describe --images photographs/a.pgm --out o.npy"
    written = ("o.npy", "o.keypoints.csv")
    for name, environment in {
        "a locale that is none": {"LC_ALL": "xx_YY.rubbish"},
        "a locale with commas": {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
        "no HOME, no PATH": {"HOME": None, "PATH": None},
        "TMPDIR that is none": {"TMPDIR": "/nowhere"},
        "OMP_NUM_THREADS of -1": {"OMP_NUM_THREADS": "-1"},
        "OMP_NUM_THREADS of 10^9": {"OMP_NUM_THREADS": "1000000000"},
        "TERM that is rubbish": {"TERM": "\x1b[2J", "COLUMNS": "-1"},
        "HDF5 plug-ins": {"HDF5_PLUGIN_PATH": "/tmp"},
        "OpenCV's threads": {"OPENCV_FOR_THREADS_NUM": "-7"},
        "an environment of a megabyte": {"X": "x" * 100_000},
    }.items():
        Case("surroundings: " + name, describe, environment=environment, codes=TAKEN, writes=written)
    Case(
        "surroundings: an instruction set that is none",
        describe,
        environment={"ADASAMPLE_MAX_ISA": "\x1b[2Javx9000"},
        codes=TAKEN + REFUSED,
        writes=written,
    )
    for name, shell in {
        "stdin closed": 'exec "$@" <&-',
        "stdout closed": 'exec "$@" >&-',
        "all three closed": 'exec "$@" <&- >&- 2>&-',
        "stdin a folder": 'exec "$@" </',
    }.items():
        Case("descriptors: " + name, describe, shell=shell, codes=TAKEN, writes=written)
        Case(
            "descriptors, h5: " + name,
            "describe --images photographs/a.pgm --out o.h5",
            shell=shell,
            codes=TAKEN,
            writes=("o.h5",),
        )
        Case(
            "descriptors, OpenCV: " + name,
            "describe --images photographs/a.pgm --detector sift --out o.npy",
            shell=shell,
            codes=TAKEN,
            writes=written,
        )
        Case(
            "descriptors, h5 read: " + name,
            "describe --images photographs/a.pgm --keypoints k.h5 --out o.npy",
            shell=shell,
            codes=TAKEN,
            writes=written,
        )
    Case("stdout full", info, shell='exec "$@" >/dev/full', codes=(1,))
    Case("help to a full disk", "--help", shell='exec "$@" >/dev/full', codes=(1,))
    Case("version to a full disk", "--version", shell='exec "$@" >/dev/full', codes=(1,))
    Case("stderr full", "data info no-such-store", shell='exec "$@" 2>/dev/full', codes=(1,))
    Case("a reader that leaves", "data info store --json", shell='"$@" | true', codes=TAKEN)
    Case("help to a reader that leaves", "train --help", shell='"$@" | true', codes=TAKEN)
    Case("ten open files", describe, shell='ulimit -n 10; exec "$@"', codes=TAKEN + REFUSED, writes=written)
    Case("four open files", describe, shell='ulimit -n 4; exec "$@"', codes=TAKEN + REFUSED + (127,), writes=written)
    Case("files of no size", describe, shell='ulimit -f 0; exec "$@"', codes=(1,))
    Case(
        "a database of no size",
        "colmap --images photographs --detector dog --database o.db",
        shell='ulimit -f 0; exec "$@"',
        codes=(1,),
    )
    Case(
        "an .h5 of no size",
        "describe --images photographs/a.pgm --out o.h5",
        shell='ulimit -f 0; exec "$@"',
        codes=(1,),
    )
    Case(
        "an address space of 300 MB",
        describe,
        shell='ulimit -v 300000; exec "$@"',
        codes=TAKEN + REFUSED,
        writes=written,
    )
    Case(
        "an address space of 60 MB",
        describe,
        shell='ulimit -v 60000; exec "$@"',
        codes=TAKEN + REFUSED + (127,),
        writes=written,
    )
    Case("a stack of 256 kB", describe, shell='ulimit -s 256; exec "$@"', codes=TAKEN + REFUSED, writes=written)
    Case(
        "a stack of 256 kB and deep JSON",
        info,
        {"store/meta.json": b"[" * 60 + b"]" * 60},
        shell='ulimit -s 256; exec "$@"',
    )
    Case("a folder that is gone", "data info .", shell='mkdir gone; cd gone; rmdir ../gone; exec "$@"')


def add_grids():
    grid = '{"title": "T", "seeds": 1, "train": {"iterations": 1, "batch": 4, "k": 2}, "data": {"leaves": {"classes": 8, "views": 3}}, "heldout": {"others": {"classes": 8, "views": 3}}, "arm": [%s], "judge": {"kind": "patches", "data": "others"}}'
    for name, text in {
        "seeds below zero": grid.replace('"seeds": 1', '"seeds": -1') % '{"sampler": "random"}',
        "a billion seeds": grid.replace('"seeds": 1', '"seeds": 1000000000') % '{"sampler": "random"}',
        "lists whose product is 10^12": grid
        % ('{"lambda": %s, "k": %s, "batch": %s, "margin": %s}' % ((list(range(2, 1002)),) * 4)),
        "no arm": grid % "",
        "NaN for a rate": grid % '{"lr": NaN}',
    }.items():
        Case("grid: " + name, "experiment g.json --out o", {"g.json": text.encode()}, torch=True)


def add_use():
    for add in (add_configuration, add_names, add_surroundings, add_grids):
        add()
