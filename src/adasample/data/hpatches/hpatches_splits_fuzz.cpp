// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "adasample/base/error.h"
#include "adasample/data/hpatches/hpatches_splits.h"

// Whatever the bytes: an Error, or splits whose test lists name nothing twice.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    const HpatchesSplits splits = parse_splits({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    if (splits.empty()) __builtin_trap();
    for (const auto& [name, lists] : splits) {
      const std::vector<std::string>& test = split_part(splits, name, "test");
      if (std::set<std::string>(test.begin(), test.end()).size() != test.size()) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
