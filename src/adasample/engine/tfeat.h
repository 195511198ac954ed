// SPDX-License-Identifier: Apache-2.0
// Describes patches with TFeat (model/tfeat.h): plain loops over the process's threads, some 200 patches a second each.
#pragma once

#include <memory>
#include <string>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

// Patches of 32x32, or 64x64, halved. `label`: its name() in reports. Throws Error for weights of another architecture.
std::unique_ptr<Descriptor> make_tfeat(Weights weights, std::string label);

}  // namespace adasample
