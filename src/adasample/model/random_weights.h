// SPDX-License-Identifier: Apache-2.0
// A network that has learned nothing, made without LibTorch: for checking and timing what runs networks.
#pragma once

#include <cstdint>

#include "adasample/model/weights.h"

namespace adasample {

// Normal weights of variance 2 / fan-in, running statistics near (0, 1), scales near 1, shifts and biases near 0, no
// two alike: activations stay near one, and an engine that mixes two of them up is seen. Training begins elsewhere
// (untrained_weights() of net/net_descriptor.h).
Weights random_weights(const Network& network, uint64_t seed);
Weights random_weights(const LayerTable& table, uint64_t seed);

}  // namespace adasample
