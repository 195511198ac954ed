// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/provenance.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace adasample {
namespace {

using nlohmann::json;

// meta.json may be anybody's: nothing is known of the types in it.
json member(const json& meta, const char* key) { return meta.value(key, json()); }

bool intersect(const json& a, const json& b) {
  const std::set<json> names(a.begin(), a.end());
  return std::any_of(b.begin(), b.end(), [&](const json& name) { return names.contains(name); });
}

}  // namespace

bool share_scenes(const json& meta_a, const json& meta_b) {
  const auto same = [&](const char* key) {
    const json value = member(meta_a, key);
    return !value.is_null() && value == member(meta_b, key);
  };
  if (same("sha256")) return true;  // the same store, whatever its source
  const json scenes_a = member(meta_a, "scenes"), scenes_b = member(meta_b, "scenes");
  if (scenes_a.is_array() && scenes_b.is_array()) return intersect(scenes_a, scenes_b);
  return !scenes_a.is_array() && !scenes_b.is_array() && same("source") && same("seed") && same("part");
}

}  // namespace adasample
