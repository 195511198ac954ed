# SPDX-License-Identifier: Apache-2.0
"""The network as a module of PyTorch: for kornia's LAFDescriptor, for GPUs, for training and fine-tuning in your own loop.

    kornia.feature.LAFDescriptor(adasample.torch.Descriptor(), patch_size=32)

`adasample.load` is the faster way to describe patches on a CPU.
"""
from __future__ import annotations

from typing import Optional

import numpy as np
import torch
from torch import Tensor, nn

from . import checks, safetensors
from .checks import Path
from .errors import Error, UsageError

_LAYERS = ((1, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1))  # in, out, stride


class Descriptor(nn.Module):
    """L2-Net in HardNet's layout: (n, 1, 32, 32) to (n, 128), rows of norm 1. Grey values of any range, 0 to 1 or 0 to 255.

    weights: "default", a weights file, a run folder; or None for fresh ones, to be trained.

    >>> net = Descriptor()
    >>> net(torch.zeros(2, 1, 32, 32)).shape
    torch.Size([2, 128])
    """

    def __init__(self, weights: Optional[Path] = "default", *, dropout: float = 0.3) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for ins, outs, stride in _LAYERS:
            layers += [nn.Conv2d(ins, outs, 3, stride, 1, bias=False), nn.BatchNorm2d(outs, affine=False), nn.ReLU()]
        layers += [nn.Dropout(dropout), nn.Conv2d(128, 128, 8, bias=False), nn.BatchNorm2d(128, affine=False)]
        self.features = nn.Sequential(*layers)
        if weights is None:
            for layer in self.features:
                if isinstance(layer, nn.Conv2d):
                    nn.init.orthogonal_(layer.weight, gain=0.6)  # type: ignore[no-untyped-call]
            return
        from . import _native  # knows where the default weights are; a fresh network needs none

        file = _native.weights_file(checks.path(weights, "weights"))
        arrays, metadata = safetensors.read(file)
        if metadata.get("architecture", "l2net") != "l2net":
            raise Error(f"{file}: expected weights of l2net, found {metadata['architecture']}")
        expected = self.state_dict()
        for name, value in expected.items():
            if name in arrays and tuple(arrays[name].shape) == tuple(value.shape):
                expected[name] = torch.from_numpy(np.array(arrays[name])).to(value.dtype)
            elif not name.endswith("num_batches_tracked"):
                found = f"shape {tuple(arrays[name].shape)}" if name in arrays else "none"
                raise Error(f"{file}: expected {name} of shape {tuple(value.shape)}, found {found}")
        self.load_state_dict(expected)
        self.eval()

    def forward(self, patches: Tensor) -> Tensor:  # (n, 1, 32, 32) -> (n, 128)
        if patches.dim() != 4 or patches.shape[1:] != (1, 32, 32):
            raise UsageError(f"patches: expected (n, 1, 32, 32), found {patches.dtype} {tuple(patches.shape)}")
        x = patches if patches.is_floating_point() else patches.to(self.features[0].weight.dtype)
        mean, deviation = x.mean((1, 2, 3), keepdim=True), x.std((1, 2, 3), keepdim=True)
        y = self.features((x - mean) / (deviation + 1e-7)).flatten(1)
        rows: Tensor = y / torch.sqrt((y * y).sum(1, keepdim=True) + 1e-10)
        return rows

    def save(self, file: Path, seed: Optional[int] = None) -> None:
        """Writes weights that `adasample.load` and the program's --model read, to a new file."""
        arrays = {name: value.detach().cpu().numpy() for name, value in self.state_dict().items()}
        metadata = {"architecture": "l2net", **({} if seed is None else {"seed": str(seed)})}
        safetensors.write(file, arrays, metadata)
