# SPDX-License-Identifier: Apache-2.0
"""What is written: examples of docstrings, code of README.md and docs/python.md, types and stubs."""
import ast
import doctest
import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from support import ROOT, Case, need, np, picture, write_pgm

torch = need("torch")

import adasample

PACKAGE = ROOT / "python" / "adasample"


def code_blocks(document):
    return re.findall(r"```python\n(.*?)```", (ROOT / document).read_text(), re.S)


class Documents(Case):
    def test_examples_of_the_docstrings(self):
        examples = 0
        for file in sorted(PACKAGE.glob("*.py")):
            name = "adasample" if file.stem == "__init__" else f"adasample.{file.stem}"
            tests = doctest.testmod(importlib.import_module(name), extraglobs={"torch": torch, "np": np, "adasample": adasample, "tmp": self.tmp})
            self.assertEqual(tests.failed, 0, name)
            examples += tests.attempted
        self.assertGreater(examples, 30)

    def test_every_public_name_is_documented(self):
        for name in adasample.__all__:
            self.assertTrue((getattr(adasample, name).__doc__ or "").strip(), name)

    def test_what_the_documents_show_runs(self):
        blocks = code_blocks("README.md") + code_blocks("docs/python.md")
        self.assertGreater(len(blocks), 4)
        for image, name in ((picture(), "a.jpg"), (np.roll(picture(), 5, 1), "b.jpg")):
            write_pgm(self.tmp / name, image)  # what the bytes are decides, not the name
        adasample.write_store(self.tmp / "heldout", np.random.default_rng(1).integers(0, 256, (40, 4, 32, 32), dtype=np.uint8))
        shutil.copytree(self.tmp / "heldout", self.tmp / "train")
        before = os.getcwd()
        os.chdir(self.tmp)
        self.addCleanup(os.chdir, before)
        ran = 0
        for block in blocks:
            ast.parse(block)
            if block.startswith("import adasample") and "adasample.train(" not in block:  # else it needs a loader, or minutes
                exec(compile(block, "a document", "exec"), {})
                ran += 1
        self.assertGreaterEqual(ran, 4)

    def test_types(self):
        if shutil.which("mypy") is None:
            self.skipTest("mypy is not installed")
        done = subprocess.run(["mypy", "--config-file", ROOT / "pyproject.toml", "--cache-dir", os.environ.get("ADASAMPLE_MYPY_CACHE", self.tmp / "cache"), "--python-executable", sys.executable,
                               PACKAGE], capture_output=True, text=True, cwd=ROOT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_stub_is_the_extension(self):
        """Names and parameters of _native.pyi against what the extension says of itself: pybind11 states signatures in docstrings."""
        native = importlib.import_module("adasample._native")
        tree = ast.parse((PACKAGE / "_native.pyi").read_text())
        stated = {}
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                stated[node.name] = node
            elif isinstance(node, ast.ClassDef):
                stated[node.name] = None
                for member in node.body:
                    if isinstance(member, ast.FunctionDef):
                        stated[f"{node.name}.{member.name}"] = member
                    elif isinstance(member, ast.AnnAssign):
                        stated[f"{node.name}.{member.target.id}"] = None
            elif isinstance(node, ast.AnnAssign):
                stated[node.target.id] = None
        there = set()
        for name, value in vars(native).items():
            if name.startswith("_"):
                continue
            there.add(name)
            if isinstance(value, type):
                there |= {f"{name}.{member}" for member in vars(value) if member == "__init__" or not member.startswith("_")}
        self.assertEqual({n for n in stated if not n.startswith("_")}, there)
        compared = 0
        for name, node in stated.items():
            if node is None or any(isinstance(d, ast.Name) and d.id == "property" for d in node.decorator_list):
                continue
            found = native
            for part in name.split("."):
                found = getattr(found, part)
            said = re.match(r"\w+\((.*)\) -> ", found.__doc__.strip())
            self.assertIsNotNone(said, name)
            parameters = re.findall(r"(?:^|, )(\w+): ", said.group(1))
            self.assertEqual([a.arg for a in node.args.args], parameters, name)
            compared += 1
        self.assertGreater(compared, 25)


if __name__ == "__main__":
    unittest.main()
