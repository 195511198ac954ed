// SPDX-License-Identifier: Apache-2.0
// A network as TorchScript, for torch.jit.load: (n, 1, 32, 32) or (n, 32, 32) grey values 0 to 255, bytes or floats
// -> (n, 128) rows; other sizes where the network has others. Parameters and buffers have the names of the published
// Python modules. By LibTorch.
#pragma once

#include <filesystem>

#include "adasample/model/weights.h"

namespace adasample {

// All or nothing. Throws Error for weights that do not fit the network they name.
void save_torchscript(const Weights& weights, const std::filesystem::path& path);

}  // namespace adasample
