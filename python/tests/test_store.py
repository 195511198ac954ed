# SPDX-License-Identifier: Apache-2.0
"""Patch stores: written, opened, mapped, closed, and what is none."""
import json
import unittest

from support import Case, np, patches, program

import adasample


class Stores(Case):
    def setUp(self):
        super().setUp()
        self.classes = [patches(k, k) for k in (2, 5, 3)]
        adasample.write_store(self.tmp / "s", (c for c in self.classes), meta={"source": "a test"})

    def test_what_was_written_is_there(self):
        with adasample.open_store(self.tmp / "s") as store:
            self.assertEqual((len(store), store.patches.shape), (3, (10, 32, 32)))
            for written, found in zip(self.classes, store):
                self.assertEqual(written.tobytes(), found.tobytes())
            self.assertEqual(store.offsets.tolist(), [0, 2, 7, 10])
            self.assertEqual(store.labels.tolist(), [0] * 2 + [1] * 5 + [2] * 3)
            self.assertEqual(store[-1].tobytes(), self.classes[2].tobytes())
            self.assertEqual((store.meta["source"], store.meta["classes"]), ("a test", 3))
            self.assertIsNone(store.pictures)
            self.assertIsNone(store.strengths)
            self.assertEqual(len(store.fingerprint), 64)
            with self.assertRaises(IndexError):
                store[3]
        program("data", "check", self.tmp / "s")

    def test_pages_of_the_file_and_not_copies(self):
        store = adasample.open_store(self.tmp / "s")
        self.assertTrue(np.shares_memory(store[1], store.patches))
        self.assertFalse(store.patches.flags.owndata)
        with self.assertRaises(ValueError):
            store.patches[0, 0, 0] = 1
        with open(self.tmp / "s" / "patches.npy", "r+b") as file:  # seen through the mapping
            file.seek(-1, 2)
            file.write(b"\x07")
        self.assertEqual(store.patches[-1, -1, -1], 7)
        self.assertEqual(len(adasample.load().describe(store[1])), 5)

    def test_a_closed_store(self):
        store = adasample.open_store(self.tmp / "s")
        kept = store.patches
        store.close()
        store.close()
        for use in (lambda: store.patches, lambda: len(store), lambda: store[0], lambda: store.meta, lambda: store.labels, store.check_intact,
                    lambda: adasample.evaluate_patches(store, pairs=5)):
            self.refuses(use, "expected an open store, found a closed one", kind=adasample.UsageError)
        self.assertEqual(kept[0].tobytes(), self.classes[0][0].tobytes())
        self.assertIn("closed", repr(store))

    def test_a_file_that_shrinks_does_not_end_the_interpreter(self):
        adasample.write_store(self.tmp / "large", [patches(40, 1)] * 20)
        store = adasample.open_store(self.tmp / "large")
        with open(self.tmp / "large" / "patches.npy", "r+b") as file:
            file.truncate(4096)
        self.assertEqual(int(store.patches[-1].sum()), 0)
        self.refuses(store.check_intact, "truncated")

    def test_pictures_and_strengths(self):
        adasample.write_store(self.tmp / "p", self.classes, pictures=[[0, 1], [0, 1, 2, 1, 0], [2, 2, 1]], picture_names=["a.jpg", "b.jpg", "c.jpg"])
        with adasample.open_store(self.tmp / "p") as store:
            self.assertEqual(store.pictures.tolist(), [0, 1, 0, 1, 2, 1, 0, 2, 2, 1])
            self.assertEqual(store.picture_names, ["a.jpg", "b.jpg", "c.jpg"])
        adasample.write_store(self.tmp / "q", self.classes, strengths=[[0, 0.5], [0.0] * 5, [1, 2, 3]])
        self.assertEqual(adasample.open_store(self.tmp / "q").strengths.tolist(), [0, 0.5] + [0] * 5 + [1, 2, 3])

    def test_what_is_not_written(self):
        write, classes, out = adasample.write_store, self.classes, self.tmp / "new"
        nan = [np.array([0, np.nan])] + [np.zeros(k) for k in (5, 3)]
        for call, part in ((lambda: write(out, []), "at least one, found none"), (lambda: write(self.tmp / "s", classes), "exists"),
                           (lambda: write(out, [classes[0][:1]]), "two"), (lambda: write(out, [classes[0], patches(3, 1, 64)]), "class 1: expected patches of 32"),
                           (lambda: write(out, [classes[0].astype(float)]), "class 0: patches: expected uint8"), (lambda: write(out, classes, pictures=[[0, 1]]), "picture_names"),
                           (lambda: write(out, classes, pictures=[[0, 1]], picture_names=["a", "b"]), "class 1: expected 5 numbers"),
                           (lambda: write(out, classes, pictures=[[0, 9], [0] * 5, [0] * 3], picture_names=["a"]), "9"),
                           (lambda: write(out, classes, strengths=nan), "expected finite"), (lambda: write(out, classes, meta={"x": self}), "what JSON can hold"),
                           (lambda: write(out, classes, pictures=[[0]], strengths=[[0]]), "found both")):
            self.refuses(call, part)
            self.assertFalse(out.exists(), part)

        def breaks():
            yield classes[0]
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            write(out, breaks())
        self.assertEqual(sorted(p.name for p in self.tmp.iterdir()), ["s"])  # nothing is left behind

    def test_what_is_no_store(self):
        self.refuses(lambda: adasample.open_store(self.tmp), "patches.npy", "patch store")
        self.refuses(lambda: adasample.open_store("nowhere"), "nowhere")
        meta = self.tmp / "s" / "meta.json"
        meta.write_text(json.dumps({**json.loads(meta.read_text()), "patches": 9}))
        self.refuses(lambda: adasample.open_store(self.tmp / "s"), '"patches" is 9')
        (self.tmp / "s" / "classes.npy").write_bytes(b"rubbish")
        self.refuses(lambda: adasample.open_store(self.tmp / "s"), "classes.npy")


if __name__ == "__main__":
    unittest.main()
