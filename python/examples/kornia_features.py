# SPDX-License-Identifier: Apache-2.0
"""adasample's network behind a detector of kornia's: lafs, responses and descriptors of pictures (b, 1, height, width)."""
import adasample
import kornia.feature as KF


def local_feature(num_features=2000, weights="default"):
    """As kornia.feature.GFTTAffNetHardNet, with another descriptor."""
    detector = KF.KeyNetDetector(pretrained=True, num_features=num_features)
    return KF.LocalFeature(detector, KF.LAFDescriptor(adasample.torch.Descriptor(weights), patch_size=32))
