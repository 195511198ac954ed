// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/patch_pairs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/rng.h"

namespace adasample {
namespace {

constexpr int64_t kMaxPairs = 100'000'000;
constexpr int64_t kDescribeChunk = 4096;  // patches: 4 MiB of pixels at 32x32
constexpr int64_t kDistanceChunk = 1024;  // pairs

// Two distinct numbers of [0, n), uniform over ordered pairs.
std::pair<int64_t, int64_t> two_of(int64_t n, RngStream& stream) {
  const int64_t a = stream.index(n), b = stream.index(n - 1);
  return {a, b + (b >= a ? 1 : 0)};
}

// The patches that occur in `pairs`, each once, in store order: reading them walks the file forwards.
std::vector<int64_t> needed_patches(const PatchPairs& pairs) {
  std::vector<int64_t> needed = pairs.first;
  needed.insert(needed.end(), pairs.second.begin(), pairs.second.end());
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  return needed;
}

// float [patches.size(), dimension]; only one chunk of pixels is copied at a time.
std::vector<float> describe(const PatchStore& store, Descriptor& descriptor, std::span<const int64_t> patches,
                            double& seconds) {
  const auto dimension = static_cast<size_t>(descriptor.dimension());
  std::vector<float> descriptors(patches.size() * dimension);
  std::vector<uint8_t> pixels;
  Progress progress("describing", "patches", static_cast<int64_t>(patches.size()));
  for (size_t begin = 0; begin < patches.size(); begin += kDescribeChunk) {
    const size_t count = std::min<size_t>(kDescribeChunk, patches.size() - begin);
    pixels.clear();
    for (const int64_t index : patches.subspan(begin, count)) {
      const std::span<const uint8_t> patch = store.patch(index);
      pixels.insert(pixels.end(), patch.begin(), patch.end());
    }
    const auto start = std::chrono::steady_clock::now();
    descriptor.describe(pixels, static_cast<int64_t>(count), store.patch_size(),
                        std::span(descriptors).subspan(begin * dimension, count * dimension));
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    progress.add(static_cast<int64_t>(count));
  }
  return descriptors;
}

float euclidean(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

void PairOptions::validate() const {
  ADA_USAGE(pairs >= 1 && pairs <= kMaxPairs, "PairOptions::pairs = {}, must be between 1 and {}", pairs, kMaxPairs);
}

PatchPairs draw_pairs(const PatchStore& store, const PairOptions& options) {
  options.validate();
  const int64_t classes = store.class_count();
  ADA_CHECK(classes >= 2, "[eval] {}: expected at least 2 classes to draw negatives from, found {}",
            store.folder().string(), classes);
  PatchPairs drawn;
  const auto add = [&](int64_t first, int64_t second, uint8_t label) {
    drawn.first.push_back(first);
    drawn.second.push_back(second);
    drawn.labels.push_back(label);
  };
  const auto stream_of = [key = RngKey(options.seed, Draw::kPairs)](uint8_t kind, int64_t i) {
    return RngStream(key.at(kind).at(static_cast<uint64_t>(i)));
  };
  for (int64_t i = 0; i < options.pairs; ++i) {
    RngStream stream = stream_of(0, i);
    const auto [a, b] = two_of(classes, stream);
    const int64_t first = store.class_begin(a) + stream.index(store.class_size(a));
    add(first, store.class_begin(b) + stream.index(store.class_size(b)), 0);
  }
  for (int64_t i = 0; i < options.pairs; ++i) {
    RngStream stream = stream_of(1, i);
    const int64_t c = stream.index(classes);
    const auto [a, b] = two_of(store.class_size(c), stream);
    add(store.class_begin(c) + a, store.class_begin(c) + b, 1);
  }
  return drawn;
}

PairScores evaluate_patches(const PatchStore& store, Descriptor& descriptor, const PairOptions& options,
                            double* seconds) {
  const PatchPairs pairs = draw_pairs(store, options);
  const std::vector<int64_t> patches = needed_patches(pairs);
  double describing = 0;
  const std::vector<float> descriptors = describe(store, descriptor, patches, describing);
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
  return score_pairs(pairs.labels, distances);
}

}  // namespace adasample
