# SPDX-License-Identifier: Apache-2.0
"""Describing and matching: the program's bits, whatever holds the patches; what is refused, and how."""
import array
import math
import pickle
import unittest

from support import GOLDEN, Case, np, patches, picture, program, write_pgm

import adasample


class Describe(Case):
    @classmethod
    def setUpClass(cls):
        cls.model = adasample.load()
        cls.patches = patches(300)
        cls.rows = cls.model.describe(cls.patches)

    def test_the_bits_of_the_program(self):
        adasample.write_store(self.tmp / "s", self.patches.reshape(100, 3, 32, 32))
        for engine in adasample.engines():
            if engine == "reference":
                continue
            program("describe", "--patches", self.tmp / "s", "--model", "default", "--engine", engine, "--out", self.tmp / f"{engine}.npy")
            expected = np.load(self.tmp / f"{engine}.npy")
            found = adasample.load("default", engine).describe(self.patches)
            self.assertEqual(found.tobytes(), expected.tobytes(), engine)
        self.assertLess(np.abs(np.linalg.norm(self.rows, axis=1) - 1).max(), 1e-6)

    def test_forms_of_patches(self):
        for same in (self.patches[:, None], memoryview(self.patches), self.patches.copy()):
            self.assertEqual(self.model.describe(same).tobytes(), self.rows.tobytes())
        view = self.patches.view()
        view.flags.writeable = False
        self.assertEqual(self.model.describe(view).tobytes(), self.rows.tobytes())
        out = np.empty_like(self.rows)
        self.assertIs(self.model.describe(self.patches, out=out), out)
        self.assertEqual(out.tobytes(), self.rows.tobytes())
        double = np.repeat(np.repeat(self.patches, 2, 1), 2, 2)
        self.assertEqual(self.model.describe(double).tobytes(), self.rows.tobytes())

    def test_what_has_dlpack_is_not_copied(self):
        class Foreign:
            def __init__(self, array, device=1):
                self.array, self.device = array, device

            def __dlpack_device__(self):
                return self.device, 0

            def __dlpack__(self, stream=None):
                return self.array.__dlpack__()

        self.assertEqual(self.model.describe(Foreign(self.patches)).tobytes(), self.rows.tobytes())
        seen = adasample.arrays.view(Foreign(self.patches), "patches")
        self.assertTrue(np.shares_memory(seen, self.patches))
        self.refuses(lambda: self.model.describe(Foreign(self.patches, 2)), "memory of the CPU", "device 2")

    def test_what_is_refused(self):
        p, describe = self.patches, self.model.describe
        for wrong, parts in (
            (p.astype(np.float32), ("expected uint8 (n, 32, 32)", "float32 (300, 32, 32)", "255")),
            (p.astype(np.int64), ("int64",)), (p[0], ("uint8 (32, 32)",)), (p[:, :, :31], ("(300, 32, 31)",)), (p[:, :16, :16].copy(), ("(300, 16, 16)", "64 x 64")),
            (p[:, ::-1], ("C order", "strides", "ascontiguousarray")), (p[::2], ("C order",)), (p.transpose(0, 2, 1), ("C order",)),
            (p[:0], ("at least one patch", "(0, 32, 32)")), (np.zeros((3, 0, 0), np.uint8), ("at least one",)), ("patches", ("found <U7",)),
            (None, ("object",)), ([[1, 2], [3]], ("patches",)), (array.array("B", b"12"), ("uint8 (2,)",)),
        ):
            self.refuses(lambda: describe(wrong), "patches", *parts, kind=adasample.UsageError)
        for out in (np.empty((300, 127), np.float32), np.empty((300, 128)), np.empty((128, 300), np.float32).T, [1]):
            self.refuses(lambda: describe(p, out=out), "out: expected a writeable float32 (300, 128)")
        frozen = np.empty((300, 128), np.float32)
        frozen.flags.writeable = False
        self.refuses(lambda: describe(p, out=frozen), "writeable")

    def test_what_is_no_model(self):
        junk = self.tmp / "junk.safetensors"
        junk.write_bytes(b"\x05\0\0\0\0\0\0\0hello" * 9)
        self.refuses(lambda: adasample.load(junk), "junk.safetensors")
        self.refuses(lambda: adasample.load(self.tmp), "no model.safetensors")
        self.refuses(lambda: adasample.load("nothing"), "nothing: no such weights file")
        self.refuses(lambda: adasample.load(engine="fast"), "engine = 'fast'", "simd", kind=adasample.UsageError)
        self.refuses(lambda: adasample.load(device="tpu"), "device = 'tpu'", kind=adasample.UsageError)
        self.refuses(lambda: adasample.load(threads=-1), "threads", kind=ValueError)
        self.refuses(lambda: adasample.load(7), "model: expected a path, found int")
        self.refuses(lambda: adasample.load(engine=None), "engine: expected a string, found NoneType")
        self.refuses(lambda: adasample.load(threads=10**9), "threads: expected a whole number from 0 to", "found 1000000000")

    def test_a_model_is_pickled_by_name(self):
        again = pickle.loads(pickle.dumps(self.model))
        self.assertEqual((again.name, again.engine), ("default", self.model.engine))
        self.assertEqual(again.describe(self.patches[:5]).tobytes(), self.model.describe(self.patches[:5]).tobytes())

    def test_a_function_as_a_model(self):
        double = adasample.from_function(lambda p: self.model.describe(p), "ours")
        self.assertEqual(double.describe(self.patches).tobytes(), self.rows.tobytes())
        for function, part in ((lambda p: p, "expected (n, 128)"), (lambda p: np.full((len(p), 128), np.nan), "expected finite"), (lambda p: None, "expected")):
            self.refuses(lambda: adasample.from_function(function).describe(self.patches), part)
        self.refuses(lambda: pickle.dumps(double), "ours: expected a model that has a name")
        with self.assertRaises(ZeroDivisionError):
            adasample.from_function(lambda p: 1 / 0).describe(self.patches)

    def test_progress_is_told_and_may_end_it(self):
        seen = []
        many = np.tile(self.patches, (30, 1, 1))  # three chunks
        self.model.describe(many, progress=lambda done, total, what: seen.append((done, total, what)))
        self.assertTrue(seen and all(s[1:] == (len(many), "describing") for s in seen))
        self.assertEqual(sorted(seen), seen)

        def enough(*_):
            raise StopIteration("enough")

        with self.assertRaises(StopIteration):
            self.model.describe(many, progress=enough)
        self.assertEqual(self.model.describe(self.patches).tobytes(), self.rows.tobytes())  # as good as before


class Pictures(Case):
    @classmethod
    def setUpClass(cls):
        cls.model = adasample.load()
        cls.image = picture()

    def test_the_programs_keypoints_and_descriptors(self):
        (self.tmp / "photos").mkdir()
        write_pgm(self.tmp / "photos" / "a.pgm", self.image)
        program("describe", "--images", self.tmp / "photos", "--model", "default", "--out", self.tmp / "a.npy")
        expected = np.load(self.tmp / "a.npy")
        for given in (self.tmp / "photos" / "a.pgm", self.image, self.image.astype(np.float64), self.image[:, :, None]):
            found = self.model.describe_image(given)
            self.assertEqual(found.descriptors.tobytes(), expected.tobytes())
            self.assertEqual(found.size, (320, 240))
        self.assertGreater(len(found), 50)
        self.assertEqual(len(adasample.detect(self.image)), len(found))
        again = self.model.describe_image(self.image, found.keypoints)
        self.assertEqual(again.descriptors.tobytes(), found.descriptors.tobytes())
        self.assertEqual(self.model.describe_image(self.image, found.keypoints.rows[:, :4]).descriptors.tobytes(), found.descriptors.tobytes())
        turned = self.model.describe_image(self.image, found.keypoints.rows[:, :3])  # angles found again
        turn = np.angle(np.exp(1j * (turned.keypoints.angle - found.keypoints.angle)))
        self.assertLess(np.median(np.abs(turn)), 0.01)
        given = found.keypoints.rows[:, :4].copy()
        given[:, 3] += 1  # an angle that is given is kept
        self.assertEqual(self.model.describe_image(self.image, given).keypoints.angle.tobytes(), given[:, 3].tobytes())
        cut = adasample.Picture(self.image).cut(found.keypoints)
        self.assertEqual(self.model.describe(cut).tobytes(), found.descriptors.tobytes())

    def test_options_reach_the_detector(self):
        self.assertEqual(len(adasample.detect(self.image, max_keypoints=7)), 7)
        self.assertTrue((adasample.detect(self.image, upright=True).angle == 0).all())
        self.assertNotEqual(adasample.detect(self.image, detector="harris").rows.tobytes(), adasample.detect(self.image).rows.tobytes())
        self.refuses(lambda: adasample.detect(self.image, detector="magic"), "magic", "dog", kind=adasample.UsageError)
        self.refuses(lambda: adasample.detect(self.image, colour=3), "colour: expected an option of detect()", "max_keypoints")
        self.refuses(lambda: adasample.detect(self.image, max_keypoints="many"), "max_keypoints: expected int, found 'many'")
        self.refuses(lambda: adasample.detect(self.image, max_keypoints=-1), "max_keypoints")
        self.refuses(lambda: adasample.detect(self.image, detector="sift"), "OpenCV")

    def test_pictures_that_are_none(self):
        nan = np.zeros((30, 30))
        nan[3, 4] = np.nan
        for wrong, part in ((nan, "finite"), (np.zeros((0, 5), np.uint8), "(0, 5)"), (np.zeros((5, 5), np.int32), "int32"),
                            (np.zeros((5, 5, 4), np.uint8), "(5, 5, 4)"), (np.zeros(9, np.uint8), "(9,)"), (None, "object"),
                            (np.zeros((1, 40000), np.uint8), "32768 pixels")):
            self.refuses(lambda: adasample.detect(wrong), "image: expected", part, kind=adasample.UsageError)
        (self.tmp / "x.jpg").write_bytes(b"\xff\xd8\xff rubbish")
        self.refuses(lambda: adasample.detect(self.tmp / "x.jpg"), "x.jpg")
        self.refuses(lambda: adasample.detect(str(self.tmp)), str(self.tmp))
        self.refuses(lambda: adasample.detect("nowhere.png"), "nowhere.png")
        for tiny in ((1, 1), (1, 50), (2, 3), (7, 7)):
            self.assertEqual(len(self.model.describe_image(np.full(tiny, 9, np.uint8))), 0)

    def test_keypoints_that_are_none(self):
        describe = self.model.describe_image
        for wrong, part in ((np.zeros((2, 2)), "(2, 2)"), ([[1, 2, 0, 0]], "sigma > 0, found 0.0 in row 0"), ([[1, 2, math.nan]], "finite"),
                            ([[5000, 2, 3, 0]], "5000"), ([["a", "b", "c"]], "<U1"), ([[1, 2, 3, math.inf]], "finite")):
            self.refuses(lambda: describe(self.image, wrong), part)
        self.assertEqual(len(describe(self.image, np.zeros((0, 4)))), 0)

    def test_colour_becomes_grey(self):
        same = adasample.detect(np.repeat(self.image[:, :, None], 3, 2))
        self.assertLess(np.abs(same.xy[:20] - adasample.detect(self.image).xy[:20]).max(), 1e-3)
        for channel, share in enumerate((0.299, 0.587, 0.114)):  # red, green, blue
            colour = np.zeros((*self.image.shape, 3), np.uint8)
            colour[:, :, channel] = self.image
            shades = adasample.pictures._grey(colour)
            self.assertLess(np.abs(shades - share * self.image.astype(float)).max(), 1e-3)

    def test_matches_of_the_program(self):
        noise = np.random.default_rng(8).normal(0, 12, self.image.shape)  # so that some matches are wrong
        other = np.clip(np.roll(self.image, (3, 5), (0, 1)) + noise, 0, 255).astype(np.uint8)
        for name, image in (("a", self.image), ("b", other)):
            write_pgm(self.tmp / f"{name}.pgm", image)
        a, b = (self.model.describe_image(self.tmp / f"{name}.pgm") for name in "ab")
        for geometry in ("none", "fundamental", "homography"):
            expected = program("match", self.tmp / "a.pgm", self.tmp / "b.pgm", "--model", "default", "--ratio", 0.95, "--geometry", geometry)["models"][0]
            if geometry != "none":
                try:
                    import cv2  # noqa: F401
                except ImportError:
                    self.refuses(lambda: adasample.match(a, b, geometry=geometry), "no module cv2")
                    continue
            found = adasample.match(a, b, ratio=0.95, geometry=geometry)
            self.assertEqual((found.mutual, len(found)), (expected["mutual"], expected["matches"]))
            if geometry != "none":
                self.assertEqual(int(found.inliers.sum()), expected["inliers"])
                self.assertEqual(found.matrix.ravel().tolist(), expected["matrix"])
                self.assertTrue(20 < expected["inliers"] < len(found))
        self.assertEqual(len(adasample.match(a.descriptors[:0], b.descriptors)), 0)
        self.assertLess(len(adasample.match(a, b, max_distance=0.2)), len(adasample.match(a, b)))

    def test_matches_that_are_refused(self):
        rows = self.model.describe(patches(4))
        bad = rows.copy()
        bad[2, 5] = np.nan
        for call, part in ((lambda: adasample.match(bad, rows), "first: expected finite numbers, found nan at (2, 5)"),
                           (lambda: adasample.match(rows, rows[:, :64]), "128 and 64"), (lambda: adasample.match(rows, rows[0]), "(n, d)"),
                           (lambda: adasample.match(rows.astype(int), rows), "int64"), (lambda: adasample.match(rows, rows, ratio=0), "ratio: expected a number above 0, 1 at most, found 0"),
                           (lambda: adasample.match(rows, rows, geometry="affine"), "fundamental, homography, none"),
                           (lambda: adasample.match(rows, rows, geometry="homography"), "expected two Features"),
                           (lambda: adasample.match(rows, rows, max_distance=math.nan), "max_distance: expected a number above 0, found nan")):
            self.refuses(call, part, kind=adasample.UsageError)


class Scores(Case):
    def test_the_programs_digits(self):
        random = np.random.default_rng(5)
        labels = random.integers(0, 2, 999)
        distances = (random.normal(size=999) - labels).round(2)  # with ties
        (self.tmp / "pairs.csv").write_text("".join(f"{a},{d}\n" for a, d in zip(labels, distances)))
        expected = program("eval", "pairs", "--csv", self.tmp / "pairs.csv")
        found = adasample.score_pairs(labels, distances)
        self.assertEqual(found, {key: expected[key] for key in found})
        self.assertEqual(adasample.fpr95(labels.astype(bool), distances), expected["fpr95"])
        self.assertEqual(adasample.average_precision(labels, distances), expected["ap"])
        self.assertGreater(len(found), 5)

    def test_what_is_refused(self):
        for call, part in ((lambda: adasample.fpr95([1, 0], [1.0]), "found 2 and 1"), (lambda: adasample.fpr95([1, 2], [1, 2]), "found 2"),
                           (lambda: adasample.fpr95([1, 0], [1, math.nan]), "found nan at (1,)"), (lambda: adasample.fpr95([1, 1], [1, 2]), "negative"),
                           (lambda: adasample.fpr95([], []), "labels"), (lambda: adasample.fpr95([0.5, 1], [1, 2]), "float64"),
                           (lambda: adasample.fpr95([[1]], [[1]]), "(1, 1)"), (lambda: adasample.fpr95("ab", [1, 2]), "<U2")):
            self.refuses(call, part)

    def test_stores_scored_by_the_program_and_by_us(self):
        random = np.random.default_rng(6)
        base = patches(60, 7).astype(int)[:, None]
        noisy = np.clip(base + random.normal(0, 25, (60, 4, 32, 32)), 0, 255).astype(np.uint8)
        adasample.write_store(self.tmp / "s", noisy)
        expected = program("eval", "patches", "--data", self.tmp / "s", "--model", "default", "--pairs", 500)
        found = adasample.evaluate_patches(self.tmp / "s", pairs=500)
        for key in ("fpr95", "fpr95_low", "fpr95_high", "fpr99", "ap", "ap_trapezoid", "auc", "data_sha256", "model_sha256", "engine", "seed"):
            self.assertEqual(found[key], expected[key], key)
        model = adasample.load()
        own = adasample.evaluate_patches(adasample.open_store(self.tmp / "s"), adasample.from_function(model.describe), pairs=500)
        self.assertEqual(own["fpr95"], found["fpr95"])
        self.refuses(lambda: adasample.evaluate_patches(self.tmp / "s", pairs=0), "pairs: expected a whole number from 1", kind=adasample.UsageError)

    def test_hpatches(self):
        root = GOLDEN / "hpatches"
        expected = program("eval", "hpatches", "--root", root / "patches", "--model", "default", "--split", "fake", "--splits", root / "splits.json", "--tasks", root / "tasks")
        found = adasample.evaluate_hpatches(root / "patches", "default", split="fake", splits=root / "splits.json", tasks=root / "tasks")
        for result in (expected, found):
            for key in [k for k in result if k.startswith("seconds")]:
                del result[key]
        self.assertEqual(found, expected)
        csv = program("eval", "hpatches", "--descriptors", root / "descr/noisy", "--split", "fake", "--splits", root / "splits.json", "--tasks", root / "tasks")
        again = adasample.evaluate_hpatches(descriptors=root / "descr/noisy", split="fake", splits=root / "splits.json", tasks=root / "tasks")
        self.assertEqual(again["matching"], csv["matching"])
        for call, part in ((lambda: adasample.evaluate_hpatches(), "found none of them"), (lambda: adasample.evaluate_hpatches(root / "patches"), "found root"),
                           (lambda: adasample.evaluate_hpatches(self.tmp, "default"), str(self.tmp)),
                           (lambda: adasample.evaluate_hpatches(root / "patches", "default", split="full", size=33), "size = 33"),
                           (lambda: adasample.evaluate_hpatches(root / "patches", "default", split="full", dist="cosine"), "cosine")):
            self.refuses(call, part)

    def test_comparisons(self):
        a, b = [1.25, 1.22, 1.28, 1.26, 1.24], [1.31, 1.27, 1.36, 1.33, 1.30]
        expected = program("eval", "compare", "--a", ",".join(map(str, a)), "--b", ",".join(map(str, b)))
        found = adasample.compare(a, b)
        self.assertEqual(dict(found), expected)
        self.assertIn("Mann-Whitney", str(found))
        root = GOLDEN / "hpatches"
        exact, noisy = (adasample.evaluate_hpatches(descriptors=root / "descr" / name, split="fake", splits=root / "splits.json", tasks=root / "tasks") for name in ("exact", "noisy"))
        by_sequence = adasample.compare(exact, noisy, "matching.trapezoid", alternative="greater")
        self.assertEqual(by_sequence["values"]["of"] if "of" in by_sequence["values"] else "sequences", "sequences")
        self.assertIn("difference", by_sequence)
        with self.assertWarnsRegex(UserWarning, "dist"):  # what the program logs
            adasample.compare({**exact, "dist": "l1"}, noisy, "matching.trapezoid")
        for call, part in ((lambda: adasample.compare(a, exact), "must both be numbers or both be result files"), (lambda: adasample.compare([], b), "a: expected numbers or results, found none"),
                           (lambda: adasample.compare(a, b, alternative="more"), "less or greater"), (lambda: adasample.compare(exact, noisy), "--value is needed"),
                           (lambda: adasample.compare([1, math.nan], b), "finite"), (lambda: adasample.compare("x.json", "y.json", "fpr95"), "x.json"),
                           (lambda: adasample.compare(None, b), "a and b"), (lambda: adasample.compare(a, b, level=2), "level")):
            self.refuses(call, part)


if __name__ == "__main__":
    unittest.main()
