// SPDX-License-Identifier: Apache-2.0
// Weights as a Descriptor, run by LibTorch; this header itself is free of Torch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

// device: "cpu" or "cuda".
std::unique_ptr<Descriptor> make_net_descriptor(const Weights& weights, std::string name,
                                                const std::string& device = "cpu");

// As the engine "torch" of open_model(). Once is enough.
void register_torch();

// The network as it is before the first step.
Weights untrained_weights(uint64_t seed, const std::string& network = "l2net");

}  // namespace adasample
