// SPDX-License-Identifier: Apache-2.0
// What it costs to keep descriptors in fewer bits, measured on the very rows that are kept; and the check for unit rows
// that packing into bytes relies on.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "adasample/base/bytes/number_type.h"

namespace adasample {

struct StorageLoss {
  double largest = 0, rms = 0;  // difference of the numbers, over all rows
  int64_t sample = 0;           // rows, an even choice, among which neighbours were looked for
  double changed = 0;           // share of them whose nearest other row is another one now

  nlohmann::ordered_json json() const;
  std::string text(const std::string& type) const;
};

class LossMeter {
 public:
  LossMeter(NumberType type, int dimension);

  // float [n, dimension]: the rows as they were before.
  void add(std::span<const float> rows);
  StorageLoss result() const;

 private:
  NumberType type_;
  size_t dimension_;
  int64_t rows_ = 0, step_ = 1;  // every step-th row is in the sample
  double largest_ = 0, squares_ = 0;
  std::vector<float> sample_;
};

// What packs descriptors into bytes by one map for all takes rows of length 1 for granted.
// `rows`: float [n, dimension]. Throws Error, naming the descriptor and what wants them so, for a row whose Euclidean
// norm is off 1 by more than 1 %; all zeros, SIFT's answer to a flat patch, is allowed.
void require_unit_rows(std::span<const float> rows, int dimension, const std::string& descriptor,
                       const std::string& wanted_by);

}  // namespace adasample
