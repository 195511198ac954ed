#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Medians and ratios of what bench/compare.sh measured, as a table; begins with the CPU, ends with what was left out."""
import argparse
import json
import statistics

PEERS = {"pytorch": "PyTorch", "tuned": "PyTorch, tuned"}
# The row's title, what of ours and the rate in it, what of the peer's and the rate in it.
ROWS = [
    ("embedding fp32 ({engine}), patches/s", "embed fp32", "patches_per_s", "embed", "patches_per_s"),
    ("embedding int8 ({engine}), patches/s", "embed simd-int8", "patches_per_s", "embed", "patches_per_s"),
    ("embedding int8 ({engine}), patches/s", "embed onednn-int8", "patches_per_s", "embed", "patches_per_s"),
    ("training, forward + backward, pairs/s", "step", "forward_backward_pairs_per_s", "pass", "pairs_per_s"),
    ("iteration, n {n}, k {k}, pairs/s", "step", "pairs_per_s", "step", "pairs_per_s"),
]


def results(lines, who, what):
    """By round."""
    return {line["round"]: line["result"] for line in lines if (line["who"], line["what"]) == (who, what)}


def rows(lines):
    """What was measured of ROWS, without and with each peer that ran."""
    peers = [who for who in PEERS if results(lines, who, "embed")] or [None]
    for peer in peers:
        for title, what, key, against, peer_key in ROWS:
            ours = results(lines, "adasample", what)
            if not ours:
                continue
            one = next(iter(ours.values()))
            row = {"what": title.format(engine=one.get("engine"), n=one.get("n"), k=one.get("k")),
                   "ours": statistics.median(result[key] for result in ours.values()), "rounds": len(ours)}
            if peer:
                theirs = results(lines, peer, against)
                if set(ours) != set(theirs):
                    raise SystemExit(f"compare_table.py: {what}: rounds {sorted(ours)} of ours, {sorted(theirs)} of the peer's")
                ratios = [ours[i][key] / theirs[i][peer_key] for i in ours]
                row |= {"peer": PEERS[peer], "theirs": statistics.median(result[peer_key] for result in theirs.values()),
                        "ratio": statistics.median(ratios), "low": min(ratios), "high": max(ratios)}
            yield row


def table(lines):
    yield "| work | adasample | the peer | its rate | ratio, median of rounds | from | to | rounds |\n|---|---|---|---|---|---|---|---|"
    for row in rows(lines):
        if "ratio" in row:
            yield "| {what} | {ours:,.0f} | {peer} | {theirs:,.0f} | **{ratio:.2f}** | {low:.2f} | {high:.2f} | {rounds} |".format(**row)
        else:
            yield "| {what} | {ours:,.0f} | - | - | - | - | - | {rounds} |".format(**row)


def notes(lines, arguments):
    for who in PEERS:
        embed = results(lines, who, "embed")
        if embed:
            one = next(iter(embed.values()))
            yield (f"{PEERS[who]}: {one['torch']}, fp32, {one['threads']} threads; embeds as {one['mode']}, {one['embed_batch']} patches "
                   f"at a time. n = {one['n']}, k = {one['k']}.")
    if arguments.skipped:
        with open(arguments.skipped, encoding="utf-8") as file:
            yield from (line.strip() for line in file)
    if arguments.load > 0.5:
        yield f"The machine was busy (load {arguments.load:.1f}) when this began: not to be quoted."


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lines")
    parser.add_argument("--load", type=float, default=0, help="average of the machine before it began")
    parser.add_argument("--cpu", default="")
    parser.add_argument("--isa", default="", help="the instruction set, or what it was limited to")
    parser.add_argument("--skipped", help="a file of lines that say what was left out")
    arguments = parser.parse_args()
    with open(arguments.lines, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    if arguments.cpu:
        print(f"{arguments.cpu}, {arguments.isa}\n")
    for line in table(lines):
        print(line)
    for note in notes(lines, arguments):
        print("\n" + note)


if __name__ == "__main__":
    main()
