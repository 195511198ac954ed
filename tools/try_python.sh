#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The Python package in an empty Debian 12: a root made by debootstrap (root only) with Python and NumPy alone, in it the wheel in a venv without
# a network, and the Debian packages; each then runs the lines of README.md.
#   tools/try_python.sh WHEEL PYTHON_DEB WEIGHTS_DEB [ROOT]      ROOT: made where it is not there, kept; default: a temporary one
set -euo pipefail
[ $# -ge 3 ] || { echo "usage: tools/try_python.sh WHEEL PYTHON_DEB WEIGHTS_DEB [ROOT]" >&2; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(readlink -f "$1") deb=$(readlink -f "$2") weights=$(readlink -f "$3")
root=${4:-}
if [ -z "$root" ]; then
  root=$(mktemp -d)
  trap 'rm -rf --one-file-system "$root"' EXIT
fi
if [ ! -x "$root/usr/bin/python3" ]; then
  mirror=$({ cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources 2>/dev/null || true; } |
    awk '$1 == "deb" { for (i = 2; i <= NF; ++i) if ($i ~ /^(http|file|cdrom)/) { print $i; exit } } $1 == "URIs:" { print $2; exit }')
  debootstrap --variant=minbase --include=python3,python3-venv,python3-numpy bookworm "$root" "$mirror" >"$root.log" 2>&1 ||
    { tail -5 "$root.log" >&2; exit 1; }
fi
# README's Python lines, with two photographs of a made-up scene.
sed -n '/^## From Python/,/^## From C++/p' "$here/README.md" | sed -n '/^```python/,/^```$/p' | sed '/^```/d' >"$root/root/readme.py"
[ -s "$root/root/readme.py" ]
cat >"$root/root/pictures.py" <<'PYTHON'
import numpy as np
random, (y, x) = np.random.default_rng(3), np.mgrid[:240, :320]
image = np.full((240, 320), 120.0)
for _ in range(60):
    cx, cy, r = random.uniform(0, 320), random.uniform(0, 240), random.uniform(4, 16)
    image[(x - cx) ** 2 + (y - cy) ** 2 < r * r] = random.uniform(0, 255)
for name, shift in (("a.jpg", 0), ("b.jpg", 5)):  # what the bytes are decides, not the name
    open(name, "wb").write(b"P5\n320 240\n255\n" + np.roll(image, shift, 1).astype(np.uint8).tobytes())
PYTHON
cp "$wheel" "$deb" "$weights" "$root/root/"
# No network inside: a namespace of its own with no interface.
inside() { unshare --net chroot "$root" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 bash -euc "cd /root; $1"; }
python="import adasample, sys; print(adasample.__file__)"
echo "wheel:"
inside "rm -rf venv; python3 pictures.py; python3 -m venv --system-site-packages venv; venv/bin/pip install -q --no-index $(basename "$wheel")
  venv/bin/python -c '$python'; venv/bin/python readme.py
  venv/bin/python -c 'import adasample
try: adasample.train(\"s\", \"out\")
except adasample.Error as error: print(error)'"
echo "Debian packages:"
# What the package depends on beyond Python comes from the distribution.
chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -qq --no-install-recommends "/root/$(basename "$deb")" "/root/$(basename "$weights")" >"$root.log" 2>&1 || { tail -5 "$root.log" >&2; exit 1; }
inside "python3 -c '$python'; python3 readme.py"
