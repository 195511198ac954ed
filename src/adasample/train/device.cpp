// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/device.h"

#include <torch/torch.h>

#include "adasample/base/error.h"

namespace adasample {

std::string resolve_device(const std::string& device) {
  const bool gpu = torch::cuda::is_available();
  ADA_CHECK(device != "cuda" || gpu, "--device cuda: this LibTorch ({}) finds no GPU - use --device cpu",
            TORCH_VERSION);
  return device == "auto" ? (gpu ? "cuda" : "cpu") : device;
}

std::string torch_version() { return TORCH_VERSION; }

}  // namespace adasample
