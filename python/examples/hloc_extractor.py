# SPDX-License-Identifier: Apache-2.0
"""adasample's keypoints and descriptors in hloc. Copy this file to hloc/extractors/adasample_features.py; then

    conf = {"output": "feats-adasample", "model": {"name": "adasample_features", "max_keypoints": 4096},
            "preprocessing": {"grayscale": True, "resize_max": 1600}}
    hloc.extract_features.main(conf, images, outputs)
"""
import adasample
import numpy as np
import torch
from hloc.utils.base_model import BaseModel


class AdasampleFeatures(BaseModel):
    default_conf = {"model": "default", "engine": "auto", "detector": "dog", "max_keypoints": 2000}
    required_inputs = ["image"]

    def _init(self, conf):
        self.describer = adasample.load(conf["model"], conf["engine"])

    def _forward(self, data):
        image = data["image"]  # (1, 1, height, width), 0 to 1
        pixels = np.ascontiguousarray(255 * image[0, 0].cpu().numpy())
        found = self.describer.describe_image(pixels, detector=self.conf["detector"], max_keypoints=self.conf["max_keypoints"],
                                              max_side=max(pixels.shape))
        as_batch = lambda values: torch.from_numpy(np.ascontiguousarray(values, np.float32))[None].to(image.device)
        points = found.keypoints
        return {"keypoints": as_batch(points.xy), "scales": as_batch(points.sigma), "oris": as_batch(points.angle),
                "scores": as_batch(points.strength), "descriptors": as_batch(found.descriptors.T)}
