// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour_store.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/random/rng.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/store/turned_copies.h"
#include "adasample/image/resize.h"

namespace adasample {
namespace {

constexpr size_t kPhotoTourArea = size_t{kPhotoTourPatch} * kPhotoTourPatch;
constexpr size_t kClassesPerThread = 64;  // made before they are written: bounds the memory

// All patches of one class at the size asked for: the real ones, then the generated ones.
std::vector<uint8_t> make_class(const PhotoTour& set, std::span<const int64_t> members,
                                const PhotoTourStoreOptions& options) {
  std::vector<uint8_t> patches(members.size() * kPhotoTourArea);
  for (size_t i = 0; i < members.size(); ++i) {
    set.read(members[i], std::span(patches).subspan(i * kPhotoTourArea, kPhotoTourArea));
  }
  const auto point = static_cast<uint64_t>(set.points()[static_cast<size_t>(members[0])]);
  add_turned_copies(patches, kPhotoTourPatch, {.positives = options.positives, .angle = options.angle},
                    RngKey(options.seed, Draw::kPhotoTour).at(point));
  const auto area = static_cast<size_t>(options.patch_size) * static_cast<size_t>(options.patch_size);
  std::vector<uint8_t> packed(patches.size() / kPhotoTourArea * area);
  for (size_t i = 0; i * area < packed.size(); ++i) {
    resize_patch(std::span(patches).subspan(i * kPhotoTourArea, kPhotoTourArea), kPhotoTourPatch,
                 std::span(packed).subspan(i * area, area), options.patch_size);
  }
  return packed;
}

struct Counts {
  int64_t real = 0, generated = 0, single = 0, dropped = 0;  // patches, patches, classes, classes
};

nlohmann::json describe(const PhotoTour& set, const PhotoTourStoreOptions& options, const Counts& counts) {
  const std::string info = sha256_of_file(set.files().info());
  nlohmann::json lists = nlohmann::json::array();
  for (const auto& list : set.files().match_lists) lists.push_back(list.path.filename().string());
  return {{"source", "PhotoTour"},
          {"set", phototour_set_name(set.patch_count())},
          {"seed", options.seed},
          {"options", {{"positives", options.positives}, {"angle", options.angle}, {"size", options.patch_size}}},
          {"info_sha256", info},
          {"scenes", {info.substr(0, 16)}},  // two stores of one set are not held out from each other
          {"sheets", set.sheet_count()},
          {"match_lists", lists},
          {"real_patches", counts.real},
          {"generated_patches", counts.generated},
          {"single_patch_classes", counts.single},
          {"dropped_classes", counts.dropped}};
}

// Takes out the classes that would have fewer than two patches.
Counts drop_hopeless(std::vector<std::vector<int64_t>>& classes, int positives) {
  Counts counts;
  const auto all = static_cast<int64_t>(classes.size());
  counts.single = std::count_if(classes.begin(), classes.end(), [](const auto& c) { return c.size() == 1; });
  if (positives < 2) std::erase_if(classes, [](const auto& c) { return c.size() == 1; });
  counts.dropped = all - static_cast<int64_t>(classes.size());
  for (const auto& members : classes) {
    const auto size = static_cast<int64_t>(members.size());
    counts.real += size;
    counts.generated += std::max<int64_t>(0, positives - size);
  }
  return counts;
}

}  // namespace

void PhotoTourStoreOptions::validate() const {
  ADA_USAGE(positives >= 0 && positives <= 4096, "PhotoTourStoreOptions::positives = {}, must be 0 to 4096", positives);
  ADA_USAGE(angle >= 0 && angle <= 180, "PhotoTourStoreOptions::angle = {}, must be 0 to 180 degrees", angle);
  ADA_USAGE(patch_size == kPhotoTourPatch || patch_size == kPhotoTourPatch / 2,
            "PhotoTourStoreOptions::patch_size = {}, must be 32 or 64", patch_size);
}

void make_phototour_store(const PhotoTour& set, const PhotoTourStoreOptions& options,
                          const std::filesystem::path& out) {
  options.validate();
  PatchStoreWriter writer(out, options.patch_size);
  auto classes = set.classes();
  const Counts counts = drop_hopeless(classes, options.positives);
  ADA_CHECK(!classes.empty(),
            "[phototour] {}: every point has a single patch - generate more with --positives 2 or more",
            set.files().info().string());
  if (counts.single > 0) {
    log_info("{} points have a single real patch and were {}", counts.single,
             counts.dropped > 0 ? "dropped" : "filled up with generated ones");
  }
  if (set.files().match_lists.empty()) {
    log_info("{}: no match list (m50_*.txt): the set can be trained on but not evaluated", set.files().folder.string());
  }

  Progress progress("phototour", "patches", counts.real + counts.generated);
  for (size_t begin = 0; begin < classes.size();) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[phototour] interrupted; nothing was written");
    // A block of classes side by side, then written in order: the store does not show how many threads there were.
    const size_t count = std::min(classes.size() - begin, kClassesPerThread * static_cast<size_t>(thread_count()));
    std::vector<std::vector<uint8_t>> block(count);
    parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
      block[static_cast<size_t>(i)] = make_class(set, classes[begin + static_cast<size_t>(i)], options);
    });
    for (size_t i = 0; i < count; ++i) {
      writer.add_class(block[i]);
      progress.add(std::max(options.positives, static_cast<int>(classes[begin + i].size())));
    }
    begin += count;
  }
  writer.finish(describe(set, options, counts));
}

}  // namespace adasample
