// SPDX-License-Identifier: Apache-2.0
// The classical baselines among the registered descriptors (model/descriptor_registry.h): sift, rootsift and orb of a
// whole patch, by OpenCV.
#pragma once

#include <memory>
#include <string>

#include "adasample/model/descriptor.h"

namespace adasample {

// `make`: what makes one by its name; null where the program has no OpenCV: then they are known, and say what they
// need.
void register_patch_descriptors(std::unique_ptr<Descriptor> (*make)(const std::string& name));

}  // namespace adasample
