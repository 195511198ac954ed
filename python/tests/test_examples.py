# SPDX-License-Identifier: Apache-2.0
"""The recipes of python/examples. OpenCV is the real one where it is installed; hloc, pycolmap and kornia are in no Debian package:
stand-ins of what their documentation says they have."""
import contextlib
import importlib
import sys
import types
import unittest

from support import ROOT, Case, need, np, picture, write_pgm

torch = need("torch")

import adasample

sys.path.insert(0, str(ROOT / "python" / "examples"))


@contextlib.contextmanager
def modules(**named):
    """Stand-ins of modules, for `import a.b`."""
    made = {}
    for name, content in named.items():
        module = types.ModuleType(name.replace("__", "."))
        module.__dict__.update(content)
        made[module.__name__] = module
    for name, module in made.items():
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(made[parent], child, module)
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in made:
            del sys.modules[name]


class HlocBaseModel(torch.nn.Module):
    """hloc.utils.base_model.BaseModel: a configuration over defaults, inputs that must be there."""

    default_conf, required_inputs = {}, []

    def __init__(self, conf):
        super().__init__()
        self.conf = {**self.default_conf, **conf}
        self._init(self.conf)

    def forward(self, data):
        assert set(self.required_inputs) <= set(data)
        return self._forward(data)


class Hloc(Case):
    def test_features_and_matches(self):
        with modules(hloc={}, hloc__utils={}, hloc__utils__base_model={"BaseModel": HlocBaseModel}):
            extractor = importlib.import_module("hloc_extractor").AdasampleFeatures({"max_keypoints": 50}).eval()
            matcher = importlib.import_module("hloc_matcher").AdasampleMatches({"ratio": 0.95}).eval()
        image = picture()
        features = []
        for pixels in (image, np.roll(image, 4, 1)):
            with torch.no_grad():
                features.append(extractor({"image": torch.from_numpy(pixels.astype(np.float32) / 255)[None, None]}))
        expected = adasample.load().describe_image(image, max_keypoints=50)
        n = len(expected)
        shapes = {name: tuple(value.shape) for name, value in features[0].items()}
        self.assertEqual(shapes, {"keypoints": (1, n, 2), "scales": (1, n), "oris": (1, n), "scores": (1, n), "descriptors": (1, 128, n)})
        self.assertLess(np.abs(features[0]["keypoints"][0].numpy() - expected.keypoints.xy).max(), 1e-2)
        found = matcher({"descriptors0": features[0]["descriptors"], "descriptors1": features[1]["descriptors"]})
        matches = found["matches0"][0].numpy()
        self.assertEqual(matches.shape, (n,))
        moved = features[1]["keypoints"][0].numpy()[matches[matches >= 0]] - features[0]["keypoints"][0].numpy()[matches >= 0]
        self.assertGreater(np.mean(np.abs(moved - (4, 0)).max(1) < 1), 0.7)
        self.assertTrue(((found["matching_scores0"][0].numpy() > 0) == (matches >= 0)).all())
        none = matcher({"descriptors0": features[0]["descriptors"], "descriptors1": torch.zeros(1, 128, 0)})
        self.assertTrue((none["matches0"] == -1).all())


class Kornia(Case):
    def test_the_module_fits(self):
        class LAFDescriptor(torch.nn.Module):
            """Patches around frames to its module, on the picture's device, in evaluation mode."""

            def __init__(self, patch_descriptor_module, patch_size=32, grayscale_descriptor=True):
                super().__init__()
                self.descriptor, self.patch_size = patch_descriptor_module, patch_size

            def forward(self, img, lafs):
                self.descriptor.to(img).eval()
                patches = torch.nn.functional.interpolate(img, self.patch_size)[:, None].expand(-1, lafs.shape[1], -1, -1, -1)
                b, n = patches.shape[:2]
                return self.descriptor(patches.reshape(b * n, 1, self.patch_size, self.patch_size)).view(b, n, -1)

        class LocalFeature(torch.nn.Module):
            def __init__(self, detector, descriptor):
                super().__init__()
                self.detector, self.descriptor = detector, descriptor

            def forward(self, img):
                lafs, responses = self.detector(img)
                return lafs, responses, self.descriptor(img, lafs)

        detector = lambda pretrained, num_features: lambda img: (torch.zeros(len(img), num_features, 2, 3), torch.ones(len(img), num_features, 1))
        feature = {"LAFDescriptor": LAFDescriptor, "LocalFeature": LocalFeature, "KeyNetDetector": detector}
        with modules(kornia={}, kornia__feature=feature):
            example = importlib.import_module("kornia_features")
            with torch.no_grad():
                _, _, rows = example.local_feature(5)(torch.from_numpy(picture()).float()[None, None].double() / 255)
        self.assertEqual(rows.shape, (1, 5, 128))
        self.assertLess((rows.norm(dim=2) - 1).abs().max().item(), 1e-6)


class Pycolmap(Case):
    def test_keypoints_and_matches_reach_the_database(self):
        calls = []

        class Database:
            def __init__(self, path):
                calls.append(("open", path))

            def read_all_images(self):
                return [types.SimpleNamespace(name=name, image_id=i) for i, name in ((1, "a.pgm"), (2, "b.pgm"))]

            def write_keypoints(self, image_id, keypoints):
                assert keypoints.dtype == np.float32 and keypoints.shape[1] in (2, 4, 6)
                calls.append(("keypoints", image_id, keypoints))

            def write_matches(self, first, second, matches):
                assert matches.dtype == np.uint32 and matches.shape[1] == 2
                calls.append(("matches", first, second, matches))

            def close(self):
                calls.append(("close",))

        note = lambda name: lambda *words: calls.append((name, *words)) or {}
        with modules(pycolmap={"Database": Database, **{n: note(n) for n in ("import_images", "verify_matches", "incremental_mapping")}}):
            example = importlib.import_module("pycolmap_reconstruct")
            photos = self.tmp / "photos"
            photos.mkdir()
            for name, image in (("a", picture()), ("b", np.roll(picture(), 4, 1))):
                write_pgm(photos / f"{name}.pgm", image)
            model = adasample.load()
            example.reconstruct(photos, self.tmp / "out", model)
        self.assertEqual([c[0] for c in calls],
                         ["import_images", "open", "keypoints", "keypoints", "matches", "close", "verify_matches", "incremental_mapping"])
        first = model.describe_image(photos / "a.pgm")
        self.assertLess(np.abs(calls[2][2][:, :2] - first.keypoints.xy - 0.5).max(), 1e-3)
        self.assertEqual(calls[4][3].tolist(), adasample.match(first, model.describe_image(photos / "b.pgm"), ratio=0.95).pairs.tolist())
        self.assertEqual((self.tmp / "out" / "pairs.txt").read_text(), "a.pgm b.pgm\n")


class OpenCV(Case):
    def setUp(self):
        super().setUp()
        try:
            import cv2  # noqa: F401
        except ImportError:
            self.skipTest("python3-opencv is not installed")

    def test_detectors_and_geometry_of_opencv(self):
        for name, image in (("a", picture()), ("b", np.roll(picture(), (2, 6), (0, 1)))):
            write_pgm(self.tmp / f"{name}.pgm", image)
        a, b, matrix = importlib.import_module("opencv_match").match(str(self.tmp / "a.pgm"), str(self.tmp / "b.pgm"), adasample.load())
        self.assertGreater(len(a), 30)
        self.assertGreater(np.mean(np.abs(b - a - (6, 2)).max(1) < 1), 0.8)
        self.assertEqual(matrix.shape, (3, 3))

    def test_keypoints_there_and_back(self):
        found = adasample.detect(picture())
        again = adasample.Keypoints.from_opencv(found.to_opencv())
        self.assertLess(np.abs(again.rows[:, :3] - found.rows[:, :3]).max(), 1e-3)
        turn = np.angle(np.exp(1j * (again.angle - found.angle)))
        self.assertLess(np.abs(turn).max(), 1e-4)


if __name__ == "__main__":
    unittest.main()
