#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AdaSample in PyTorch, as its user would write it with care: what adasample's speed is compared with.

One JSON line a mode: pairs/s of a whole iteration (draw n classes, embed their k patches, draw pairs by Eq. 13, loss of
Eq. 14 and 15, backward, SGD) and patches/s of embedding alone. Patches lie on the device as bytes.
"""
import argparse
import contextlib
import io
import json
import statistics
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F

LAYERS = [(1, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1)]
FLOPS = 78_184_448  # of one patch forward: multiply-adds of the convolutions, times two


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        parts = []
        for inputs, outputs, stride in LAYERS:
            parts += [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs, affine=False), nn.ReLU(True)]
        parts += [nn.Dropout(0.3), nn.Conv2d(128, 128, 8, bias=False), nn.BatchNorm2d(128, affine=False)]
        self.features = nn.Sequential(*parts)
        for layer in self.features:
            if isinstance(layer, nn.Conv2d):
                nn.init.orthogonal_(layer.weight, gain=0.6)

    def forward(self, patches):
        deviation, mean = torch.std_mean(patches, dim=(1, 2, 3), keepdim=True)
        return F.normalize(self.features((patches - mean) / (deviation + 1e-7)).flatten(1).float(), dim=1)


def angle(similarity):
    return similarity.clamp(-1 + 1e-6, 1 - 1e-6).acos()


def weighted_loss(anchors, positives, weights):
    """Eq. 14 and 15; also the unweighted mean."""
    own = torch.eye(len(anchors), dtype=torch.bool, device=anchors.device)
    nearest = [angle((x @ x.T).masked_fill(own, -1)).amin(1) for x in (anchors, positives)]
    loss = F.relu(1 + angle((anchors * positives).sum(1)).square() - torch.minimum(*nearest).square())
    return (weights * loss).mean(), loss.detach().mean()


class Peer:
    def __init__(self, arguments, mode):
        self.n, self.k, self.device = arguments.n, arguments.k, torch.device(arguments.device)
        self.bf16 = mode.startswith("bf16")
        self.cuda = self.device.type == "cuda"
        if self.cuda:
            torch.backends.cudnn.benchmark = True
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = mode != "fp32"
        torch.manual_seed(0)
        self.data = torch.randint(256, (arguments.classes, self.k, 1, 32, 32), dtype=torch.uint8, device=self.device)
        self.net = Net().to(self.device)
        if self.bf16 or mode == "channels_last":
            self.net = self.net.to(memory_format=torch.channels_last)
        self.run = torch.compile(self.net, mode="max-autotune") if mode.endswith("compile") else self.net
        self.optimiser = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.5, weight_decay=1e-4)
        self.average = torch.ones((), device=self.device)
        self.rows = torch.arange(self.n, device=self.device)

    def autocast(self):
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)

    def embed(self, patches):
        self.net.eval()
        with torch.no_grad(), self.autocast():
            return self.run(patches)

    def step(self):
        classes = torch.randperm(len(self.data), device=self.device)[: self.n]
        patches = self.data[classes].float()
        descriptors = self.embed(patches.view(-1, 1, 32, 32)).view(self.n, self.k, -1)
        anchor = torch.randint(self.k, (self.n,), device=self.device)
        distance = angle((descriptors * descriptors[self.rows, anchor, None]).sum(2))
        score = (distance.log() * (10 / self.average)).scatter(1, anchor[:, None], -torch.inf)
        positive = torch.multinomial(score.softmax(1), 1).squeeze(1)
        weights = 1 / distance[self.rows, positive]
        self.net.train()
        with self.autocast():
            pairs = self.run(torch.cat([patches[self.rows, anchor], patches[self.rows, positive]]))
        loss, plain = weighted_loss(pairs[: self.n], pairs[self.n :], weights / weights.mean())
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        self.optimiser.step()
        self.average = 0.99 * self.average + 0.01 * plain

    def seconds(self, work, rounds):
        """Of one `work`: the median over rounds of a block of ten, waited for once."""
        block = 10 if self.cuda else 1
        def once():
            begin = time.perf_counter()
            for _ in range(block):
                work()
            if self.cuda:
                torch.cuda.synchronize()
            return (time.perf_counter() - begin) / block
        return statistics.median(once() for _ in range(rounds))


def measure(arguments, mode):
    peer = Peer(arguments, mode)
    for _ in range(arguments.warmup):
        peer.step()
    step = peer.seconds(peer.step, arguments.rounds)
    patches = peer.data[: peer.n].float().view(-1, 1, 32, 32)
    peer.embed(patches)
    embed = peer.seconds(lambda: peer.embed(patches), arguments.rounds)
    return {"mode": mode, "n": peer.n, "k": peer.k, "pairs_per_s": peer.n / step, "iter_ms": 1e3 * step,
            "tflops": (peer.k + 6) * peer.n * FLOPS / step / 1e12, "patches_per_s": len(patches) / embed,
            "embed_tflops": len(patches) * FLOPS / embed / 1e12, "torch": torch.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--modes", default="fp32,tf32,bf16,bf16-compile", help="also channels_last: fp32, for CPUs")
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--k", type=int, default=15)
    parser.add_argument("--classes", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.threads:
        torch.set_num_threads(arguments.threads)
    for mode in arguments.modes.split(","):
        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):  # torch.compile talks
            line = measure(arguments, mode)
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    sys.exit(main())
