// SPDX-License-Identifier: Apache-2.0
// Any JSON is read as a grid or refused; every arm that comes out has data to train on and a name of its own.
#include <cstdlib>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/json.h"
#include "adasample/experiment/grid/grid.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  const auto text = try_parse_json({reinterpret_cast<const char*>(data), size});  // as the program does: not too deep
  if (!text) return 0;
  try {
    const Grid grid = parse_grid(*text, "fuzz");
    std::set<std::string> names;
    for (const GridArm& arm : grid.arms) {
      if (grid.find_data(arm.data) == nullptr) std::abort();
      if (!names.insert(slug(arm.name) + "|" + slug(arm.data)).second) std::abort();
    }
    if (grid.arms.empty() || grid.seeds.empty()) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
