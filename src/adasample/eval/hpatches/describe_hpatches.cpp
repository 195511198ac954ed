// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "adasample/base/error.h"
#include "adasample/base/progress.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/eval/hpatches/descriptor_set.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/image/resize.h"
#include "adasample/model/learned_metric.h"

namespace adasample {
namespace {

// Whether the standard deviation exceeds 10 grey levels; in whole numbers, so that no rounding decides.
bool is_textured(std::span<const uint8_t> patch) {
  int64_t sum = 0, squares = 0;
  for (const uint8_t pixel : patch) {
    sum += pixel;
    squares += int64_t{pixel} * pixel;
  }
  const int64_t n = std::ssize(patch);
  return n * squares - sum * sum > 10 * 10 * n * n;
}

}  // namespace

DescriptorSet describe_hpatches(const std::filesystem::path& root, const std::vector<std::string>& sequences,
                                Descriptor& descriptor, int size, double& seconds) {
  refuse_learned_metric(descriptor, "hpatches");
  DescriptorSet set;
  set.dimension = descriptor.dimension();
  seconds = 0;
  for (const std::string& name : sequences) {
    const HpatchesSequence pixels = load_hpatches(root, name);
    const auto count = static_cast<size_t>(pixels.count), strips = pixels.strips.size();
    DescribedSequence described;
    described.shape = {name, pixels.count, static_cast<int>(strips / kHpatchesLevels.size()) + 1,
                       std::vector<uint8_t>(count)};
    described.dimension = set.dimension;
    for (size_t i = 0; i < count; ++i) {
      described.shape.textured[i] = is_textured(pixels.patch(0, static_cast<int64_t>(i))) ? 1 : 0;
    }

    const PatchSource source{size, [&](int64_t index, std::span<uint8_t> out) {
                               resize_patch(
                                   pixels.patch(static_cast<size_t>(index / pixels.count), index % pixels.count),
                                   kHpatchesSide, out, size);
                             }};
    std::vector<int64_t> all(strips * count);
    std::iota(all.begin(), all.end(), 0);
    Progress progress(fmt::format("{} of {}: {}", set.sequences.size() + 1, sequences.size(), name), "patches",
                      std::ssize(all));
    described.values = describe_patches(source, descriptor, all, progress, seconds);
    const auto bad = std::find_if_not(described.values.begin(), described.values.end(),
                                      [](float value) { return std::isfinite(value); });
    ADA_CHECK(bad == described.values.end(), "[eval] {}: the descriptor of patch {} is not finite", name,
              (bad - described.values.begin()) / set.dimension % pixels.count);
    set.sequences.push_back(std::move(described));
  }
  return set;
}

}  // namespace adasample
