# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python package share."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
SKIPPED = 77  # for CTest


def need(module):
    """The module, or the end of this test program where it is not installed."""
    try:
        return __import__(module)
    except ImportError:
        print(f"python3-{module} is not installed")
        sys.exit(SKIPPED)


np = need("numpy")


def program(*words):
    """What the program says with --json."""
    done = subprocess.run([os.environ["ADASAMPLE_PROGRAM"], *map(str, words), "--json"], capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def patches(count, seed=1, size=32):
    """Smooth ones: noise is nothing that a descriptor is made for."""
    coarse = np.random.default_rng(seed).integers(0, 256, (count, 5, 5)).astype(np.float64)
    at = np.linspace(0, 4 - 1e-9, size)
    low, part = at.astype(int), at - at.astype(int)
    rows = coarse[:, low] * (1 - part)[None, :, None] + coarse[:, low + 1] * part[None, :, None]
    return np.ascontiguousarray((rows[:, :, low] * (1 - part) + rows[:, :, low + 1] * part).round(), np.uint8)


def picture(seed=3, height=240, width=320):
    """Grey discs, which every detector finds."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[:height, :width]
    image = np.full((height, width), 120.0)
    for _ in range(60):
        cx, cy, r = random.uniform(0, width), random.uniform(0, height), random.uniform(4, 16)
        image[(x - cx) ** 2 + (y - cy) ** 2 < r * r] = random.uniform(0, 255)
    return image.astype(np.uint8)


def write_pgm(file, image):
    file.write_bytes(b"P5\n%d %d\n255\n" % image.shape[::-1] + image.tobytes())


class Case(unittest.TestCase):
    """A test with a folder of its own, self.tmp."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tmp = pathlib.Path(folder.name)

    def refuses(self, call, *parts, kind=None):
        """The call raises one line that holds the parts."""
        import adasample

        with self.assertRaises(kind or adasample.Error) as caught:
            call()
        text = str(caught.exception)
        for part in parts:
            self.assertIn(part, text)
        self.assertNotIn("\n", text)
