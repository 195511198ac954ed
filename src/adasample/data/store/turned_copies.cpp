// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/store/turned_copies.h"

#include <numbers>
#include <span>

#include "adasample/base/error.h"
#include "adasample/features/regions/patch_cutter.h"
#include "adasample/image/resize.h"
#include "adasample/image/warp.h"

namespace adasample {
namespace {

std::vector<uint8_t> turned(std::span<const uint8_t> patch, int size, double angle) {
  GrayImage image(size, size), result = image;
  std::copy(patch.begin(), patch.end(), image.pixels.begin());
  const double middle = (size - 1) / 2.0;
  add_warped(image, patch_frame(middle, middle, size / 2.0, angle, size), size, 1, result.pixels.data());
  return to_bytes(result);
}

}  // namespace

void TurnedCopies::validate() const {
  ADA_USAGE(positives >= 0 && positives <= 4096, "TurnedCopies::positives = {}, must be 0 to 4096", positives);
  ADA_USAGE(angle >= 0 && angle <= 180, "TurnedCopies::angle = {}, must be 0 to 180 degrees", angle);
}

void add_turned_copies(std::vector<uint8_t>& patches, int size, const TurnedCopies& copies, RngKey key) {
  const size_t area = static_cast<size_t>(size) * static_cast<size_t>(size);
  const size_t real = patches.size() / area, wanted = static_cast<size_t>(copies.positives);
  ADA_ASSERT(real >= 1 && patches.size() == real * area);
  const double largest = copies.angle * std::numbers::pi / 180;
  for (size_t copy = 0; real + copy < wanted; ++copy) {
    RngStream stream(key.at(copy));
    const auto source = static_cast<size_t>(stream.index(static_cast<int64_t>(real)));
    const double angle = stream.uniform(-largest, largest);
    const std::vector<uint8_t> made = turned(std::span(patches).subspan(source * area, area), size, angle);
    patches.insert(patches.end(), made.begin(), made.end());
  }
}

void fill_up_class(std::vector<uint8_t>& patches, int size, const TurnedCopies& copies, RngKey key) {
  if (copies.positives == 0) return;
  const int wide = cut_size(size, copies);
  add_turned_copies(patches, wide, copies, key);
  const size_t from = static_cast<size_t>(wide) * static_cast<size_t>(wide), to = from / 4;
  std::vector<uint8_t> halved(patches.size() / 4);
  for (size_t i = 0; i * from < patches.size(); ++i) {
    resize_patch(std::span(patches).subspan(i * from, from), wide, std::span(halved).subspan(i * to, to), size);
  }
  patches = std::move(halved);
}

}  // namespace adasample
