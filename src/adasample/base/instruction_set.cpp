// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/instruction_set.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace adasample {
namespace {

constexpr const char* kSetting = "ADASAMPLE_MAX_ISA";
constexpr std::array<std::string_view, 5> kNames = {"avx512_vnni", "avx512", "avx2", "sse4", "neon"};  // best first

auto rank(std::string_view name) { return std::find(kNames.begin(), kNames.end(), name); }

}  // namespace

std::string problem_of_instruction_set() {
  const char* most = std::getenv(kSetting);
  if (most == nullptr || rank(most) != kNames.end()) return "";
  return fmt::format("{} = '{}' is none of {}; the best instruction set is used", kSetting, most,
                     fmt::join(kNames, ", "));
}

bool allows_instruction_set(std::string_view name) {
  const char* most = std::getenv(kSetting);
  return most == nullptr || rank(most) == kNames.end() || rank(name) >= rank(most);
}

}  // namespace adasample
