// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/byte_tiles.h"

namespace adasample {

std::vector<const ByteTiles*> all_byte_tiles() { return {}; }

}  // namespace adasample
