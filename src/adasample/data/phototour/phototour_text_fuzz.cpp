// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "adasample/base/error.h"
#include "adasample/data/phototour/phototour_text.h"

namespace {

constexpr int64_t kPatches = 300;

template <typename Parse>
void try_to(Parse&& parse) {
  try {
    parse();
  } catch (const adasample::Error& error) {
    if (error.kind() == adasample::Error::Kind::kBug) __builtin_trap();
  }
}

}  // namespace

// Whatever the bytes: an Error, or as many entries as there can be lines, each patch inside the set.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try_to([&] {
    const auto points = parse_phototour_info(text, "info.txt");
    if (points.empty() || points.size() > size) __builtin_trap();
  });
  try_to([&] {
    const PatchPairs pairs = parse_phototour_matches(text, kPatches, "m50.txt");
    const auto inside = [](int64_t patch) { return patch >= 0 && patch < kPatches; };
    if (pairs.labels.empty() || pairs.labels.size() > size || pairs.first.size() != pairs.labels.size() ||
        !std::all_of(pairs.first.begin(), pairs.first.end(), inside) ||
        !std::all_of(pairs.second.begin(), pairs.second.end(), inside)) {
      __builtin_trap();
    }
  });
  return 0;
}
