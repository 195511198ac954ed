// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/patch_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/data/resize.h"

namespace adasample {
namespace {

constexpr int64_t kDescribeChunk = 4096;  // patches: 4 MiB of pixels at 32x32
constexpr int64_t kDistanceChunk = 1024;  // pairs

// The patches that occur in `pairs`, each once, by index: reading them walks the files forwards.
std::vector<int64_t> needed_patches(const PatchPairs& pairs) {
  std::vector<int64_t> needed = pairs.first;
  needed.insert(needed.end(), pairs.second.begin(), pairs.second.end());
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

float euclidean(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

PatchSource source_of(const PatchStore& store) {
  return {store.patch_size(), [&store](int64_t index, std::span<uint8_t> out) {
            const std::span<const uint8_t> patch = store.patch(index);
            std::copy(patch.begin(), patch.end(), out.begin());
            store.check_intact();
          }};
}

PatchSource source_of(const PhotoTour& set, int size) {
  return {size, [&set, size](int64_t index, std::span<uint8_t> out) {
            std::vector<uint8_t> patch(size_t{kPhotoTourPatch} * kPhotoTourPatch);
            set.read(index, patch);
            resize_patch(patch, kPhotoTourPatch, out, size);
          }};
}

std::vector<float> describe_patches(const PatchSource& source, Descriptor& descriptor, std::span<const int64_t> patches,
                                    Progress& progress, double& seconds) {
  const auto dimension = static_cast<size_t>(descriptor.dimension());
  const auto area = static_cast<size_t>(source.size) * static_cast<size_t>(source.size);
  std::vector<float> descriptors(patches.size() * dimension);
  std::vector<uint8_t> pixels;
  for (size_t begin = 0; begin < patches.size(); begin += kDescribeChunk) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted while describing patches");
    const size_t count = std::min<size_t>(kDescribeChunk, patches.size() - begin);
    pixels.resize(count * area);
    parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
      const auto at = static_cast<size_t>(i);
      source.read(patches[begin + at], std::span(pixels).subspan(at * area, area));
    });
    const auto start = std::chrono::steady_clock::now();
    descriptor.describe(pixels, static_cast<int64_t>(count), source.size,
                        std::span(descriptors).subspan(begin * dimension, count * dimension));
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.add(static_cast<int64_t>(count));
  }
  return descriptors;
}

std::vector<double> measure_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor,
                                  double* seconds) {
  const std::vector<int64_t> patches = needed_patches(pairs);
  double describing = 0;
  Progress progress("describing", "patches", static_cast<int64_t>(patches.size()));
  const std::vector<float> descriptors = describe_patches(source, descriptor, patches, progress, describing);
  if (seconds != nullptr) *seconds = describing;

  const auto dimension = static_cast<size_t>(descriptor.dimension());
  const auto row = [&](int64_t patch) {
    const auto at = std::lower_bound(patches.begin(), patches.end(), patch) - patches.begin();
    return std::span(descriptors).subspan(static_cast<size_t>(at) * dimension, dimension);
  };
  const auto count = static_cast<int64_t>(pairs.labels.size());
  std::vector<double> distances(pairs.labels.size());
  parallel_for((count + kDistanceChunk - 1) / kDistanceChunk, [&](int64_t chunk) {
    const int64_t end = std::min(count, (chunk + 1) * kDistanceChunk);
    for (auto i = static_cast<size_t>(chunk * kDistanceChunk); i < static_cast<size_t>(end); ++i) {
      distances[i] = euclidean(row(pairs.first[i]), row(pairs.second[i]));
    }
  });
  return distances;
}

PairScores evaluate_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor, double* seconds) {
  return score_pairs(pairs.labels, measure_pairs(pairs, source, descriptor, seconds));
}

}  // namespace adasample
