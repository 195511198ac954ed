// SPDX-License-Identifier: Apache-2.0
// LibTorch as an engine: cli/train/torch_network.cpp, or cli/no_train.cpp where the program was built without it.
#pragma once

#include <memory>
#include <string>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

bool torch_network_built();

// train/device.h's resolve_device(). Without LibTorch "auto" is the CPU, and "cuda" needs the engine of that name.
std::string torch_network_device(const std::string& device);

// In fp32. Throws Error where LibTorch is missing.
std::unique_ptr<Descriptor> make_torch_network(const Weights& weights, const std::string& label,
                                               const std::string& device);

}  // namespace adasample
