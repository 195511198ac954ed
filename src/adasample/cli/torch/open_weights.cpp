// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/model_argument.h"
#include "adasample/train/device.h"

namespace adasample {

std::unique_ptr<Descriptor> open_weights(const std::string& file, const std::string& device) {
  return make_descriptor(load_safetensors(file), file, resolve_device(device));
}

}  // namespace adasample
