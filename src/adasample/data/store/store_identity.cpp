// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/store_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "adasample/base/bytes/sha256.h"

namespace adasample {
namespace {

constexpr int64_t kSampled = 1024;  // patches: a megabyte of 32x32 pixels

// Over all offsets of classes and the sampled patches.
std::string sample_sum(const PatchStore& store) {
  Sha256 sum;
  for (int64_t c = 0; c < store.class_count(); ++c) {
    const int64_t begin = store.class_begin(c);
    sum.update({reinterpret_cast<const uint8_t*>(&begin), sizeof begin});
  }
  const int64_t count = std::min(kSampled, store.patch_count());
  for (int64_t i = 0; i < count; ++i) {
    // i * patches / count without overflow, in whole numbers: the same on every machine
    const int64_t whole = store.patch_count() / count, rest = store.patch_count() % count;
    sum.update(store.patch(i * whole + i * rest / count));
  }
  return sum.hex();
}

}  // namespace

nlohmann::json store_identity(const PatchStore& store) {
  return {{"path", store.folder().string()},  {"patches", store.patch_count()}, {"classes", store.class_count()},
          {"patch_size", store.patch_size()}, {"sha256", store.fingerprint()},  {"sample_sha256", sample_sum(store)}};
}

std::vector<std::string> identity_differences(const nlohmann::json& before, const nlohmann::json& now) {
  std::vector<std::string> differences;
  for (const char* key : {"patches", "classes", "patch_size", "sha256", "sample_sha256"}) {
    const auto text = [&](const nlohmann::json& identity) {
      return identity.is_object() && identity.contains(key) ? identity.at(key).dump() : std::string("unknown");
    };
    if (text(before) != text(now)) differences.push_back(fmt::format("{} {} -> {}", key, text(before), text(now)));
  }
  return differences;
}

}  // namespace adasample
