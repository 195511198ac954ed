#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Of a list of pairs (adasample pairs --top N --out LIST), how many true overlaps it keeps: recall.py LIST N GROUP[=DATABASE]..
A GROUP is the beginning of the names of pictures of one scene. Pictures of a group overlap all with all, or, with a DATABASE of
COLMAP's that was matched exhaustively (names without GROUP), where it has 15 inliers or more. Every picture is asked with how many of
those that it overlaps the list has it paired, of N at most: the mean share, by group and over all pictures."""
import collections
import sqlite3
import sys

MOST_IMAGES = 2147483647


def overlaps(members, group, database):
    if not database:
        return {a: {b for b in members if b != a} for a in members}
    found = collections.defaultdict(set)
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        names = {i: group + name for i, name in connection.execute("SELECT image_id, name FROM images")}
        for pair, in connection.execute("SELECT pair_id FROM two_view_geometries WHERE rows >= 15"):
            a, b = names[pair // MOST_IMAGES], names[pair % MOST_IMAGES]
            found[a].add(b)
            found[b].add(a)
    return found


path, top, groups = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
partners = collections.defaultdict(set)
with open(path, encoding="utf-8") as lines:
    for line in lines:
        a, b = line.rstrip("\n").split("\t") if "\t" in line else line.split()
        partners[a].add(b)
        partners[b].add(a)
total = []
for argument in groups:
    group, _, database = argument.partition("=")
    members = [name for name in partners if name.startswith(group)]
    shares = []
    for member, true in overlaps(members, group, database).items():
        if true:
            wanted = min(top, len(true))
            shares.append(min(wanted, len(true & partners[member])) / wanted)
    total += shares
    print(f"{group:<20} {len(shares):>4} pictures  {sum(shares) / len(shares):.4f}")
print(f"{'all':<20} {len(total):>4} pictures  {sum(total) / len(total):.4f}")
