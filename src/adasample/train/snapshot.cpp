// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/snapshot.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/bytes/base64.h"
#include "adasample/sampler/pair_draw.h"

namespace adasample {
namespace {

using nlohmann::ordered_json;

constexpr int64_t kSnapshots = 40;  // in a run
constexpr int64_t kPictureEvery = 5;
constexpr int64_t kPictureClasses = 4;
constexpr int64_t kBins = 64;

int64_t interval(int64_t total) { return std::max<int64_t>(1, total / kSnapshots); }

// Values outside are counted at the ends; what is no number is left out.
ordered_json histogram(const char* name, const at::Tensor& values, double low, double high) {
  const at::Tensor host = values.detach().flatten().to(at::kCPU, at::kDouble).contiguous();
  std::vector<int64_t> counts(kBins);
  for (int64_t i = 0; i < host.numel(); ++i) {
    const double value = host.data_ptr<double>()[i];
    if (std::isnan(value)) continue;
    const double bin = std::floor((value - low) / (high - low) * kBins);
    ++counts[static_cast<size_t>(std::clamp(bin, 0.0, static_cast<double>(kBins - 1)))];
  }
  return {{"name", name}, {"low", low}, {"high", high}, {"counts", counts}};
}

// One class: its candidates as pictures, and what the draw looked at. The anchor has neither d nor p.
ordered_json pick_of(int64_t j, const SnapshotInput& input, const at::Tensor& distances) {
  const auto at = [&](const at::Tensor& tensor) { return tensor[j].item<int64_t>(); };
  const int64_t anchor = at(input.draw.anchor), count = at(input.candidates.counts);
  const auto number = [](double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); };
  ordered_json patches, d, p;
  for (int64_t slot = 0; slot < count; ++slot) {
    const at::Tensor patch = input.patches[j][slot].cpu().contiguous();
    patches.push_back(base64_encode({patch.data_ptr<uint8_t>(), static_cast<size_t>(patch.numel())}));
    const bool shown = slot != anchor;
    d.push_back(shown && distances.defined() ? number(distances[j][slot].item<double>()) : ordered_json());
    p.push_back(shown ? number(input.draw.probability[j][slot].item<double>()) : ordered_json());
  }
  return {{"class", at(input.candidates.classes)},
          {"anchor", anchor},
          {"drawn", at(input.draw.positive)},
          {"patches", patches},
          {"d", d},
          {"p", p}};
}

}  // namespace

bool snapshot_due(int64_t iteration, int64_t total) { return iteration % interval(total) == 0; }

ordered_json take_snapshot(const SnapshotInput& input) {
  torch::NoGradGuard no_grad;
  const SamplerInput& candidates = input.candidates;
  const double most = M_PI;  // angles; Euclidean distances end at 2, but a run may change its loss
  ordered_json histograms = {histogram("d_pos", input.loss.positive_distance, 0, most),
                             histogram("d_neg", input.loss.negative_distance, 0, most)};
  const at::Tensor mask = candidate_mask(input.draw.anchor, candidates.counts, candidates.k);  // (n, k)
  const at::Tensor& distances = input.draw.distances;                                          // (n, k)
  if (distances.defined()) {
    histograms.push_back(histogram("d_candidates", distances.masked_select(mask), 0, most));
  }
  histograms.push_back(histogram("p_candidates", input.draw.probability.masked_select(mask), 0, 1));

  ordered_json picks = ordered_json::array();
  if (input.iteration / interval(input.total) % kPictureEvery == 0) {
    for (int64_t j = 0; j < std::min(kPictureClasses, input.patches.size(0)); ++j) {
      picks.push_back(pick_of(j, input, distances));
    }
  }
  return {{"iteration", input.iteration}, {"histograms", histograms}, {"picks", picks}};
}

}  // namespace adasample
