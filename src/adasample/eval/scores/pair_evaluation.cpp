// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/scores/pair_evaluation.h"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "adasample/eval/descriptors/patch_rows.h"
#include "adasample/image/resize.h"

namespace adasample {

PatchSource source_of(const PatchArray& patches) {
  return {patches.size(), [&patches](int64_t index, std::span<uint8_t> out) {
            const std::span<const uint8_t> patch = patches.patch(index);
            std::copy(patch.begin(), patch.end(), out.begin());
            patches.check_intact();
          }};
}

PatchSource source_of(const PhotoTour& set, int size) {
  return {size, [&set, size](int64_t index, std::span<uint8_t> out) {
            std::vector<uint8_t> patch(size_t{kPhotoTourPatch} * kPhotoTourPatch);
            set.read(index, patch);
            resize_patch(patch, kPhotoTourPatch, out, size);
          }};
}

std::vector<double> measure_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor,
                                  double* seconds) {
  double describing = 0;
  const std::vector<double> distances = measure_pairs(pairs, rows_by(source, descriptor, describing));
  if (seconds != nullptr) *seconds = describing;
  return distances;
}

PairScores evaluate_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor, double* seconds) {
  return score_pairs(pairs.labels, measure_pairs(pairs, source, descriptor, seconds));
}

nlohmann::ordered_json scores_json(const PairScores& scores) {
  return {{"fpr95", scores.fpr95.value},
          {"fpr95_low", scores.fpr95.low},
          {"fpr95_high", scores.fpr95.high},
          {"fpr99", scores.fpr99.value},
          {"ap", scores.ap},
          {"ap_trapezoid", scores.ap_trapezoid},
          {"auc", scores.auc},
          {"positives", scores.positives},
          {"negatives", scores.negatives}};
}

}  // namespace adasample
