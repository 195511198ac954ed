// SPDX-License-Identifier: Apache-2.0
// How large activations become, which int8 arithmetic has to know beforehand. It travels in the weights' metadata.
#pragma once

#include <vector>

#include "adasample/model/weights.h"

namespace adasample {

struct Calibration {
  // What the largest of 8 bits stands for in the result of each layer but the last two: (layers - 2).
  std::vector<float> ranges;

  bool operator==(const Calibration&) const = default;
};

// Where nothing was measured: batch norm without an affine part leaves numbers of unit variance before ReLU, once its
// running statistics have settled.
Calibration assumed_calibration(const LayerTable& table);

// Of the weights' metadata ("int8_ranges"), else the assumed one. Throws Error for what is no such list.
Calibration calibration_of(const Weights& weights, const LayerTable& table);
bool is_calibrated(const Weights& weights);
void set_calibration(Weights& weights, const Calibration& calibration);

// The same as text: numbers separated by blanks. `label` names the source in messages.
Calibration parse_calibration(std::string_view text, size_t count, const std::string& label);
std::string format_calibration(const Calibration& calibration);

}  // namespace adasample
