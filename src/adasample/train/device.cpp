// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/device.h"

#include <torch/torch.h>

#include <utility>

#include "adasample/base/error.h"
#include "adasample/engine/cuda_engine.h"
#include "adasample/gpu/gpu.h"
#include "adasample/net/net_descriptor.h"

namespace adasample {

std::string resolve_device(const std::string& device) {
  const bool gpu = torch::cuda::is_available();
  const bool could = at::hasCUDA();
  ADA_CHECK(device != "cuda" || could,
            "--device cuda: this program was built with a LibTorch ({}) without CUDA - use --device cpu",
            TORCH_VERSION);
  ADA_CHECK(device != "cuda" || gpu,
            "--device cuda: LibTorch {} finds no GPU (is there one, and its driver?) - use --device cpu",
            TORCH_VERSION);
  return device == "auto" ? (gpu ? "cuda" : "cpu") : device;
}

std::unique_ptr<Descriptor> make_descriptor(const Weights& weights, std::string name, const std::string& device,
                                            const std::string& precision) {
  if (device == "cuda" && precision == "bf16" && cuda_engine_available())
    return make_cuda_engine(weights, std::move(name));
  return make_net_descriptor(weights, std::move(name), device);
}

std::string gpu_name() { return gpu::built() ? gpu::current_device().name : ""; }

std::string torch_version() { return TORCH_VERSION; }

}  // namespace adasample
