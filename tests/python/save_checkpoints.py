# SPDX-License-Identifier: Apache-2.0
"""save_checkpoints.py FOLDER: HardNet and TFeat with random weights in every form that torch.save has had; networks that
do not run here; and files that try to run something."""
import os
import pickle
import sys
from collections import OrderedDict

import torch

from networks import HardNet, TFeat, randomise

folder = sys.argv[1]


def save(name, value, **options):
    torch.save(value, os.path.join(folder, name), **options)


old = {"_use_new_zipfile_serialization": False}
net = randomise(HardNet(), 1)
state = net.state_dict()
bare = {name: value for name, value in state.items() if "tracked" not in name}
save("nested.pth", {"epoch": 9, "state_dict": state})
save("nested_old.pth", {"epoch": 9, "state_dict": state}, **old)
save("ordered.pth", state)
save("bare_old.pth", bare, **old)  # torch 0.2 kept no num_batches_tracked
save("protocol4.pth", state, pickle_protocol=4)
save("parallel.pth", OrderedDict(("module." + name, value) for name, value in state.items()))
save("half.pth", {"state_dict": {n: v.half() if v.is_floating_point() else v for n, v in state.items()}})
save("double.pth", {"state_dict": {n: v.double() if v.is_floating_point() else v for n, v in state.items()}}, **old)
save("bfloat.pth", {n: v.bfloat16() if v.is_floating_point() else v for n, v in state.items()})
save("strided.pth", {n: v.contiguous(memory_format=torch.channels_last) if v.dim() == 4 else v for n, v in state.items()})
save("parameters.pth", OrderedDict((n, torch.nn.Parameter(v, v.is_floating_point())) if v.dim() == 4 else (n, v)
                                   for n, v in state.items()))
save("training.pth", {"epoch": 1, "state_dict": state, "loss": 0.5, "optimizer": torch.optim.SGD(
    net.parameters(), lr=0.1, momentum=0.9).state_dict()})

tfeat = randomise(TFeat(), 2)
save("tfeat.params", tfeat.state_dict())
save("tfeat_old.params", tfeat.state_dict(), **old)

save("sosnet.pth", {"layers.1.weight": torch.zeros(32, 1, 3, 3)})
save("hynet.pth", {"layer1.2.weight": torch.zeros(32, 1, 3, 3)})
save("hardnetps.pth", {"features.0.weight": torch.zeros(32, 1, 3, 3), "features.0.bias": torch.zeros(32)})
save("hardnet8.pth", {"components": torch.zeros(512, 128), "features.0.weight": torch.zeros(32, 1, 3, 3)})
save("unknown.pth", {"encoder.weight": torch.zeros(2)})
save("wide.pth", {**state, "features.0.weight": torch.zeros(32, 3, 3, 3)})
save("number.pth", {"state_dict": {"features.0.weight": 3}})
save("whole_net.pth", net)


class Hostile:
    def __reduce__(self):
        return os.system, ("touch " + os.path.join(folder, "ran"),)


save("hostile.pth", {"state_dict": Hostile()})
save("hostile_old.pth", {"state_dict": Hostile()}, **old)
with open(os.path.join(folder, "hostile.pickle"), "wb") as file:
    pickle.dump(Hostile(), file, protocol=2)
