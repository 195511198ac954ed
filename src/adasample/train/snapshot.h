// SPDX-License-Identifier: Apache-2.0
// A closer look at one iteration, for the report: how distances and probabilities are spread, and what the sampler
// chose among what. Some 40 of them in a run, pictures in every fifth.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "adasample/loss/loss.h"
#include "adasample/sampler/sampler.h"

namespace adasample {

bool snapshot_due(int64_t iteration, int64_t total);

struct SnapshotInput {
  int64_t iteration, total;
  const SamplerInput& candidates;
  const PairDraw& draw;
  const at::Tensor& patches;  // (n, k, S, S), or those of the first slots
  const LossOutput& loss;
};

// {"iteration", "histograms": [{"name", "low", "high", "counts"}], "picks": [{"class", "anchor", "drawn", "patches",
// "d", "p"}]}; see docs/formats.md.
nlohmann::ordered_json take_snapshot(const SnapshotInput& input);

}  // namespace adasample
