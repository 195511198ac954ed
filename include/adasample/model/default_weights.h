// SPDX-License-Identifier: Apache-2.0
// Which weights are meant: those of a file, of a run, or the shipped ones.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace adasample {

inline constexpr const char* kDefaultWeights = "adasample-l2net.safetensors";
// Learned from photographs that may be used without condition, and so under the code's own licence.
inline constexpr const char* kFreeWeights = "adasample-l2net-free.safetensors";

// The file that the environment variable ADASAMPLE_WEIGHTS names; else share/adasample/adasample-l2net.safetensors in
// the tree that holds the library or the program: a build, an installation, one that was moved. The current folder
// plays no part: a library that was loaded by a relative path is not looked beside. Throws Error that says where it was
// looked for.
std::filesystem::path default_weights_file();

// kFreeWeights in such a tree. The environment plays no part.
std::filesystem::path free_weights_file();

// What shipped weights are called: "default", "free".
std::vector<std::string> shipped_weights();

// The file that is meant by a weights file, a run folder, or a name of shipped weights. Throws Error for what is none
// of these.
std::string weights_file(const std::string& model);

}  // namespace adasample
