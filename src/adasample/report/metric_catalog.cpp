// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/metric_catalog.h"

#include <span>

namespace adasample {
namespace {

struct Entry {
  std::string_view name, title, description;
  size_t group;
};

constexpr Entry kMetrics[] = {
    {"val_score", "FPR95 on validation data", "false positive rate at 95 % recall, a share; lower is better", 0},
    {"loss", "Loss", "mean over the batch, without weights", 0},
    {"l_avg", "Running loss", "the average that steers the sampler", 0},
    {"d_pos", "Distance to the positive", "mean over the batch, in the loss's metric", 0},
    {"d_neg", "Distance to the negative", "mean over the batch, in the loss's metric", 0},
    {"active", "Active triplets", "share with a loss above zero", 0},
    {"exponent", "Exponent", "of the sampling distribution p ~ d^x, as used", 1},
    {"entropy", "Entropy of the sampling", "1 uniform, 0 always the same patch", 1},
    {"effective_pairs", "Effective pairs", "(sum w)^2 / sum w^2: as how many equally weighted pairs the batch counts", 1},
    {"effective_rank", "Effective rank", "dimensions the batch's descriptors use, 1 to 128", 1},
    {"masked", "Masked rows", "share whose candidates were all taken for duplicates", 1},
    {"lr", "Learning rate", "", 2},
    {"stepped", "Steps taken", "1, or 0 where a gradient was not finite", 1},
    {"pairs_per_s", "Pairs a second", "", 2},
};

constexpr Entry kHistograms[] = {
    {"d_pos", "Distances to the positives", "of the pairs that were drawn", 0},
    {"d_neg", "Distances to the negatives", "of the negatives that were mined", 0},
    {"d_candidates", "Distances to the candidates", "from each anchor to all the patches it could be paired with", 0},
    {"p_candidates", "Chances of the candidates", "of being drawn", 0},
};

MetricText look_up(std::span<const Entry> entries, std::string_view name) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (entry.name == name) return {std::string(entry.title), std::string(entry.description), entry.group, i};
  }
  return {std::string(name), "", kMetricGroups.size() - 1, entries.size()};
}

}  // namespace

MetricText metric_text(std::string_view name) {
  if (name.starts_with(kTimePrefix))
    return {"Time: " + std::string(name.substr(kTimePrefix.size())), "share of the iteration", 2, std::size(kMetrics)};
  return look_up(kMetrics, name);
}
MetricText histogram_text(std::string_view name) { return look_up(kHistograms, name); }

}  // namespace adasample
