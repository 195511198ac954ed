// SPDX-License-Identifier: Apache-2.0
#include <torch/torch.h>

#include "adasample/base/parallel.h"
#include "adasample/cli/model_argument.h"
#include "adasample/net/folded_net.h"

namespace adasample {

std::unique_ptr<Descriptor> open_weights(const std::string& file) {
  at::set_num_threads(thread_count());
  return make_net_descriptor(load_safetensors(file), file);
}

}  // namespace adasample
