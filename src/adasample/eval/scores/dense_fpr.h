// SPDX-License-Identifier: Apache-2.0
// FPR95 by many negatives for little work: P positive pairs (a_i, b_i) have P (P - 1) pairs (a_i, b_j) between them,
// and those of different classes are negatives. 5,000 positives are 25 million negatives, so that the score moves in
// steps of 4e-8, where as many negatives as positives would give steps of 2e-4. The distances are counted, not kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/eval/fpr95.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/model/descriptor.h"

namespace adasample {

// Pair i: the patches first[i] and second[i], both of the class classes[i].
struct PositivePairs {
  std::vector<int64_t> first, second, classes;
};

// `most` pairs, or all that the store has: no two the same. Every class gives one before any gives a second. A function
// of store and seed. Throws Error for a store of one class.
PositivePairs draw_positives(const PatchStore& store, int64_t most, uint64_t seed);

// a, b: (P, dimension), descriptors of the first and of the second patches; classes: P. Euclidean distances in double.
// `value` is `high`: negatives come first among ties, which counts against the descriptor. Throws Error for a positive
// whose distance is not a number, without positives and without negatives.
FprAtRecall dense_fpr(std::span<const float> a, std::span<const float> b, int dimension,
                      std::span<const int64_t> classes, double recall = 0.95);

// The same of pairs that are described first. By a learned metric, which is slower by far, negatives are (a_i, b_(i+s))
// for s = 1 to kMetricNegatives, around the list.
inline constexpr int64_t kMetricNegatives = 8;
FprAtRecall dense_fpr(const PositivePairs& pairs, const PatchSource& source, Descriptor& descriptor);

}  // namespace adasample
