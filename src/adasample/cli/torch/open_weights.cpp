// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"
#include "adasample/net/net_descriptor.h"

namespace adasample {

std::unique_ptr<Descriptor> open_weights(const std::string& file) {
  return make_net_descriptor(load_safetensors(file), file);
}

}  // namespace adasample
