#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Medians and ratios of what bench/compare.sh measured. Usage: compare_table.py LINES.jsonl [--load LOAD]"""
import argparse
import json
import statistics

# What of ours stands against what of the peer's, and the rate both print.
ROWS = [("embed fp32", "embed", "patches_per_s"), ("embed int8", "embed", "patches_per_s"), ("step", "step", "pairs_per_s")]


def rates(lines, who, what, key):
    """By round."""
    return {line["round"]: line["result"][key] for line in lines if (line["who"], line["what"]) == (who, what)}


def check_engines(lines):
    for line in lines:
        asked = {"embed fp32": "onednn", "embed int8": "onednn-int8"}.get(line["what"])
        if asked and line["result"]["engine"] != asked:
            raise SystemExit(f"compare_table.py: {line['what']} ran by {line['result']['engine']}: this machine has no {asked}")


def rows(lines):
    for peer in ("pytorch", "tuned"):
        for what, against, key in ROWS:
            ours, theirs = rates(lines, "adasample", what, key), rates(lines, peer, against, key)
            if set(ours) != set(theirs) or not ours:
                raise SystemExit(f"compare_table.py: {what}: rounds {sorted(ours)} of ours, {sorted(theirs)} of the peer's")
            ratios = [ours[i] / theirs[i] for i in ours]
            yield {"what": what, "unit": key.replace("_per_s", "/s"), "adasample": statistics.median(ours.values()),
                   "peer": {"pytorch": "PyTorch", "tuned": "PyTorch, tuned"}[peer], "theirs": statistics.median(theirs.values()),
                   "ratio": statistics.median(ratios), "low": min(ratios), "high": max(ratios), "rounds": len(ratios)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lines")
    parser.add_argument("--load", type=float, default=0, help="average of the machine before it began")
    arguments = parser.parse_args()
    with open(arguments.lines, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    check_engines(lines)
    print("| work | adasample | the peer | its rate | ratio, median of rounds | from | to | rounds |\n|---|---|---|---|---|---|---|---|")
    for row in rows(lines):
        print("| {what}, {unit} | {adasample:,.0f} | {peer} | {theirs:,.0f} | {ratio:.2f} | {low:.2f} | {high:.2f} | {rounds} |".format(**row))
    for who in ("pytorch", "tuned"):
        one = next(line["result"] for line in lines if line["who"] == who and line["what"] == "embed")
        print(f"\n{who}: PyTorch {one['torch']}, fp32, {one['threads']} threads; embeds as {one['mode']}, {one['embed_batch']} patches at "
              f"a time. n = {one['n']}, k = {one['k']}.")
    if arguments.load > 0.5:
        print(f"\nThe machine was busy (load {arguments.load:.1f}) when this began: not to be quoted.")


if __name__ == "__main__":
    main()
