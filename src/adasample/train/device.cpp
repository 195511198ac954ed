// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/device.h"

#include <torch/torch.h>

#include <utility>

#include "adasample/base/error.h"
#include "adasample/engine/cuda_engine.h"
#include "adasample/engine/open_model.h"
#include "adasample/gpu/gpu.h"
#include "adasample/model/torch_kind.h"
#include "adasample/net/net_descriptor.h"

namespace adasample {

std::string resolve_device(const std::string& device) {
  const bool gpu = torch::cuda::is_available();
  ADA_CHECK(device != "cuda" || gpu, "--device cuda: {} - use --device cpu",
            torch_gpu_problem(at::hasCUDA(), TORCH_VERSION));
  return device == "auto" ? (gpu ? "cuda" : "cpu") : device;
}

std::unique_ptr<Descriptor> make_descriptor(const Weights& weights, std::string name, const std::string& device,
                                            const std::string& precision) {
  register_torch();
  const bool own_kernels =
      device == "cuda" && precision == "bf16" && cuda_engine_available() && weights.network().plain() == &l2net();
  return open_weights(weights, name, {.engine = own_kernels ? "cuda" : "torch", .device = device}).descriptor;
}

std::string gpu_name() { return gpu::built() ? gpu::current_device().name : ""; }

std::string torch_version() { return TORCH_VERSION; }

}  // namespace adasample
