// SPDX-License-Identifier: Apache-2.0
// Programs that are installed with this one and that it starts: libexec/adasample beside its own folder, or the same
// folder.
#pragma once

#include <filesystem>
#include <string>

namespace adasample {

// Where it lies. Throws Error where it is not there.
std::filesystem::path helper_program(const std::string& name);

}  // namespace adasample
