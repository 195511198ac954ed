// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches_store.h"

#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/patch_store.h"
#include "adasample/image/resize.h"

namespace adasample {
namespace {

constexpr int kHardNetSide = 64;

// (strips, size, size): every view of one spot.
std::vector<uint8_t> make_class(const HpatchesSequence& sequence, int64_t index, int size) {
  const auto area = static_cast<size_t>(size) * static_cast<size_t>(size);
  std::vector<uint8_t> patches(sequence.strips.size() * area);
  for (size_t s = 0; s < sequence.strips.size(); ++s) {
    const std::vector<uint8_t> middle = resize_patch(sequence.patch(s, index), kHpatchesSide, kHardNetSide);
    resize_patch(middle, kHardNetSide, std::span(patches).subspan(s * area, area), size);
  }
  return patches;
}

}  // namespace

void HpatchesStoreOptions::validate() const {
  choice.validate();
  ADA_USAGE(patch_size == kHardNetSide / 2 || patch_size == kHardNetSide,
            "HpatchesStoreOptions::patch_size = {}, must be 32 or 64", patch_size);
}

void make_hpatches_store(const std::filesystem::path& root, const HpatchesSplits& splits,
                         const HpatchesStoreOptions& options, const std::filesystem::path& out) {
  options.validate();
  const std::vector<std::string> names = choose_hpatches(root, splits, options.choice);
  PatchStoreWriter writer(out, options.patch_size);
  Progress progress("hpatches", "sequences", static_cast<int64_t>(names.size()));
  std::vector<int64_t> counts;
  for (const std::string& name : names) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[hpatches] interrupted; nothing was written");
    const HpatchesSequence sequence = load_hpatches(root, name);
    std::vector<std::vector<uint8_t>> classes(static_cast<size_t>(sequence.count));
    parallel_for(sequence.count,
                 [&](int64_t i) { classes[static_cast<size_t>(i)] = make_class(sequence, i, options.patch_size); });
    for (const std::vector<uint8_t>& patches : classes) writer.add_class(patches);
    counts.push_back(sequence.count);
    progress.add(1, name);
  }
  writer.finish({{"source", "HPatches"},
                 {"split", options.choice.split},
                 {"part", options.choice.part},
                 {"scenes", names},
                 {"scene_classes", counts},
                 {"options", {{"patch_size", options.patch_size}, {"allow_missing", options.choice.allow_missing}}}});
}

}  // namespace adasample
