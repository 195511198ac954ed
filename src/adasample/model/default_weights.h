// SPDX-License-Identifier: Apache-2.0
// The weights that are shipped: what --model default means.
#pragma once

#include <filesystem>

namespace adasample {

inline constexpr const char* kDefaultWeights = "adasample-l2net.safetensors";

// The file that the environment variable ADASAMPLE_WEIGHTS names; else share/adasample/adasample-l2net.safetensors in
// the tree that holds the library or the program: a build, an installation, one that was moved. Throws Error that says
// where it was looked for.
std::filesystem::path default_weights_file();

}  // namespace adasample
