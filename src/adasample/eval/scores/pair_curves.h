// SPDX-License-Identifier: Apache-2.0
// The ROC and precision-recall curves of labelled pairs, thinned to what a picture can show.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace adasample {

struct PairCurves {
  std::vector<std::pair<double, double>> roc;  // (false positive rate, recall), ends included
  std::vector<std::pair<double, double>> pr;   // (recall, precision), ends included
};

// At most about `points` a curve. On the ROC they are spread over the logarithm of the false positive rate, where
// descriptors differ; on the precision-recall curve over recall.
PairCurves pair_curves(std::span<const uint8_t> labels, std::span<const double> distances, int points = 400);

// curves.json of a run: {"name", "fpr95", "ap", "auc", "roc": [[x, y], ..], "pr": [[x, y], ..]}
nlohmann::ordered_json curves_json(const std::string& name, std::span<const uint8_t> labels,
                                   std::span<const double> distances);

}  // namespace adasample
