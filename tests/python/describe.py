# SPDX-License-Identifier: Apache-2.0
"""describe.py KIND FILE PATCHES.npy OUT.npy: descriptors of patches by PyTorch.
KIND: hardnet (a checkpoint, loaded with strict=True); sosnet, hynet, tfeat, geodesc (a state dict); torchscript of hardnet, or
torchscript-sosnet, .. of another."""
import sys

import numpy
import torch

from networks import GeoDesc, HardNet, HyNet, SOSNet, TFeat

kind, file, patches, out = sys.argv[1:]
torch.set_num_threads(2)
others = {"sosnet": SOSNet, "hynet": HyNet, "tfeat": TFeat, "geodesc": GeoDesc}
if kind.startswith("torchscript"):
    net = torch.jit.load(file)
    others.get(kind.partition("-")[2], HardNet)().load_state_dict(net.state_dict(), strict=True)
elif kind == "hardnet":
    net = HardNet()
    checkpoint = torch.load(file, weights_only=True)
    assert isinstance(checkpoint["epoch"], int)
    net.load_state_dict(checkpoint["state_dict"], strict=True)
else:
    net = others[kind]()
    net.load_state_dict(torch.load(file, weights_only=True), strict=True)
net.eval()
x = torch.from_numpy(numpy.load(patches)).float().unsqueeze(1)
with torch.no_grad():
    numpy.save(out, net(x).numpy())
