// SPDX-License-Identifier: Apache-2.0
// The network as TorchScript, for torch.jit.load: (n, 1, 32, 32) or (n, 32, 32) grey values 0 to 255, bytes or floats
// -> (n, 128) unit rows. Parameters and buffers have HardNet's names. By LibTorch.
#pragma once

#include <filesystem>

#include "adasample/model/weights.h"

namespace adasample {

// All or nothing. Throws Error for weights of another architecture than l2net.
void save_torchscript(const Weights& weights, const std::filesystem::path& path);

}  // namespace adasample
