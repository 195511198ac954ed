# SPDX-License-Identifier: Apache-2.0
"""adasample's mutual nearest neighbours in hloc. Copy this file to hloc/matchers/adasample_matches.py; then

    conf = {"output": "matches-adasample", "model": {"name": "adasample_matches", "ratio": 0.95}}
    hloc.match_features.main(conf, pairs, "feats-adasample", outputs)
"""
import adasample
import numpy as np
import torch
from hloc.utils.base_model import BaseModel


class AdasampleMatches(BaseModel):
    default_conf = {"ratio": 1.0, "max_distance": float("inf")}
    required_inputs = ["descriptors0", "descriptors1"]

    def _init(self, conf):
        pass

    def _forward(self, data):
        sides = [data[name][0].T.contiguous().float().cpu().numpy() for name in self.required_inputs]  # (1, d, n) -> (n, d)
        matches = np.full((1, len(sides[0])), -1, np.int64)
        scores = np.zeros((1, len(sides[0])), np.float32)
        if len(sides[0]) and len(sides[1]):
            found = adasample.match(*sides, ratio=self.conf["ratio"], max_distance=self.conf["max_distance"])
            matches[0, found.pairs[:, 0]] = found.pairs[:, 1]
            scores[0, found.pairs[:, 0]] = 1 - found.distance / 2
        device = data["descriptors0"].device
        return {"matches0": torch.from_numpy(matches).to(device), "matching_scores0": torch.from_numpy(scores).to(device)}
