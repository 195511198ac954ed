# SPDX-License-Identifier: Apache-2.0
"""Anything in the place of every argument: it works, or raises adasample.Error with one line. The interpreter lives, or this program does not end well."""
import math
import resource
import shutil
import unittest

from support import GOLDEN, Case, np, picture

import adasample

ANYTHING = (0, -1, 1, 3, 10**9, 2**31, 2**63, 2**64, -(2**63), math.nan, math.inf, -math.inf, 1e300, 0.5, True, None, "x", "", "a\0b", b"y", [1], [], {}, object(),
            np.zeros((3, 3)), np.zeros(0), np.array("x"), np.zeros((2, 32, 32), np.uint8), np.full((2, 128), np.nan, np.float32), lambda *_: None)
OPTIONS = ("detector", "max_keypoints", "upright", "region_factor", "min_contrast", "min_sigma", "max_overlap", "size", "max_side", "as_stored")


class Anything(Case):
    def setUp(self):
        super().setUp()
        self.refused = 0
        limit = 16 << 30  # a number taken for a size is an error here, and not the end of the machine
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))

    def attempt(self, call, *words):
        try:
            call(*words)
        except adasample.Error as error:
            self.refused += 1
            self.assertNotIn("\n", str(error))
            self.assertGreater(len(str(error)), 10)
        except MemoryError:
            self.fail(f"took too much memory: {words}")

    def test_options_of_pictures(self):
        model, image = adasample.load(), picture(height=60, width=80)
        for option in OPTIONS:
            for value in ANYTHING:
                with self.subTest(option=option, value=repr(value)[:40]):
                    self.attempt(lambda: model.describe_image(image, **{option: value}))
        self.assertGreater(self.refused, 100)

    def test_arguments(self):
        model, patches, rows, out = adasample.load(), np.zeros((2, 32, 32), np.uint8), np.eye(3, dtype=np.float32), self.tmp / "s"
        classes = [patches]
        calls = (
            adasample.load, lambda v: adasample.load("default", v), lambda v: adasample.load("default", "auto", v), lambda v: adasample.load(threads=v),
            model.describe, lambda v: model.describe(patches, out=v), lambda v: model.describe(patches, progress=v), model.describe_image,
            lambda v: model.describe_image(picture(height=60, width=80), v), adasample.detect, adasample.Keypoints,
            lambda v: adasample.match(v, rows), lambda v: adasample.match(rows, rows, ratio=v), lambda v: adasample.match(rows, rows, max_distance=v),
            lambda v: adasample.match(rows, rows, geometry=v), lambda v: adasample.match(np.zeros((3, 0)), np.zeros((3, 0))),
            adasample.open_store, lambda v: adasample.write_store(out, v), lambda v: adasample.write_store(out, classes, meta=v),
            lambda v: adasample.write_store(out, classes, strengths=v), lambda v: adasample.write_store(out, classes, pictures=v, picture_names=["a"]),
            lambda v: adasample.fpr95(v, [1, 2]), lambda v: adasample.fpr95([0, 1], v), lambda v: adasample.average_precision(v, v),
            lambda v: adasample.evaluate_patches(v), lambda v: adasample.evaluate_hpatches(v, model), lambda v: adasample.evaluate_hpatches(descriptors=v),
            lambda v: adasample.evaluate_hpatches(GOLDEN / "hpatches/patches", model, split=v), lambda v: adasample.evaluate_hpatches(GOLDEN / "hpatches/patches", model, size=v),
            lambda v: adasample.compare(v, v), lambda v: adasample.compare(v, [1, 2]), lambda v: adasample.compare([1, 2], [2, 3], v), lambda v: adasample.compare([1, 2], [2, 3], level=v),
            lambda v: adasample.compare([1, 2], [2, 3], resamples=v), lambda v: adasample.compare([1, 2], [2, 3], seed=v), lambda v: adasample.compare([1, 2], [2, 3], paired=v),
            lambda v: adasample.compare([1, 2], [2, 3], alternative=v), lambda v: adasample.from_function(v).describe(patches),
            lambda v: adasample.from_function(lambda _: v).describe(patches), lambda v: adasample.from_function(lambda p: p, "n", v).describe(patches), adasample.Run,
            lambda v: adasample.train(v, out, iterations=1), lambda v: adasample.train("nowhere", v), lambda v: adasample.train("nowhere", out, callback=v))
        for number, call in enumerate(calls):
            for value in ANYTHING:
                with self.subTest(call=number, value=repr(value)[:40]):
                    self.attempt(call, value)
                    shutil.rmtree(out, ignore_errors=True)
        self.assertGreater(self.refused, 800)


if __name__ == "__main__":
    unittest.main()
