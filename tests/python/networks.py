# SPDX-License-Identifier: Apache-2.0
"""The field's networks as their published weights expect them, written from their papers' descriptions."""
import torch
from torch import nn


class HardNet(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        for ins, outs, stride in ((1, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1)):
            layers += [nn.Conv2d(ins, outs, 3, stride, 1, bias=False), nn.BatchNorm2d(outs, affine=False), nn.ReLU()]
        layers += [nn.Dropout(0.3), nn.Conv2d(128, 128, 8, bias=False), nn.BatchNorm2d(128, affine=False)]
        self.features = nn.Sequential(*layers)

    def forward(self, x):  # (n, 1, 32, 32), 0 to 255
        mean, std = x.mean((1, 2, 3), keepdim=True), x.std((1, 2, 3), keepdim=True)
        y = self.features((x - mean) / (std + 1e-7)).flatten(1)
        return y / torch.sqrt((y * y).sum(1, keepdim=True) + 1e-10)


class TFeat(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.InstanceNorm2d(1, affine=False), nn.Conv2d(1, 32, 7), nn.Tanh(),
                                      nn.MaxPool2d(2, 2), nn.Conv2d(32, 64, 6), nn.Tanh())
        self.descr = nn.Sequential(nn.Linear(64 * 8 * 8, 128), nn.Tanh())

    def forward(self, x):
        return self.descr(self.features(x).flatten(1))


class SOSNet(nn.Module):
    def __init__(self):
        super().__init__()
        layers = [nn.InstanceNorm2d(1, affine=False)]
        for ins, outs, stride in ((1, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1)):
            layers += [nn.Conv2d(ins, outs, 3, stride, 1, bias=False), nn.BatchNorm2d(outs, affine=False), nn.ReLU()]
        layers += [nn.Dropout(0.1), nn.Conv2d(128, 128, 8, bias=False), nn.BatchNorm2d(128, affine=False)]
        self.layers = nn.Sequential(*layers)

    def forward(self, x):
        return nn.functional.normalize(self.layers(x).flatten(1))


class FilterResponse(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, channels, 1, 1))
        self.bias = nn.Parameter(torch.zeros(1, channels, 1, 1))
        self.register_buffer("eps", torch.tensor([1e-6]))

    def forward(self, x):
        response = (x ** 2).mean((2, 3), keepdim=True)
        return self.weight * (x / torch.sqrt(response + self.eps.abs())) + self.bias


class Threshold(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.tau = nn.Parameter(-torch.ones(1, channels, 1, 1))

    def forward(self, x):
        return torch.maximum(x, self.tau)


class HyNet(nn.Module):
    def __init__(self):
        super().__init__()
        shapes = ((1, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1))
        for i, (ins, outs, stride) in enumerate(shapes):
            first = [FilterResponse(1), Threshold(1)] if i == 0 else []
            setattr(self, f"layer{i + 1}", nn.Sequential(*first, nn.Conv2d(ins, outs, 3, stride, 1),
                                                          FilterResponse(outs), Threshold(outs)))
        self.layer7 = nn.Sequential(nn.Dropout(0.3), nn.Conv2d(128, 128, 8, bias=False),
                                    nn.BatchNorm2d(128, affine=False))

    def forward(self, x):
        for i in range(1, 8):
            x = getattr(self, f"layer{i}")(x)
        return nn.functional.normalize(x.flatten(1))


class ConvNorm(nn.Conv2d):
    """TensorFlow's "same" padding: a stride of two pads the right and the lower border only."""

    def __init__(self, ins, outs, stride):
        super().__init__(ins, outs, 3, stride, 0, bias=False)
        self.bn = nn.BatchNorm2d(outs, affine=False)

    def forward(self, x):
        before = 0 if self.stride[0] == 2 else 1
        x = nn.functional.pad(x, (before, 1, before, 1))
        return torch.relu(self.bn(super().forward(x)))


class GeoDesc(nn.Module):
    def __init__(self):
        super().__init__()
        shapes = ((1, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1))
        for i, (ins, outs, stride) in enumerate(shapes):
            setattr(self, f"conv{i}", ConvNorm(ins, outs, stride))
        self.conv6 = nn.Conv2d(128, 128, 8, bias=False)

    def forward(self, x):
        mean, std = x.mean((1, 2, 3), keepdim=True), x.std((1, 2, 3), unbiased=False, keepdim=True)
        x = (x - mean) / (std + 1e-8)
        for i in range(7):
            x = getattr(self, f"conv{i}")(x)
        return nn.functional.normalize(x.flatten(1))


def randomise(net, seed):
    """Weights and statistics that no two layers share."""
    torch.manual_seed(seed)
    for name, value in net.state_dict().items():
        if name.endswith("running_var"):
            value.uniform_(0.5, 1.5)
        elif name.endswith("running_mean"):
            value.uniform_(-0.2, 0.2)
        elif value.dim() > 1:
            value.normal_(0, (2 / value[0].numel()) ** 0.5)
    return net.eval()
