// SPDX-License-Identifier: Apache-2.0
// LibTorch as one of the registered descriptors, as far as it can be told without LibTorch.
#pragma once

#include <fmt/format.h>

#include "adasample/model/descriptor_registry.h"

namespace adasample {

// Without problem() and make().
inline DescriptorKind torch_kind() {
  return {.name = "torch",
          .architecture = std::string(l2net().name),
          .devices = {"cpu", "cuda"},
          .preference = 20,
          .needs = "a program built with LibTorch",
          .problem = {},
          .make = {},
          .any_network = true};
}

// Why there is no GPU to be had.
inline std::string torch_gpu_problem(bool built_with_cuda, const std::string& version) {
  return built_with_cuda ? fmt::format("LibTorch {} finds no GPU (is there one, and its driver?)", version)
                         : fmt::format("this program was built with a LibTorch ({}) without CUDA", version);
}

}  // namespace adasample
