// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/helper_program.h"

#include "adasample/base/error.h"

namespace adasample {

namespace {

constexpr const char* kLibexec = "../libexec/adasample";  // from the folder of the program, or its neighbour's

}  // namespace

std::filesystem::path helper_program(const std::string& name) {
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  ADA_CHECK(!error, "this needs the program {}, and where this one lies is unknown: {}", name, error.message());
  for (const std::filesystem::path& place : {folder / kLibexec / name, folder / name}) {
    if (std::filesystem::exists(place, error)) return place;
  }
  ADA_THROW("this needs the program {}, which is not in {} - install adasample again", name,
            (folder / kLibexec).lexically_normal().string());
}

}  // namespace adasample
