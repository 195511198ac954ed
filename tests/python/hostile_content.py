#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files, names, options and surroundings made to do harm, given to every command of the program.

hostile_test.cpp puts the same eighteen things in the place of every file. Here each case is made for one reader: the
file is well formed up to the one thing that is wrong. Everything is written on the spot with Python's own library.

    hostile_content.py PROGRAM [--torch] [--only PART] [--list]

Taken well is a case when the program ends by itself within 20 s of a processor with the exit code that the case names, says one line
of at most 600 bytes that cannot act on a screen, needs less than 700 MB, leaves nothing behind and writes nothing
outside of its folder.
"""
import argparse, concurrent.futures, os, pathlib, shutil, struct, subprocess, sys, tempfile, threading, time

sys.dont_write_bytecode = True
from hostile_case import CASES, REFUSED
from hostile_files import add_files
from hostile_makers import pgm
from hostile_use import add_use

SECONDS, PATIENCE, LINE, ALL = 20, 120, 600, 3000  # of a processor, on a busy machine; bytes


def acts_on_a_screen(text):
    for letter in text:
        code = ord(letter)
        if letter in "\n\t":
            continue
        if (
            code < 32
            or 127 <= code < 160
            or code in (0xAD, 0x61C, 0x180E, 0xFEFF)
            or 0x200B <= code <= 0x200F
            or 0x2028 <= code <= 0x202E
            or 0x2060 <= code <= 0x206F
            or 0xFFF9 <= code <= 0xFFFB
            or 0xD800 <= code <= 0xDFFF
        ):
            return True
    return False


def names_below(folder):
    found = set()
    for root, folders, files in os.walk(folder):
        found.update(os.path.join(root, name)[len(str(folder)) + 1 :] for name in folders + files)
    return found


def make_good_files(folder, program):
    def run(*arguments):
        subprocess.run([program, "-q", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    (folder / "photographs").mkdir()
    (folder / "photographs/a.pgm").write_bytes(pgm())
    (folder / "photographs/b.pgm").write_bytes(pgm(seed=2))
    (folder / "sequence").mkdir()
    for name in ("1.pgm", "2.pgm"):
        (folder / "sequence" / name).write_bytes(pgm(240, 160))
    (folder / "sequence/H_1_2").write_text("1 0 0 0 1 0 0 0 1\n")
    (folder / "phototour").mkdir()
    (folder / "phototour/info.txt").write_text("".join("%d 0\n" % (i // 3) for i in range(300)))
    (folder / "phototour/m50_100000_100000_0.txt").write_text(
        "".join("%d %d 0 %d %d 0 0\n" % (i, i // 3, i + 1, (i + 1) // 3) for i in range(298))
    )
    grey = b"".join(struct.pack("<BBBB", i, i, i, 0) for i in range(256))
    for sheet in range(2):
        (folder / ("phototour/patches%04d.bmp" % sheet)).write_bytes(
            b"BM"
            + struct.pack("<IIIIiiHHIIiiII", 0, 0, 1078, 40, 1024, 1024, 1, 8, 0, 0, 0, 0, 256, 0)
            + grey
            + bytes(range(256)) * 4096
        )
    (folder / "run").mkdir()
    (folder / "run/metrics.jsonl").write_text('{"iteration": 1, "loss": 1.0}\n{"iteration": 2, "loss": 0.5}\n')
    run("data", "synth", "--classes", "20", "--views", "4", "--out", "store")
    run("export", "--model", "default", "--to", "safetensors", "--out", "default.safetensors")
    try:
        run("describe", "--images", "photographs/a.pgm", "--out", "k.h5")
    except subprocess.CalledProcessError:
        pass  # a build without HDF5: those cases are refused, and say so


def judge(case, good, program, scratch):
    folder = pathlib.Path(tempfile.mkdtemp(dir=scratch)) / "in" / "here"
    needed = " ".join([*case.files, *(case.arguments if isinstance(case.arguments, list) else [case.arguments])])
    shutil.copytree(good, folder, ignore=lambda at, names: [n for n in names if at == str(good) and n not in needed])
    try:
        return complaint(case, folder, program)
    finally:
        subprocess.run(["rm", "-rf", str(folder.parent.parent)], check=False)  # rmtree cannot go 500 folders deep


def complaint(case, folder, program):
    for name, content in case.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if case.before:
        case.before(folder)
    before, around = names_below(folder), names_below(folder.parent.parent)
    words = case.arguments.split() if isinstance(case.arguments, str) else case.arguments
    command = [program, *words] if not case.shell else ["/bin/sh", "-c", case.shell, "sh", program, *words]
    environment = {**os.environ}
    for name, value in case.environment.items():
        environment.pop(name, None)
        if value is not None:
            environment[name] = value
    # Pipes: a file could not be written to where a case forbids files.
    child = subprocess.Popen(
        [os.fsencode(word) for word in command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
    )
    texts = [b"", b""]
    readers = [
        threading.Thread(target=lambda i=i, pipe=pipe: texts.__setitem__(i, pipe.read()))
        for i, pipe in enumerate((child.stdout, child.stderr))
    ]
    for reader in readers:
        reader.start()
    end, status, used = time.monotonic() + PATIENCE, None, None
    while status is None:
        pid, code, used = os.wait4(child.pid, os.WNOHANG)
        if pid:
            status = code
        elif time.monotonic() > end:
            child.kill()
            os.wait4(child.pid, 0)
            child.returncode = -9
            return "did not end in %d s" % PATIENCE
        else:
            time.sleep(0.003)
    child.returncode = code = os.waitstatus_to_exitcode(status)
    for reader in readers:
        reader.join()
    shown, said = (text.decode("utf-8", "surrogateescape") for text in texts)
    wrong = []
    if code not in case.codes:
        wrong.append("exit code %d" % code)
    if used.ru_utime + used.ru_stime > SECONDS:
        wrong.append("%.0f s of a processor" % (used.ru_utime + used.ru_stime))
    if used.ru_maxrss > case.kilobytes:
        wrong.append("%d MB of memory" % (used.ru_maxrss // 1000))
    complaints = [line for line in said.split("\n") if line.startswith("adasample: ")]
    full = case.shell and ("2>" in case.shell)
    if code in REFUSED and not complaints and not shown and not full:
        wrong.append("says nothing")
    if (
        len(complaints) > 1
        or any(len(line.encode("utf-8", "surrogateescape")) > LINE for line in complaints)
        or len(said) > ALL
    ):
        wrong.append("%d bytes in %d complaints" % (len(said), len(complaints)))
    if acts_on_a_screen(said) or acts_on_a_screen(shown):
        wrong.append("passes on what acts on a screen")
    if case.says and case.says not in said + shown:
        wrong.append("does not say '%s'" % case.says)
    allowed = [w for name in case.writes for w in (name, name.replace(".npy", ".keypoints.csv"))] if code == 0 else []
    left = [n for n in names_below(folder) - before if not any(n == w or n.startswith(w + "/") for w in allowed)]
    if left:
        wrong.append("left behind: %s" % sorted(left)[:4])
    outside = {n for n in names_below(folder.parent.parent) - around if not n.startswith("in/here")}
    if outside:
        wrong.append("wrote outside: %s" % sorted(outside)[:4])
    if "failed in a library" in said:
        wrong.append("a library's own words")
    return "; ".join(wrong) + ("\n      said: " + ascii(said[:300]) if wrong else "") if wrong else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--torch", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory() as scratch:
        good = pathlib.Path(scratch) / "good"
        good.mkdir()
        make_good_files(good, program)
        add_files(good / "default.safetensors")
        add_use()
        cases = [c for c in CASES if arguments.only in c.name and (arguments.torch or not c.torch)]
        if arguments.list:
            print("\n".join(case.name for case in cases))
            return 0
        bad = 0
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for case, said in zip(cases, pool.map(lambda c: judge(c, good, program, scratch), cases)):
                if said:
                    bad += 1
                    print("%s\n    %s" % (ascii(case.name), said))
        print("%d hostile inputs, %d taken well" % (len(cases), len(cases) - bad))
        return 1 if bad else 0


sys.exit(main())
