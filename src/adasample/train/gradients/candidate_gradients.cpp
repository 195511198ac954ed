// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/gradients/candidate_gradients.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/random/feistel.h"
#include "adasample/base/random/rng.h"
#include "adasample/loss/distance.h"
#include "adasample/net/net.h"
#include "adasample/train/gradients/pair_gradient.h"

namespace adasample {
namespace {

// The candidates of a class: patches (m, S, S), and which of them are its anchor and its own pair's positive.
struct Candidates {
  int64_t class_id = 0;
  at::Tensor patches;
  int64_t anchor = 0, positive = 0;
};

Candidates candidates_of(const PatchStore& store, int64_t class_id, const CandidateGradientOptions& options) {
  const RngKey key = RngKey(options.seed, Draw::kAnchor).at(static_cast<uint64_t>(class_id));
  const int64_t all = store.class_size(class_id), count = std::min(all, options.k);
  const FeistelPermutation subset(static_cast<uint64_t>(all), key.at(0));
  const int64_t side = store.patch_size();
  Candidates result{class_id, at::empty({count, side, side}, at::kByte), 0, 0};
  for (int64_t i = 0; i < count; ++i) {
    const auto patch =
        store.patch(store.class_begin(class_id) + static_cast<int64_t>(subset.image(static_cast<uint64_t>(i))));
    std::copy(patch.begin(), patch.end(), result.patches[i].data_ptr<uint8_t>());
  }
  RngStream rng(key.at(1));
  result.anchor = rng.index(count);
  result.positive = (result.anchor + 1 + rng.index(count - 1)) % count;
  return result;
}

}  // namespace

void CandidateGradientOptions::validate() const {
  ADA_USAGE(loss.name == "aht" || loss.name == "ht", "loss = {}, must be aht or ht", loss.name);
  ADA_USAGE(classes >= 2 && classes <= 100000, "classes = {}, must be 2 to 100000", classes);
  ADA_USAGE(k >= 2 && k <= 4096, "k = {}, must be 2 to 4096", k);
}

std::vector<ClassGradients> candidate_gradients(const Weights& weights, const PatchStore& store,
                                                const CandidateGradientOptions& options) {
  options.validate();
  ADA_CHECK(store.class_count() >= options.classes, "[gradients] {}: has {} classes, expected at least {}",
            store.folder().string(), store.class_count(), options.classes);
  const at::Device device(options.device);
  const Metric metric = options.loss.name == "aht" ? Metric::kAngular : Metric::kEuclidean;
  NetImpl net(/*seed=*/0, /*dropout=*/0);
  load_weights(net, weights);
  net.eval();
  net.to(device, at::kDouble);
  const auto embed = [&](const at::Tensor& patches) { return net.forward(patches.to(device, at::kDouble)); };

  std::vector<Candidates> batch;
  std::vector<at::Tensor> frozen;              // (m, D) each
  std::vector<at::Tensor> anchors, positives;  // (D) each
  const FeistelPermutation chosen(static_cast<uint64_t>(store.class_count()), RngKey(options.seed, Draw::kClasses));
  {
    const torch::NoGradGuard no_grad;
    for (int64_t j = 0; j < options.classes; ++j) {
      const auto class_id = static_cast<int64_t>(chosen.image(static_cast<uint64_t>(j)));
      batch.push_back(candidates_of(store, class_id, options));
      frozen.push_back(embed(batch.back().patches));
      anchors.push_back(frozen.back()[batch.back().anchor]);
      positives.push_back(frozen.back()[batch.back().positive]);
    }
  }
  store.check_intact();
  const at::Tensor all_anchors = at::stack(anchors), all_positives = at::stack(positives);  // (n, D)

  std::vector<ClassGradients> result;
  for (size_t c = 0; c < batch.size(); ++c) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[gradients] interrupted");
    const Candidates& own = batch[c];
    const auto nearest = [&](const at::Tensor& x, const at::Tensor& others) {  // distance and descriptor
      const torch::NoGradGuard no_grad;
      at::Tensor d = row_distance(x.unsqueeze(0), others, metric).clone();
      d[static_cast<int64_t>(c)] = INFINITY;
      const auto best = d.argmin();
      return std::pair(d.min().item<double>(), others.index_select(0, best.view({1})));
    };
    const auto by_anchor = nearest(anchors[c], all_anchors);
    ClassGradients& row = result.emplace_back();
    row.class_id = own.class_id;
    for (int64_t i = 0; i < own.patches.size(0); ++i) {
      if (i == own.anchor) continue;
      const auto by_candidate = nearest(frozen[c][i], all_positives);
      const bool anchors_own = by_anchor.first <= by_candidate.first;
      row.distances.push_back(row_distance(anchors[c], frozen[c][i], metric).item<double>());
      const at::Tensor pair = at::stack({own.patches[own.anchor], own.patches[i]}).to(device, at::kDouble);
      const PairGradient gradient = pair_gradient(net, pair, anchors_own ? by_anchor.second : by_candidate.second,
                                                  anchors_own, {options.loss.margin, metric}, /*frozen_too=*/true);
      row.norms.push_back(gradient.frozen);
      row.norms_pushed.push_back(gradient.pushed);
      row.active += gradient.active ? 1 : 0;
    }
  }
  return result;
}

}  // namespace adasample
