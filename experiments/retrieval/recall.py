#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Of a list of pairs (adasample pairs --top N --out LIST), how many true overlaps it keeps: recall.py LIST N GROUP..
A GROUP is the beginning of the names of pictures that all show one scene. For every picture of a group the list is asked how
many of the others it is paired with, of N at most: the mean share, by group and over all pictures."""
import collections
import sys

path, top, groups = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
partners = collections.defaultdict(set)
names = set()
with open(path, encoding="utf-8") as lines:
    for line in lines:
        a, b = line.rstrip("\n").split("\t") if "\t" in line else line.split()
        partners[a].add(b)
        partners[b].add(a)
        names |= {a, b}
total = []
for group in groups:
    members = [name for name in names if name.startswith(group)]
    wanted = min(top, len(members) - 1)
    shares = [min(wanted, sum(p.startswith(group) for p in partners[m])) / wanted for m in members]
    total += shares
    print(f"{group:<20} {len(members):>4} pictures  {sum(shares) / len(shares):.4f}")
print(f"{'all':<20} {len(total):>4} pictures  {sum(total) / len(total):.4f}")
