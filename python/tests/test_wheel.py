# SPDX-License-Identifier: Apache-2.0
"""The wheel, built without a network from the extension of this build tree: what it holds, and that it stands alone."""
import glob
import os
import re
import shutil
import subprocess
import sys
import unittest
import zipfile

from support import ROOT, Case


class Wheel(Case):
    def run_in(self, *words, **more):
        environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "ADASAMPLE_PROGRAM")}
        done = subprocess.run([*map(str, words)], capture_output=True, text=True, env={**environment, "PIP_NO_INDEX": "1", **more})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_built_installed_used(self):
        for tool in ("patchelf", "readelf", "strip"):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")
        source = self.tmp / "source"  # pip writes beside setup.py
        source.mkdir()
        for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "LICENSE"):
            shutil.copy(ROOT / name, source)
        for name in ("python/adasample", "weights", "docs"):
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "pictures"))
        self.run_in(sys.executable, "-m", "pip", "wheel", source, "--no-build-isolation", "--no-deps", "-w", self.tmp,
                    ADASAMPLE_BUILD_DIR=os.environ["ADASAMPLE_BUILD_DIR"])
        (wheel,) = glob.glob(str(self.tmp / "adasample-*.whl"))
        names = zipfile.ZipFile(wheel).namelist()
        for part in ("adasample/py.typed", "adasample/_native.pyi", "adasample/share/adasample/adasample-l2net.safetensors",
                     "adasample/share/adasample/LICENSE", "dist-info/LICENSE", "adasample/libs/libdnnl-", "adasample/libs/libhwy-"):
            self.assertTrue(any(part in n for n in names), part)
        self.assertFalse([n for n in names if re.search("torch.*so|opencv|libc10", n)])
        libraries = [n for n in names if re.search(r"libs/lib.*\.so", n)]
        licences = {os.path.basename(n) for n in names if "libs/licenses/" in n}
        for library, package in (("libdnnl", "libdnnl"), ("libhwy", "libhwy"), ("libfmt", "libfmt"), ("libpng", "libpng"), ("libjpeg", "libjpeg"), ("libgomp", "libgomp")):
            self.assertTrue(any(library in n for n in libraries), library)
            self.assertTrue(any(n.startswith(package) for n in licences), package)

        self.run_in(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", self.tmp / "venv")
        python = self.tmp / "venv/bin/python3"
        self.run_in(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", wheel) if self.new_pip() else self.unpack(wheel)
        loaded = self.run_in(python, "-c", "import adasample, numpy as np, re\n"
                             "rows = adasample.load().describe(np.zeros((2, 32, 32), np.uint8))\n"
                             "assert rows.shape == (2, 128)\n"
                             "print('\\n'.join(sorted(set(re.findall(r'/\\S+', open('/proc/self/maps').read())))))")
        own = [line for line in loaded.splitlines() if str(self.tmp) in line]
        self.assertEqual(len([line for line in own if "/libs/" in line]), len(libraries))  # all of them, and from the wheel
        for name in ("libdnnl", "libhwy", "libfmt", "libspdlog"):
            self.assertFalse([line for line in loaded.splitlines() if f"/{name}" in line and str(self.tmp) not in line], name)

    def new_pip(self):
        version = subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True, text=True).stdout
        return tuple(map(int, re.findall(r"\d+", version)[:2])) >= (22, 3)

    def unpack(self, wheel):
        (site,) = glob.glob(str(self.tmp / "venv/lib/python*/site-packages"))
        zipfile.ZipFile(wheel).extractall(site)


if __name__ == "__main__":
    unittest.main()
