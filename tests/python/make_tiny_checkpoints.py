# SPDX-License-Identifier: Apache-2.0
"""make_tiny_checkpoints.py: tests/golden/pth and the seeds of its fuzzers, as Debian's PyTorch 1.13 writes them."""
import io
import os
import zipfile
from collections import OrderedDict

import torch

root = os.path.join(os.path.dirname(__file__), "..")
golden, seeds = os.path.join(root, "golden", "pth"), os.path.join(root, "fuzz", "seeds")

state = OrderedDict([("a.weight", torch.arange(6.0).reshape(2, 3) / 4 - 0.5), ("a.bias", torch.tensor([1.5, -2.0])),
                     ("n.num_batches_tracked", torch.tensor(5))])
state._metadata = OrderedDict([("", {"version": 1})])
tensors = torch.arange(24.0)
forms = {
    "nested.pth": ({"epoch": 3, "state_dict": state}, {}),
    "nested_old.pth": ({"epoch": 3, "state_dict": state}, {"_use_new_zipfile_serialization": False}),
    "bare_protocol4.pth": (dict(state), {"pickle_protocol": 4}),
    "transposed_old.pth": ({"t": tensors[:12].reshape(3, 4).t(), "tail": tensors[12:].reshape(2, 6)[:, ::2]},
                           {"_use_new_zipfile_serialization": False}),
    "half.pth": ({"h": torch.tensor([1.0, -0.5]).half(), "b": torch.tensor([3.0]).bfloat16(),
                  "d": torch.tensor([0.25]).double()}, {}),
    "parameter.pth": ({"state_dict": {"p": torch.nn.Parameter(torch.tensor([[2.0]]))}}, {}),
}
for name, (value, options) in forms.items():
    torch.save(value, os.path.join(golden, name), **options)

# The same as nested.pth, packed by another program: deflated, as zip64.
with zipfile.ZipFile(os.path.join(golden, "nested.pth")) as stored, \
        zipfile.ZipFile(os.path.join(golden, "deflated.pth"), "w", zipfile.ZIP_DEFLATED) as deflated:
    for name in stored.namelist():
        with deflated.open(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), "w", force_zip64=True) as entry:
            entry.write(stored.read(name))

for name in list(forms) + ["deflated.pth"]:
    with open(os.path.join(golden, name), "rb") as file:
        content = file.read()
    with open(os.path.join(seeds, "pth_fuzz", name), "wb") as file:
        if zipfile.is_zipfile(io.BytesIO(content)):
            archive = zipfile.ZipFile(io.BytesIO(content))
            file.write(b"Z" + archive.read([n for n in archive.namelist() if n.endswith("data.pkl")][0]))
        else:
            file.write(content)
    if "old" not in name:
        with open(os.path.join(seeds, "zip_archive_fuzz", name), "wb") as file:
            file.write(content)
