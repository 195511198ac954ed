// SPDX-License-Identifier: Apache-2.0
// Verification on patches from anywhere: labelled pairs are described and ranked by distance.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "adasample/data/labelled_pairs.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/phototour/phototour.h"
#include "adasample/eval/pair_scores.h"
#include "adasample/features/describe/patch_source.h"
#include "adasample/model/descriptor.h"

namespace adasample {

// The patches or the set must outlive the source.
PatchSource source_of(const PatchArray& patches);
inline PatchSource source_of(const PatchStore& store) { return source_of(store.patches()); }
// `size` pixels, resized as the field's readers do (image/resize.h).
PatchSource source_of(const PhotoTour& set, int size);

// measure_pairs() of eval/descriptors/patch_rows.h on descriptors computed here. `seconds`, when given, receives the
// time spent in describe().
std::vector<double> measure_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor,
                                  double* seconds = nullptr);

// measure_pairs(), scored.
PairScores evaluate_pairs(const PatchPairs& pairs, const PatchSource& source, Descriptor& descriptor,
                          double* seconds = nullptr);

// The figures as result files hold them: "fpr95", "fpr95_low", "fpr95_high", "fpr99", "ap", ..
nlohmann::ordered_json scores_json(const PairScores& scores);

}  // namespace adasample
