// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace adasample {

// "auto" -> "cuda" where LibTorch finds a GPU, else "cpu". "cuda" without one throws.
std::string resolve_device(const std::string& device);

std::string torch_version();

}  // namespace adasample
