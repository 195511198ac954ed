# SPDX-License-Identifier: Apache-2.0
"""AdaSample in a PyTorch loop: trains on a patch store, scores on another by `adasample eval patches`' own numbers.

    python3 train_loop.py demo/train demo/heldout --out net.safetensors

The defaults are the demo's: small batches, no dropout and no warm-up. Longer runs want a ramp of the exponent (docs/python.md).
"""
import argparse

import adasample
import numpy as np
import torch
from adasample import AdaSampler, losses


class Batches:
    """n classes a batch and at most k patches of each, in one random turn per class."""

    def __init__(self, store, n, k, seed):
        self.store, self.n, self.k, self.random = store, n, k, np.random.default_rng(seed)

    def draw(self):
        patches = np.zeros((self.n, self.k, 1, 32, 32), np.float32)
        counts = np.zeros(self.n, np.int64)
        for row, c in enumerate(self.random.choice(len(self.store), self.n, replace=self.n > len(self.store))):
            views = self.store[c]
            chosen = self.random.permutation(len(views))[: self.k]
            turned = np.rot90(views[chosen], self.random.integers(4), (1, 2))
            counts[row] = len(chosen)
            patches[row, : len(chosen), 0] = turned[:, :, ::-1] if self.random.integers(2) else turned
        return torch.from_numpy(patches), torch.from_numpy(counts)


def train(store, iterations, *, n=32, k=4, lam=5.0, lr=10.0, ramp=0.0, dropout=0.0, seed=0, tell=print):
    torch.manual_seed(seed)
    net = adasample.torch.Descriptor(None, dropout=dropout)
    optimiser = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.5, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda t: 1 - t / iterations)
    batches, sampler = Batches(store, n, k, seed), AdaSampler(lam=lam, seed=seed)
    for t in range(iterations):
        patches, counts = batches.draw()
        slots = torch.arange(k) < counts.unsqueeze(1)  # (n, k) those that hold a patch
        with torch.no_grad():
            x = torch.zeros(n, k, 128)
            x[slots] = net.eval()(patches[slots])
        pairs = sampler.draw(x, counts, ramp=min(1.0, t / (ramp * iterations)) if ramp else 1.0)
        rows = torch.arange(n)
        a, p = net.train()(torch.cat([patches[rows, pairs.anchor], patches[rows, pairs.positive]])).chunk(2)
        loss = losses.hinge_triplet(a, p, duplicates=0.008)
        optimiser.zero_grad()
        (pairs.weight * loss).mean().backward()
        optimiser.step()
        schedule.step()
        sampler.update(loss)
        if tell and t % 50 == 0:
            tell(f"iteration {t}: loss {loss.mean():.3f}, exponent {sampler.exponent:.2f}", flush=True)
    return net.eval()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data")
    parser.add_argument("heldout")
    parser.add_argument("--iterations", type=int, default=809)
    parser.add_argument("--batch", type=int, default=32, help="n: classes, and so pairs, per iteration")
    parser.add_argument("--k", type=int, default=4, help="candidates per class")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", required=True, help="weights to write")
    arguments = parser.parse_args()
    trained = train(adasample.open_store(arguments.data), arguments.iterations, n=arguments.batch, k=arguments.k, seed=arguments.seed)
    trained.save(arguments.out, seed=arguments.seed)
    scores = adasample.evaluate_patches(arguments.heldout, arguments.out, pairs=10000)
    print(f"FPR95 {100 * scores['fpr95']:.3f} %, AP {100 * scores['ap']:.3f} %")
