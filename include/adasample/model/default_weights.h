// SPDX-License-Identifier: Apache-2.0
// Which weights are meant: those of a file, of a run, or the shipped ones.
#pragma once

#include <filesystem>
#include <string>

namespace adasample {

inline constexpr const char* kDefaultWeights = "adasample-l2net.safetensors";

// The file that the environment variable ADASAMPLE_WEIGHTS names; else share/adasample/adasample-l2net.safetensors in
// the tree that holds the library or the program: a build, an installation, one that was moved. The current folder
// plays no part: a library that was loaded by a relative path is not looked beside. Throws Error that says where it was
// looked for.
std::filesystem::path default_weights_file();

// The file that is meant by a weights file, a run folder, or "default". Throws Error for what is none of these.
std::string weights_file(const std::string& model);

}  // namespace adasample
