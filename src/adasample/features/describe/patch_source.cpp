// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/patch_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "adasample/base/bytes/finite.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"

namespace adasample {
namespace {

constexpr size_t kMostPixels = size_t{1} << 24;  // of a chunk, however large the patches

}  // namespace

void check_descriptors(std::span<const float> descriptors, size_t first, const Descriptor& descriptor) {
  const size_t bad = first_not_finite(descriptors);
  const auto dimension = static_cast<size_t>(descriptor.dimension());
  ADA_CHECK(bad == descriptors.size(), "[describe] {}: the descriptor of patch {} holds {} - broken weights?",
            descriptor.name(), first + bad / dimension, descriptors[bad]);
}

std::vector<float> describe_patches(const PatchSource& source, Descriptor& descriptor, std::span<const int64_t> patches,
                                    Progress& progress, double& seconds) {
  const auto dimension = static_cast<size_t>(descriptor.dimension());
  const auto area = static_cast<size_t>(source.size) * static_cast<size_t>(source.size);
  std::vector<float> descriptors(patches.size() * dimension);
  const size_t chunk = std::clamp<size_t>(kMostPixels / area, 1, kDescribeChunk);
  std::vector<uint8_t> pixels;
  for (size_t begin = 0; begin < patches.size(); begin += chunk) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted while describing patches");
    const size_t count = std::min(chunk, patches.size() - begin);
    pixels.resize(count * area);
    parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      source.read(patches[begin + at], std::span(pixels).subspan(at * area, area));
    });
    const auto start = std::chrono::steady_clock::now();
    const std::span<float> rows = std::span(descriptors).subspan(begin * dimension, count * dimension);
    descriptor.describe(pixels, static_cast<int64_t>(count), source.size, rows);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    check_descriptors(rows, begin, descriptor);
    progress.add(static_cast<int64_t>(count));
  }
  return descriptors;
}

}  // namespace adasample
