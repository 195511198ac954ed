// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/patch_pairs.h"

#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/random/rng.h"
#include "adasample/eval/descriptors/patch_rows.h"
#include "adasample/eval/scores/pair_evaluation.h"

namespace adasample {
namespace {

constexpr int64_t kMaxPairs = 100'000'000;

// Two distinct numbers of [0, n), uniform over ordered pairs.
std::pair<int64_t, int64_t> two_of(int64_t n, RngStream& stream) {
  const int64_t a = stream.index(n), b = stream.index(n - 1);
  return {a, b + (b >= a ? 1 : 0)};
}

}  // namespace

void PairOptions::validate() const {
  ADA_USAGE(pairs >= 1 && pairs <= kMaxPairs, "PairOptions::pairs = {}, must be between 1 and {}", pairs, kMaxPairs);
  ADA_USAGE(metric == "auto" || metric == "euclidean" || metric == "learned",
            "PairOptions::metric = '{}', must be auto, euclidean or learned", metric);
}

PatchPairs draw_pairs(const PatchStore& store, const PairOptions& options) {
  options.validate();
  const int64_t classes = store.class_count();
  ADA_CHECK(classes >= 2, "[eval] {}: expected at least 2 classes to draw negatives from, found {}",
            store.folder().string(), classes);
  PatchPairs drawn;
  const auto stream_of = [key = RngKey(options.seed, Draw::kPairs)](uint8_t kind, int64_t i) {
    return RngStream(key.at(kind).at(static_cast<uint64_t>(i)));
  };
  for (int64_t i = 0; i < options.pairs; ++i) {
    RngStream stream = stream_of(0, i);
    const auto [a, b] = two_of(classes, stream);
    const int64_t first = store.class_begin(a) + stream.index(store.class_size(a));
    drawn.add(first, store.class_begin(b) + stream.index(store.class_size(b)), false);
  }
  for (int64_t i = 0; i < options.pairs; ++i) {
    RngStream stream = stream_of(1, i);
    const int64_t c = stream.index(classes);
    const auto [a, b] = two_of(store.class_size(c), stream);
    drawn.add(store.class_begin(c) + a, store.class_begin(c) + b, true);
  }
  return drawn;
}

PairScores evaluate_patches(const PatchStore& store, Descriptor& descriptor, const PairOptions& options,
                            double* seconds) {
  ADA_CHECK(options.metric != "learned" || descriptor.metric() != nullptr,
            "[eval] {}: expected a learned metric, found weights without one - matchnet's have one", descriptor.name());
  const PatchPairs pairs = draw_pairs(store, options);
  const PatchSource source = source_of(store);
  double describing = 0;
  PatchRows rows = rows_by(source, descriptor, describing);
  if (options.metric == "euclidean") rows.metric = nullptr;
  const PairScores scores = score_pairs(pairs.labels, measure_pairs(pairs, rows));
  if (seconds != nullptr) *seconds = describing;
  return scores;
}

}  // namespace adasample
