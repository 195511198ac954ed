// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/contact_sheet.h"

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/random/feistel.h"
#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

constexpr float kWhite = 255;

void paste(GrayImage& sheet, int left, int top, std::span<const uint8_t> patch, int size) {
  for (int y = 0; y < size; ++y) std::copy_n(patch.data() + y * size, size, sheet.row(top + y) + left);
}

}  // namespace

void ContactSheetOptions::validate() const {
  ADA_USAGE(classes >= 1 && classes <= 1000, "ContactSheetOptions::classes = {}, must be 1 to 1000", classes);
  ADA_USAGE(patches_per_class >= 1 && patches_per_class <= 100,
            "ContactSheetOptions::patches_per_class = {}, must be 1 to 100", patches_per_class);
  ADA_USAGE(gap >= 0 && gap <= 100, "ContactSheetOptions::gap = {}, must be 0 to 100", gap);
}

GrayImage contact_sheet(const PatchStore& store, const ContactSheetOptions& options) {
  options.validate();
  const auto rows = static_cast<int>(std::min<int64_t>(options.classes, store.class_count()));
  const FeistelPermutation shuffled(static_cast<uint64_t>(store.class_count()), RngKey(options.seed, Draw::kClasses));
  std::vector<int64_t> classes;
  int columns = 0;
  for (int r = 0; r < rows; ++r) {
    classes.push_back(options.random ? static_cast<int64_t>(shuffled.image(static_cast<uint64_t>(r))) : r);
    columns = std::max(
        columns, static_cast<int>(std::min<int64_t>(options.patches_per_class, store.class_size(classes.back()))));
  }

  const int size = store.patch_size(), pitch = size + options.gap;
  GrayImage sheet(columns * pitch + options.gap, rows * pitch + options.gap, kWhite);
  for (int r = 0; r < rows; ++r) {
    const int64_t c = classes[static_cast<size_t>(r)], available = store.class_size(c);
    const int64_t shown = std::min<int64_t>(options.patches_per_class, available);
    for (int64_t i = 0; i < shown; ++i) {
      const int64_t view = shown == 1 ? 0 : i * (available - 1) / (shown - 1);  // first to last
      paste(sheet, options.gap + static_cast<int>(i) * pitch, options.gap + r * pitch,
            store.patch(store.class_begin(c) + view), size);
    }
  }
  store.check_intact();
  return sheet;
}

}  // namespace adasample
