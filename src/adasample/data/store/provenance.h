// SPDX-License-Identifier: Apache-2.0
// Where a store's patches come from, as its meta.json tells: whether one store can stand as held out from another.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace adasample {

// Whether stores with these meta.json may show the same scene:
//  - their bytes are the same ("sha256"); or
//  - both list their "scenes" (hashes of photographs, names of sequences) and the lists share one; or
//  - neither does, and "source", "seed" and "part" are the same (synthetic scenes, which these determine).
// Stores that do not say where they come from are taken for strangers.
bool share_scenes(const nlohmann::json& meta_a, const nlohmann::json& meta_b);

}  // namespace adasample
