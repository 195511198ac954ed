// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/torch_network.h"

#include "adasample/base/error.h"
#include "adasample/engine/cuda_engine.h"

namespace adasample {

bool torch_network_built() { return false; }

std::string torch_network_device(const std::string& device) {
  ADA_CHECK(device != "cuda" || cuda_engine_available(),
            "--device cuda: this program was built without LibTorch, and the engine cuda does not run here - use "
            "--device cpu");
  return device == "cuda" ? device : "cpu";
}

std::unique_ptr<Descriptor> make_torch_network(const Weights&, const std::string& label, const std::string&) {
  ADA_THROW("[model] {}: this program was built without LibTorch", label);
}

}  // namespace adasample
