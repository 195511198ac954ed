// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/progress.h"
#include "adasample/data/patch_store.h"
#include "adasample/image/image.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr double kFlat = 1;  // grey levels of standard deviation
constexpr int64_t kStep = 4096;

// Calls body(class, patch index) for every patch, in order.
void for_each_patch(const PatchStore& store, const char* title, const std::function<void(int64_t, int64_t)>& body) {
  Progress progress(title, "patches", store.patch_count());
  for (int64_t c = 0; c < store.class_count(); ++c) {
    for (int64_t i = store.class_begin(c); i < store.class_begin(c) + store.class_size(c); ++i) {
      if (i % kStep == 0 && stop_requested()) ADA_THROW_KIND(kInterrupted, "[check] interrupted");
      body(c, i);
      progress.add(1);
    }
  }
  store.check_intact();
}

struct Fingered {
  size_t hash;
  int64_t class_index, patch;
};

void find_shared_patches(const PatchStore& store, std::vector<Fingered>& patches, Diagnosis& diagnosis) {
  std::sort(patches.begin(), patches.end(),
            [](const Fingered& a, const Fingered& b) { return std::tie(a.hash, a.patch) < std::tie(b.hash, b.patch); });
  int64_t twins = 0, inside = 0;
  Finding first;
  for (size_t i = 1; i < patches.size(); ++i) {
    const Fingered &a = patches[i - 1], &b = patches[i];
    if (a.hash != b.hash) continue;
    const auto x = store.patch(a.patch), y = store.patch(b.patch);
    if (!std::equal(x.begin(), x.end(), y.begin())) continue;
    if (a.class_index == b.class_index) {
      ++inside;
    } else if (++twins == 1) {
      first.what = fmt::format("patch {} of class {} and patch {} of class {} are the same picture", a.patch,
                               a.class_index, b.patch, b.class_index);
    }
  }
  store.check_intact();
  if (twins > 0) {
    diagnosis.problems.push_back(
        {(store.folder() / "patches.npy").string(), fmt::format("{}, one of {} such pairs", first.what, twins),
         "make the store anew without the duplicated sources; training skips them as negatives "
         "(--duplicates)"});
  }
  if (inside > 0) {
    diagnosis.remarks.push_back({(store.folder() / "patches.npy").string(),
                                 fmt::format("{} patches repeat another one of their own class", inside),
                                 "harmless, but such pairs teach nothing"});
  }
}

}  // namespace

bool looks_like_store(const fs::path& folder) {
  return fs::exists(folder / "patches.npy") || fs::exists(folder / "classes.npy");
}

std::string store_fingerprint(const fs::path& folder) {
  const PatchStore store = PatchStore::open(folder);
  Sha256 hash;
  std::vector<int64_t> offsets = {0};
  for_each_patch(store, "hashing", [&](int64_t, int64_t i) { hash.update(store.patch(i)); });
  for (int64_t c = 0; c < store.class_count(); ++c) offsets.push_back(offsets.back() + store.class_size(c));
  hash.update({reinterpret_cast<const uint8_t*>(offsets.data()), offsets.size() * sizeof(int64_t)});
  return hash.hex();
}

Diagnosis check_store(const fs::path& folder) {
  const PatchStore store = PatchStore::open(folder);  // its own complaints name file and finding
  Diagnosis diagnosis{.kind = "patch store", .inventory = {}, .problems = {}, .remarks = {}};
  diagnosis.inventory = {
      {"patches", store.patch_count()}, {"classes", store.class_count()}, {"patch size", store.patch_size()}};
  if (store.has_pictures()) diagnosis.inventory.push_back({"pictures", std::ssize(store.picture_names())});
  if (store.has_strengths()) diagnosis.inventory.push_back({"strengths", store.patch_count()});
  const std::string recorded = store.fingerprint(), computed = store_fingerprint(folder);
  if (recorded.empty()) {
    diagnosis.remarks.push_back(
        {(folder / "meta.json").string(), "no \"sha256\" is recorded", "nothing to compare with"});
  } else if (recorded != computed) {
    diagnosis.problems.push_back(
        {(folder / "patches.npy").string(),
         fmt::format("sha256 {}, meta.json says {}", computed.substr(0, 16), recorded.substr(0, 16)),
         "the bytes changed after the store was made: copy it again or make it anew"});
  }

  std::vector<Fingered> patches;
  patches.reserve(static_cast<size_t>(store.patch_count()));
  int64_t flat = 0, first_flat = -1;
  for_each_patch(store, "looking", [&](int64_t c, int64_t i) {
    const auto pixels = store.patch(i);
    const std::string_view text(reinterpret_cast<const char*>(pixels.data()), pixels.size());
    patches.push_back({std::hash<std::string_view>()(text), c, i});
    if (standard_deviation(pixels) >= kFlat) return;
    if (flat++ == 0) first_flat = i;
  });
  if (flat > 0) {
    diagnosis.problems.push_back({(folder / "patches.npy").string(),
                                  fmt::format("{} patches are flat, the first is {}", flat, first_flat),
                                  "raise --flat when making the store, or drop these classes"});
  }
  find_shared_patches(store, patches, diagnosis);
  return diagnosis;
}

}  // namespace adasample
