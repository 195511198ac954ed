# SPDX-License-Identifier: Apache-2.0
"""adasample.train: the program's runs, callbacks, stopping and going on; charts of a run."""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest
import xml.etree.ElementTree
from unittest import mock

from support import Case, np, patches, program

import adasample
from adasample import safetensors
from adasample.training import _NewLines, _words

SMALL = {"batch": 8, "k": 3, "iterations": 6, "checkpoint_every": 2, "seed": 3}


def store(folder):
    random = np.random.default_rng(2)
    views = patches(24, 5).astype(int)[:, None] + random.normal(0, 20, (24, 4, 32, 32))
    adasample.write_store(folder, np.clip(views, 0, 255).astype(np.uint8))
    return folder


class Words(Case):
    def test_options_as_the_program_has_them(self):
        for given, words in ((("lam", 5), ["--lambda", "5"]), (("log_every", 2), ["--log-every", "2"]), (("flips", False), ["--no-flips"]),
                             (("separate_bn", True), ["--separate-bn"]), (("separate_bn", False), ["--separate-bn=false"]), (("val", None), []),
                             (("share", [1, 2.5]), ["--share", "1", "--share", "2.5"]), (("init", pathlib.Path("a")), ["--init", "a"])):
            self.assertEqual(_words(*given), words)

    def test_only_new_lines_of_a_resumed_run(self):
        file = self.tmp / "m.jsonl"
        old = [json.dumps({"iteration": i, "rate": i}) + "\n" for i in range(6)]
        file.write_text("".join(old))
        lines = _NewLines(file)
        self.assertEqual(list(lines.read()), [])
        file.write_text("".join(old[:4]))  # back to its checkpoint
        self.assertEqual(list(lines.read()), [])
        file.write_text("".join(old[:4]) + '{"iteration": 4, "rate": 9}\n{"iteration": 5')
        self.assertEqual(list(lines.read()), [{"iteration": 4, "rate": 9}])
        with open(file, "a") as out:
            out.write(', "rate": 8}\n')
        self.assertEqual(list(lines.read()), [{"iteration": 5, "rate": 8}])
        fresh = _NewLines(self.tmp / "none")
        self.assertEqual(list(fresh.read()), [])

    def test_without_the_program(self):
        with mock.patch.dict(os.environ, {"PATH": str(self.tmp), "ADASAMPLE_PROGRAM": ""}):
            self.refuses(lambda: adasample.train("s", "out"), "training needs the program adasample", "LibTorch", "install")


class Training(Case):
    def test_callback_stop_resume_and_the_programs_bytes(self):
        data, seen = store(self.tmp / "s"), []

        def until_third(record):
            seen.append(record)
            return record["iteration"] == 2

        longer = {**SMALL, "iterations": 100, "checkpoint_every": 0}
        run = adasample.train(data, self.tmp / "run", callback=until_third, **longer)
        self.assertEqual([r["iteration"] for r in seen], [0, 1, 2])
        self.assertTrue(all("loss" in r and "exponent" in r for r in seen))
        self.assertEqual(run.result["end"], "stopped")
        self.assertIn("log-every = 1\n", (run.folder / "config.toml").read_text())  # each iteration when it is done
        reached = run.result["iterations"]
        self.assertLess(reached, 100)

        later = []
        run = adasample.train(None, self.tmp / "run", resume=True, callback=lambda r: later.append(r["iteration"]) or False)
        self.assertEqual(run.result["end"], "complete")
        self.assertEqual(later, list(range(reached, 100)))
        program("train", "--data", data, "--out", self.tmp / "program", "--log-every", 1, *[w for n, v in longer.items() for w in _words(n, v)])
        weights = [safetensors.read(self.tmp / name / "model.safetensors")[0] for name in ("run", "program")]
        self.assertEqual(*({name: array.tobytes() for name, array in arrays.items()} for arrays in weights))

        self.assertEqual(run.load().describe(patches(3)).shape, (3, 128))
        iterations, losses = run.metrics["loss"]
        self.assertEqual((iterations.tolist(), len(losses)), (list(range(100)), 100))
        self.charts(run)
        self.refuses(lambda: adasample.train(data, self.tmp / "run", **SMALL), "exists")

    def charts(self, run):
        drawing = run.plot("loss").svg
        root = xml.etree.ElementTree.fromstring(drawing)
        self.assertTrue(root.tag.endswith("svg"))
        self.assertGreater(len(re.findall("<path|<polyline|<circle", drawing)), 0)
        page = (run.folder / "report.html").read_text()
        inside = re.search(r"<svg\b.*?>(.*)</svg>", run.plot("loss")._figure, re.S).group(1)
        self.assertIn(inside, page)  # the report's own
        run.plot("loss", run.folder).save(self.tmp / "loss.svg")
        with self.assertRaises(FileExistsError):
            run.plot().save(self.tmp / "loss.svg")
        self.assertTrue(run._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;'))
        self.assertIn("iframe", run.plot()._repr_html_())
        self.refuses(lambda: run.plot("fun"), "found 'fun'", "loss")
        self.refuses(lambda: adasample.Run(self.tmp), "metrics.jsonl")
        self.refuses(lambda: adasample.Run(self.tmp / "nothing"), "nothing there")

    def test_what_is_refused(self):
        data = store(self.tmp / "s")
        self.refuses(lambda: adasample.train(self.tmp / "no", self.tmp / "r", **SMALL), "no")
        self.refuses(lambda: adasample.train(data, self.tmp / "r", lam=-1), "lambda", kind=adasample.UsageError)
        self.refuses(lambda: adasample.train(data, self.tmp / "r", colour=1), "--colour", kind=adasample.UsageError)
        self.refuses(lambda: adasample.train([], self.tmp / "r"), "data: expected a patch store")
        self.refuses(lambda: adasample.train(7, self.tmp / "r"), "found int")
        self.assertFalse((self.tmp / "r").exists())

        def breaks(record):
            raise ArithmeticError("mine")

        with self.assertRaises(ArithmeticError):
            adasample.train(data, self.tmp / "r", callback=breaks, **{**SMALL, "iterations": 1000})
        self.assertEqual(adasample.Run(self.tmp / "r").result["end"], "stopped")  # it was asked to save, and did

    def test_ctrl_c_saves(self):
        data = store(self.tmp / "s")
        code = ("import adasample, sys\n"
                f"adasample.train({str(data)!r}, {str(self.tmp / 'r')!r}, callback=lambda r: print(r['iteration'], flush=True),"
                f" **{dict(SMALL, iterations=100000)!r})\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "0\n")
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        self.assertIn("KeyboardInterrupt", said)
        self.assertEqual(adasample.Run(self.tmp / "r").result["end"], "stopped")


if __name__ == "__main__":
    unittest.main()
