// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/torch_network.h"

#include "adasample/train/device.h"

namespace adasample {

bool torch_network_built() { return true; }

std::string torch_network_device(const std::string& device) { return resolve_device(device); }

std::unique_ptr<Descriptor> make_torch_network(const Weights& weights, const std::string& label,
                                               const std::string& device) {
  return make_descriptor(weights, label, device);
}

}  // namespace adasample
