// SPDX-License-Identifier: Apache-2.0
// Where the patches of an evaluation come from, and the evaluation itself: labelled pairs of patches are described and
// ranked by distance.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "adasample/base/progress.h"
#include "adasample/data/labelled_pairs.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/phototour.h"
#include "adasample/eval/pair_scores.h"
#include "adasample/model/descriptor.h"

namespace adasample {

struct PatchSource {
  int size = 0;  // pixels along a side
  // Writes patch `index` to out (size, size); called from several threads at once.
  std::function<void(int64_t index, std::span<uint8_t> out)> read;
};

// The patches or the set must outlive the source.
PatchSource source_of(const PatchArray& patches);
inline PatchSource source_of(const PatchStore& store) { return source_of(store.patches()); }
// `size` pixels, resized as the field's readers do (data/resize.h).
PatchSource source_of(const PhotoTour& set, int size);

inline constexpr int64_t kDescribeChunk = 4096;  // patches described at once, at most

// Descriptors of these patches, float [patches.size(), dimension]; pixels are copied a chunk at a time. `progress`
// counts patches, `seconds` grows by the time spent in describe().
std::vector<float> describe_patches(const PatchSource& source, Descriptor& descriptor, std::span<const int64_t> patches,
                                    Progress& progress, double& seconds);

// measure_pairs() of eval/patch_rows.h on descriptors computed here. `seconds`, when given, receives the time spent in
// describe().
std::vector<double> measure_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor,
                                  double* seconds = nullptr);

// measure_pairs(), scored.
PairScores evaluate_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor,
                          double* seconds = nullptr);

}  // namespace adasample
