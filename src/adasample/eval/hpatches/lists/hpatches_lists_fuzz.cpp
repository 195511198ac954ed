// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused; what was read names patches that exist, and is read again as it is written.
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/eval/hpatches/lists/hpatches_lists.h"

namespace {

using namespace adasample;

const std::vector<SequenceShape> kShapes = {{"i_aa", 40}, {"v_b", 7, 3}};

void check(const PatchPlace& place) {
  if (place.sequence >= kShapes.size()) std::abort();
  const SequenceShape& shape = kShapes[place.sequence];
  if (place.image >= shape.images || place.patch >= shape.patches) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::vector<PlacePair> pairs = parse_pair_list(text, "fuzz", kShapes);
    for (const auto& [a, b] : pairs) {
      check(a);
      check(b);
    }
    if (parse_pair_list(format_list(pairs, kShapes), "again", kShapes).size() != pairs.size()) std::abort();
  } catch (const Error&) {
  }
  try {
    const std::vector<PatchPlace> places = parse_patch_list(text, "fuzz", kShapes);
    for (const PatchPlace& place : places) check(place);
    if (parse_patch_list(format_list(places, kShapes), "again", kShapes) != places) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
