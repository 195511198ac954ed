// SPDX-License-Identifier: Apache-2.0
// Other people's programs, started and waited for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace adasample {

// The program that `name` means: a path, or one of the folders in PATH. None where it is not there.
std::optional<std::filesystem::path> find_program(const std::string& name);

// words[0] is a path. What it says is appended to the file `log`, its input is empty. The exit code; 128 + the signal
// that ended it. Ctrl-C ends the program too, and throws. `settings`: NAME=VALUE, where the environment has no such
// name.
int run_program(const std::vector<std::string>& words, const std::filesystem::path& log,
                const std::vector<std::string>& settings = {});

// As a shell would have it typed.
std::string command_line(const std::vector<std::string>& words);

}  // namespace adasample
