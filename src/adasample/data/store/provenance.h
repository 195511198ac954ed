// SPDX-License-Identifier: Apache-2.0
// Where a store's patches come from, as its meta.json tells: whether one store can stand as held out from another.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace adasample {

// Whether stores with these meta.json may show the same scene:
//  - their bytes are the same ("sha256"); or
//  - both list their "scenes" (hashes of photographs, names of sequences) and the lists share one; or
//  - neither does, and "source", "seed" and "part" are the same (synthetic scenes, which these determine).
// Stores that do not say where they come from are taken for strangers.
bool share_scenes(const nlohmann::json& meta_a, const nlohmann::json& meta_b);

// A photograph in the `scenes` of a store, whatever its file is called: the first digits of the file's sha256.
inline std::string scene_of(const std::string& sha256) { return sha256.substr(0, 16); }

}  // namespace adasample
