# SPDX-License-Identifier: Apache-2.0
"""The extension of the Python package, built by CMake, and what makes its wheel stand alone: the weights, the libraries that the
extension loads (renamed, found by $ORIGIN) and their licences. The rest stands in pyproject.toml.

ADASAMPLE_BUILD_DIR=build/release  take the extension from this build tree instead of a build of its own
ADASAMPLE_BUNDLE=0                 leave the libraries where they are: for use on this machine alone
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(adasample VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
WEIGHTS = ("adasample-l2net.safetensors", "adasample-l2net-free.safetensors", "README.md", "LICENSE", "SHA256SUMS")
# What the extension does not need: it trains by the program `adasample`, and takes OpenCV from Python.
LEFT_OUT = ("TORCH", "OPENCV", "SQLITE", "HDF5", "TOML", "TESTS", "INSTALL")
# What every system with this C library and a C++ compiler's run time has.
SYSTEM = re.compile(r"^(ld-linux.*|linux-vdso|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s)\.so")


def fail(message):
    sys.exit(f"adasample: {message}")


def needed(binary):
    """Names and places of the libraries that a binary loads itself."""
    listed = subprocess.run(["readelf", "-d", binary], check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout
    names = re.findall(r"\(NEEDED\).*\[(.*)\]", listed)
    found = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    places = dict(re.findall(r"^\s*(\S+) => (/\S+)", found, re.M))
    return {name: places.get(name) for name in names if not SYSTEM.match(name)}


def licence_of(library, folder):
    """Copies what the library's Debian package says of its licence, and the texts it refers to."""
    for path in (os.path.realpath(library), library):
        owner = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True)
        if owner.returncode == 0:
            package = owner.stdout.split(":")[0]
            break
    else:
        fail(f"{library}: expected it to belong to a Debian package, which states its licence, found none - ADASAMPLE_BUNDLE=0 leaves libraries out")
    text = pathlib.Path("/usr/share/doc", package, "copyright")
    if not text.exists():
        fail(f"{text}: is missing; a library is not given away without its licence")
    folder.mkdir(exist_ok=True)
    shutil.copyfile(text, folder / f"{package}.txt")
    for name in set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text.read_text(errors="replace"))):
        common = pathlib.Path("/usr/share/common-licenses", name)
        if common.is_file():
            shutil.copyfile(common, folder / name)


def bundle(extension, folder):
    """Copies the libraries that the extension loads into folder, under names that no other copy has."""
    if not shutil.which("patchelf"):
        fail("a wheel that stands alone needs patchelf, which is not installed (Debian: patchelf) - or set ADASAMPLE_BUNDLE=0")
    folder.mkdir()
    renamed, todo = {}, [extension]
    while todo:
        binary = todo.pop()
        replacements = []
        for name, place in needed(binary).items():
            if name not in renamed:
                if place is None:
                    fail(f"{binary}: needs {name}, which is not found")
                digest = hashlib.sha256(pathlib.Path(place).read_bytes()).hexdigest()[:8]
                renamed[name] = re.sub(r"^(.*?)\.so", rf"\1-{digest}.so", name)
                copy = folder / renamed[name]
                shutil.copyfile(os.path.realpath(place), copy)
                copy.chmod(0o755)
                subprocess.run(["strip", "--strip-unneeded", copy], check=True)
                subprocess.run(["patchelf", "--set-soname", renamed[name], "--set-rpath", "$ORIGIN", copy], check=True)
                licence_of(place, folder / "licenses")
                todo.append(copy)
            replacements += ["--replace-needed", name, renamed[name]]
        if replacements:
            subprocess.run(["patchelf", *replacements, binary], check=True)
    subprocess.run(["patchelf", "--set-rpath", "$ORIGIN/libs", extension], check=True)


class BuildByCMake(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        given = os.environ.get("ADASAMPLE_BUILD_DIR")
        tree = pathlib.Path(given).resolve() if given else pathlib.Path(self.build_temp).resolve()
        if not given:
            tree.mkdir(parents=True, exist_ok=True)
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", ROOT, "-B", tree, *generator, "-DCMAKE_BUILD_TYPE=Release", f"-DPython_EXECUTABLE={sys.executable}",
                            *(f"-DADASAMPLE_{part}=OFF" for part in LEFT_OUT)], check=True)
        subprocess.run(["cmake", "--build", tree, "--target", "adasample_python", "-j", str(len(os.sched_getaffinity(0)))], check=True)
        built = sorted((tree / "python/adasample").glob("_native.*.so"))
        if not built:
            fail(f"{tree}: expected the extension, found none - are pybind11-dev and python3-dev installed?")
        shutil.copyfile(built[0], target)
        subprocess.run(["strip", "--strip-unneeded", target], check=True)
        share = target.parent / "share/adasample"
        share.mkdir(parents=True, exist_ok=True)
        for name in WEIGHTS:
            shutil.copyfile(ROOT / "weights" / name, share / name)
        if os.environ.get("ADASAMPLE_BUNDLE", "1") != "0":
            folder = target.parent / "libs"
            with tempfile.TemporaryDirectory(dir=target.parent) as work:  # complete or absent
                bundle(target, pathlib.Path(work) / "libs")
                if folder.exists():
                    shutil.rmtree(folder)
                os.rename(pathlib.Path(work) / "libs", folder)


setup(version=VERSION, ext_modules=[Extension("adasample._native", [])], cmdclass={"build_ext": BuildByCMake})
