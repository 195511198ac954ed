# SPDX-License-Identifier: Apache-2.0
"""AdaSampler and the losses against the golden figures that the C++ code is tested by."""
import doctest
import importlib
import json
import math
import pathlib
import sys
import unittest

try:
    import torch
except ImportError:
    print("python3-torch is not installed")
    sys.exit(77)  # skipped, for CTest

import adasample
from adasample import distance, losses, sampler

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests" / "golden"


def golden(name):
    return json.loads((GOLDEN / name).read_text())


def number(value):
    return math.inf if value == "inf" else float(value)


def double(rows):
    return torch.tensor(rows, dtype=torch.float64)


class Golden(unittest.TestCase):
    def assertClose(self, found, expected, bound, message=""):
        self.assertLess((found - double(expected)).abs().max().item(), bound, message)

    def test_probabilities(self):
        cases = golden("adasample/sampling_probabilities.json")["cases"]
        for case in cases:
            d = double([case["d"]])
            found = sampler.relative_probability(d, torch.ones_like(d, dtype=torch.bool), number(case["exponent"]))
            self.assertClose(found[0] / found[0].sum(), case["p"], 1e-9, case)
        self.assertGreater(len(cases), 20)

    def test_picks(self):
        for case in golden("adasample/class_pick.json"):
            x = double(case["descriptors"])
            d = distance.row_distance(x, x[case["anchor"]].unsqueeze(0))
            candidates = torch.ones(1, len(x), dtype=torch.bool)
            candidates[0, case["anchor"]] = False
            exponent = number(case["lambda"]) / case["L_avg"] if case["lambda"] else 0.0
            q = sampler.relative_probability(d.unsqueeze(0), candidates, exponent)
            self.assertClose(q[0][case["candidates"]] / q.sum(), case["p"], 1e-9)
            for u, expected in case["picks_for_u (first candidate with cdf > u)"].items():
                self.assertEqual(sampler.pick(q, double([float(u)])).item(), expected)

    def test_hinges(self):
        checked = 0
        for name in ("losses_n6_k5.json", "losses_n4_k3_hinge_partly_off.json"):
            file = golden(f"adasample/{name}")
            for record in file["records"]:
                if not record["squared"] or record["negatives"] == "cross_row":
                    continue
                a, p = double(file["anchor"]).requires_grad_(), double(file["positive"]).requires_grad_()
                loss = losses.hinge_triplet(a, p, metric="angular" if record["loss"] == "AHT" else "euclidean",
                                            margin=record["margin"], negatives=record["negatives"])
                self.assertClose(loss.detach(), record["L_i"], 1e-9)
                w = double(record["w_mean1"])
                for kind, weight in (("grad_unweighted", torch.ones_like(w)), ("grad_w_mean1", w)):
                    if kind in record:
                        ga, gp = torch.autograd.grad((weight * loss).mean(), (a, p), retain_graph=True)
                        self.assertClose(ga, record[kind]["anchor_analytic"], 1e-7)
                        self.assertClose(gp, record[kind]["positive_analytic"], 1e-7)
                checked += 1
        self.assertGreaterEqual(checked, 24)

    def test_hardnet(self):
        for record in golden("hardnet_loss/expected.json").values():
            expected = record["losses"]["min|swap=True|triplet_margin|margin=1.0"]
            a, p = double(record["anchor"]).requires_grad_(), double(record["positive"]).requires_grad_()
            loss = losses.hardnet(a, p).mean()
            self.assertAlmostEqual(loss.item(), expected["loss"], 9)
            for found, name in zip(torch.autograd.grad(loss, (a, p)), ("grad_anchor", "grad_positive")):
                self.assertClose(found, expected[name], 1e-9)

    def test_running_loss(self):
        file = golden("adasample/moving_average.json")
        for decay in (0.9, 0.99):
            drawn = sampler.AdaSampler(decay=decay, margin=file["losses"][0])
            for loss, expected in zip(file["losses"][1:], file["ema_init_first (m = b*m + (1-b)*x)"][str(decay)][1:]):
                drawn.update(torch.tensor([loss, loss]))
                self.assertAlmostEqual(drawn.average, expected, 6)


class Draws(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        self.x = torch.nn.functional.normalize(torch.randn(50, 6, 8), dim=-1)
        self.counts = torch.randint(2, 7, (50,))

    def test_in_class_reproducible_and_harder_with_lambda(self):
        mean = []
        for lam in (0.0, 5.0, math.inf):
            first, again = (sampler.AdaSampler(lam, seed=4).draw(self.x, self.counts) for _ in range(2))
            self.assertTrue(torch.equal(first.positive, again.positive))
            self.assertTrue(((first.positive < self.counts) & (first.anchor < self.counts)).all())
            self.assertTrue((first.positive != first.anchor).all())
            mean.append(first.distance.mean().item())
        self.assertLess(mean[0], mean[1])
        self.assertLess(mean[1], mean[2])

    def test_draws_follow_the_probabilities(self):
        x, drawn = self.x[:1].expand(20000, 6, 8), sampler.AdaSampler(5, seed=1)
        pairs = drawn.draw(x)
        for anchor in range(6):
            rows = pairs.anchor == anchor
            share = torch.bincount(pairs.positive[rows], minlength=6) / rows.sum()
            self.assertLess((share - pairs.probability[rows][0]).abs().max().item(), 0.03)

    def test_weights_and_state(self):
        drawn = sampler.AdaSampler(5, weights="distance", seed=2)
        pairs = drawn.draw(self.x)
        self.assertAlmostEqual(pairs.weight.mean().item(), 1, 5)
        self.assertTrue(torch.allclose(pairs.weight * pairs.distance, (pairs.weight * pairs.distance)[0].expand(50)))
        drawn.update(torch.full((50,), 0.5))
        state, next_draw = drawn.state_dict(), drawn.draw(self.x)
        other = sampler.AdaSampler(5, weights="distance", seed=9)
        other.load_state_dict(state)
        self.assertTrue(torch.equal(other.draw(self.x).positive, next_draw.positive))
        self.assertGreater(drawn.exponent, 5)

    def test_what_is_refused(self):
        for wrong, part in ((lambda: sampler.AdaSampler(-1), "lam = -1"), (lambda: sampler.AdaSampler(math.nan), "lam = nan"),
                            (lambda: sampler.AdaSampler(weights="eq9"), "none, distance"),
                            (lambda: sampler.AdaSampler(metric="cosine"), "angular, euclidean"),
                            (lambda: sampler.AdaSampler().draw(self.x[0]), r"found torch.float32 \(6, 8\)"),
                            (lambda: sampler.AdaSampler().draw(self.x, self.counts * 0), "from 2 to 6"),
                            (lambda: sampler.AdaSampler().update(torch.tensor([math.nan])), "not finite"),
                            (lambda: losses.hinge_triplet(self.x[0], self.x[0], negatives="hard"), "eq14, cross, all"),
                            (lambda: losses.hinge_triplet(self.x[0], self.x[0][:3]), "one shape"),
                            (lambda: losses.hardnet(self.x[0][:1], self.x[0][:1]), "at least 2 pairs")):
            with self.assertRaisesRegex(ValueError, part):
                wrong()

    def test_gradients_stay_finite(self):
        u = torch.nn.functional.normalize(torch.ones(1, 8))
        a = torch.cat([u, u, -u]).requires_grad_()
        losses.hinge_triplet(a, torch.cat([u, -u, u]), duplicates=0.008).mean().backward()
        self.assertTrue(torch.isfinite(a.grad).all())


class Module(unittest.TestCase):
    def test_examples_of_the_docstrings(self):
        for name in ("distance", "losses", "sampler"):
            module = importlib.import_module(f"adasample.{name}")
            self.assertEqual(doctest.testmod(module, extraglobs={"torch": torch}).failed, 0, name)

    def test_names(self):
        self.assertIs(adasample.AdaSampler, sampler.AdaSampler)
        self.assertIs(adasample.losses, losses)
        with self.assertRaisesRegex(AttributeError, "has no attribute 'nothing'"):
            adasample.nothing

    def test_without_the_extension(self):
        """This test's path is that of the sources, where no extension lies."""
        with self.assertRaisesRegex(adasample.Error, "expected the extension _native"):
            adasample.load
        self.assertEqual(adasample.torch.Descriptor(None)(torch.zeros(2, 1, 32, 32)).shape, (2, 128))


if __name__ == "__main__":
    unittest.main()
