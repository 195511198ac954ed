// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/byte_tiles.h"

#include <algorithm>

#include "adasample/base/instruction_set.h"

namespace adasample {

int32_t start_of(const ByteTiles& tiles, const int8_t* row, size_t quads) {
  int32_t low = 0, high = 0;
  for (size_t i = 0; i < 4 * quads; i += 4) {
    low -= tiles.shift * (row[i] + row[i + 1]);
    high -= tiles.shift * (row[i + 2] + row[i + 3]);
  }
  if (!tiles.halves) return low + high;
  return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint16_t>(low)) |
                              static_cast<uint32_t>(static_cast<uint16_t>(high)) << 16);
}

const ByteTiles* best_byte_tiles() {
  static const ByteTiles* best = [] {
    const std::vector<const ByteTiles*> all = all_byte_tiles();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [](const ByteTiles* tiles) { return allows_instruction_set(tiles->name); });
    return found != all.end() ? *found : nullptr;
  }();
  return best;
}

}  // namespace adasample
