#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""AdaSample in PyTorch, as its user would write it with care: what adasample's speed is compared with.

One JSON line a mode: pairs/s of a whole iteration (draw n classes, embed their k patches, draw pairs by Eq. 13, loss of
Eq. 14 and 15, backward, SGD) and patches/s of embedding n k patches alone, in the best of the given batch sizes. Patches lie
on the device as bytes. For CPUs there are the modes channels_last, and frozen: TorchScript with batch norm folded and ReLU
fused, which can only embed.
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


def chunks(patches, size):
    return patches.split(size) if size else (patches,)


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
        self.batch = arguments.embed_batches[0]
        self.frozen = mode == "frozen"
        self.run = torch.compile(self.net, mode="max-autotune") if mode.endswith("compile") else self.net
        self.optimiser = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.5, weight_decay=1e-4)
        self.average = torch.ones((), device=self.device)
        self.rows = torch.arange(self.n, device=self.device)

    def autocast(self):
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)

    def embed(self, patches):
        self.net.eval()
        with torch.no_grad(), self.autocast():  # no inference_mode: the weights of the loss come from this
            return torch.cat([self.run(chunk) for chunk in chunks(patches, self.batch)])

    def embedder(self, batch):
        """For embedding alone, where more can be had: `batch` patches at a time."""
        self.net.eval()
        run = self.run
        if self.frozen:
            with torch.no_grad():
                example = torch.zeros(batch or self.n * self.k, 1, 32, 32, device=self.device)
                run = torch.jit.optimize_for_inference(torch.jit.freeze(torch.jit.trace(self.net, example)))
        def embed(patches):
            with torch.no_grad() if self.cuda else torch.inference_mode(), self.autocast():
                return [run(chunk) for chunk in chunks(patches, batch)]
        return embed

    def train_pass(self, pairs):
        """Forward and backward of 2n patches with the loss between them, and nothing else."""
        self.net.train()
        with self.autocast():
            descriptors = self.run(pairs)
        loss, _ = weighted_loss(descriptors[: self.n], descriptors[self.n :], torch.ones(self.n, device=self.device))
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()

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


def measure_step(peer, arguments):
    for _ in range(arguments.warmup):
        peer.step()
    step = peer.seconds(peer.step, arguments.rounds)
    return {"pairs_per_s": peer.n / step, "iter_ms": 1e3 * step, "tflops": (peer.k + 6) * peer.n * FLOPS / step / 1e12}


def measure_pass(peer, arguments):
    pairs = peer.data.view(-1, 1, 32, 32)[: 2 * peer.n].float()
    for _ in range(arguments.warmup):
        peer.train_pass(pairs)
    seconds = peer.seconds(lambda: peer.train_pass(pairs), arguments.rounds)
    return {"pairs_per_s": peer.n / seconds, "pass_ms": 1e3 * seconds, "tflops": 6 * peer.n * FLOPS / seconds / 1e12}


def measure_embed(peer, arguments):
    patches = peer.data[: peer.n].float().view(-1, 1, 32, 32)
    rates = {}
    for batch in arguments.embed_batches:
        embed = peer.embedder(batch)
        for _ in range(2):  # a frozen network is specialised in its first calls
            embed(patches)
        rates[batch] = len(patches) / peer.seconds(lambda: embed(patches), arguments.rounds)
    best = max(rates, key=rates.get)
    return {"patches_per_s": rates[best], "embed_tflops": rates[best] * FLOPS / 1e12, "embed_batch": best,
            "patches_per_s_by_batch": rates}


def measure(arguments, mode):
    if mode == "frozen" and arguments.only != "embed":
        raise SystemExit("peer_torch.py: the mode frozen cannot train; say --only embed")
    peer = Peer(arguments, mode)
    line = {"mode": mode, "n": peer.n, "k": peer.k, "torch": torch.__version__, "threads": torch.get_num_threads()}
    if arguments.only == "pass":
        return line | measure_pass(peer, arguments)
    if arguments.only != "embed":
        line |= measure_step(peer, arguments)
    if arguments.only != "step":
        line |= measure_embed(peer, arguments)
    return line


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--modes", default="fp32,tf32,bf16,bf16-compile", help="also channels_last and frozen: fp32, for CPUs")
    parser.add_argument("--only", choices=["embed", "step", "pass"], help="measure one of the two; or pass: forward and backward of training alone")
    parser.add_argument("--n", type=int, default=1024)
    parser.add_argument("--k", type=int, default=15)
    parser.add_argument("--classes", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--warmup", type=int, default=5)
    parser.add_argument("--embed-batches", type=lambda text: [int(word) for word in text.split(",")], default=[0],
                        help="patches embedded at a time, for example 64,256,960; the best counts, and an iteration takes the first; 0: all")
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
