// SPDX-License-Identifier: Apache-2.0
// Without own kernels a GPU is driven through LibTorch's operators.
#include "adasample/base/error.h"
#include "adasample/train/backend.h"

namespace adasample {

std::unique_ptr<Backend> make_gpu_backend(const BackendParts&) {
  ADA_THROW_KIND(kBug, "no kernels for a GPU in this build");
}

std::unique_ptr<Backend> make_backend(const BackendParts& parts) { return make_torch_backend(parts); }

}  // namespace adasample
