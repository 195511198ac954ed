# SPDX-License-Identifier: Apache-2.0
"""Tensors in and out, the network as a module, and the training loop of the examples."""
import pathlib
import sys
import unittest

from support import ROOT, Case, need, np, patches

torch = need("torch")

import adasample
import adasample.torch

sys.path.insert(0, str(ROOT / "python" / "examples"))


class Tensors(Case):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(2)
        cls.model, cls.patches = adasample.load(), patches(64)
        cls.rows = cls.model.describe(cls.patches)

    def test_a_tensor_gives_a_tensor_and_shares_its_memory(self):
        tensor = torch.from_numpy(self.patches)
        found = self.model.describe(tensor.unsqueeze(1))
        self.assertIsInstance(found, torch.Tensor)
        self.assertEqual(found.numpy().tobytes(), self.rows.tobytes())
        seen = adasample.arrays.view(tensor, "patches")
        self.assertEqual(seen.__array_interface__["data"][0], tensor.data_ptr())
        self.assertEqual(adasample.fpr95(torch.tensor([True, False]), torch.tensor([0.1, 0.2], requires_grad=True)), 0)

    def test_tensors_that_are_refused(self):
        tensor = torch.from_numpy(self.patches)
        for wrong, parts in ((tensor.float(), ("float32 (64, 32, 32)",)), (tensor.transpose(1, 2), ("C order", ".contiguous()")),
                             (torch.empty(2, 32, 32, dtype=torch.uint8, device="meta"), ("in the CPU's memory", "found one on meta", ".cpu()")),
                             (tensor.to_sparse(), ("patches: expected an array of numbers",)), (tensor[:0], ("at least one patch",))):
            self.refuses(lambda: self.model.describe(wrong), *parts, kind=adasample.UsageError)

    def test_the_module_is_the_engines_network(self):
        net = adasample.torch.Descriptor()
        self.assertFalse(net.training)
        with torch.no_grad():
            for scale in (1.0, 255.0):  # any range: patches are normalised
                rows = net(torch.from_numpy(self.patches).float().unsqueeze(1) / scale)
                self.assertLess((rows - torch.from_numpy(self.rows)).abs().max().item(), 2e-5)
            self.assertLess((net(torch.from_numpy(self.patches).unsqueeze(1)) - torch.from_numpy(self.rows)).abs().max().item(), 2e-5)
        rows.requires_grad_()
        self.assertTrue(net(torch.rand(2, 1, 32, 32)).requires_grad)

    def test_saved_weights_are_a_model(self):
        torch.manual_seed(1)
        net = adasample.torch.Descriptor(None)
        net.train()(torch.rand(8, 1, 32, 32))  # statistics of its own
        net.eval().save(self.tmp / "w.safetensors", seed=7)
        rows = adasample.load(self.tmp / "w.safetensors").describe(self.patches)
        with torch.no_grad():
            expected = net(torch.from_numpy(self.patches).float().unsqueeze(1)).numpy()
        self.assertLess(np.abs(rows - expected).max(), 2e-5)
        again = adasample.torch.Descriptor(self.tmp / "w.safetensors")
        self.assertEqual(again.state_dict()["features.19.weight"].numpy().tobytes(), net.state_dict()["features.19.weight"].numpy().tobytes())
        self.refuses(lambda: net.save(self.tmp / "w.safetensors"), "exists")
        self.refuses(lambda: net.save(self.tmp / "no" / "w.safetensors"), "no")
        self.assertEqual([p.name for p in self.tmp.iterdir()], ["w.safetensors"])

    def test_what_is_no_network(self):
        for content in (b"", b"short", b"\xff" * 64, (9).to_bytes(8, "little") + b'{"a": 1}x', (2).to_bytes(8, "little") + b"{}"):
            (self.tmp / "junk").write_bytes(content)
            self.refuses(lambda: adasample.torch.Descriptor(self.tmp / "junk"), "junk: expected")
        self.refuses(lambda: adasample.torch.Descriptor("nothing"), "nothing")
        self.refuses(lambda: adasample.torch.Descriptor(None)(torch.zeros(2, 3, 32, 32)), "expected (n, 1, 32, 32), found torch.float32 (2, 3, 32, 32)")

    def test_the_loop_learns(self):
        import train_loop

        random = np.random.default_rng(4)
        views = patches(40, 9).astype(int)[:, None] + random.normal(0, 30, (40, 4, 32, 32))
        adasample.write_store(self.tmp / "s", np.clip(views, 0, 255).astype(np.uint8))
        told = []
        net = train_loop.train(adasample.open_store(self.tmp / "s"), 12, n=16, k=3, lr=1.0, tell=lambda text, **_: told.append(text))
        self.assertEqual(len(told), 1)
        score = adasample.evaluate_patches(self.tmp / "s", adasample.from_function(
            lambda p: net(torch.from_numpy(p).unsqueeze(1)).detach()), pairs=300)
        self.assertLess(score["fpr95"], 0.7)


if __name__ == "__main__":
    unittest.main()
