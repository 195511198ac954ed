# SPDX-License-Identifier: Apache-2.0
"""OpenCV's detectors and geometry with adasample's descriptors: python3 opencv_match.py a.jpg b.jpg"""
import sys

import adasample
import cv2
import numpy as np


def match(first, second, model):
    """Places (n, 2) of inliers in both pictures, and the fundamental matrix."""
    features = []
    for file in (first, second):
        grey = cv2.imread(file, cv2.IMREAD_GRAYSCALE)
        if grey is None:
            raise SystemExit(f"{file}: expected a picture that OpenCV reads")
        keypoints = cv2.SIFT_create(2000).detect(grey)
        features.append(model.describe_image(grey, keypoints))
    matcher = cv2.BFMatcher(cv2.NORM_L2, crossCheck=True)
    pairs = np.array([(m.queryIdx, m.trainIdx) for m in matcher.match(features[0].descriptors, features[1].descriptors)])
    a, b = (f.keypoints.xy[pairs[:, side]] for side, f in enumerate(features))
    matrix, mask = cv2.findFundamentalMat(a, b, cv2.USAC_MAGSAC, 2.0, 0.9999, 10000)
    inliers = mask.ravel().astype(bool)
    return a[inliers], b[inliers], matrix


if __name__ == "__main__":
    a, b, _ = match(sys.argv[1], sys.argv[2], adasample.load())
    print(f"{len(a)} inliers")
