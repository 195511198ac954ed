// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/provenance.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace adasample {
namespace {

using nlohmann::json;

// meta.json may be anybody's: nothing is known of the types in it.
json member(const json& meta, const char* key) { return meta.value(key, json()); }

std::string family(const json& meta) {
  const json source = member(meta, "source");
  const std::string text = source.is_string() ? source.get<std::string>() : "";
  return text.substr(0, text.find(':'));
}

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
  if (family(meta_a).empty() || family(meta_a) != family(meta_b)) return false;
  const json scenes_a = member(meta_a, "scenes"), scenes_b = member(meta_b, "scenes");
  if (scenes_a.is_array() && scenes_b.is_array()) return intersect(scenes_a, scenes_b);
  return !scenes_a.is_array() && !scenes_b.is_array() && same("seed") && same("part");
}

}  // namespace adasample
