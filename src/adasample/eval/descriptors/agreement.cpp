// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/agreement.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "adasample/base/bytes/finite.h"
#include "adasample/base/error.h"
#include "adasample/eval/pair_scores.h"
#include "adasample/features/match/norm.h"

namespace adasample {
namespace {

constexpr int64_t kNegatives = 31;  // a class

// Kahan's formula, exact for tiny angles too, where the arc cosine of a scalar product has lost all digits. It takes
// vectors of one length; descriptors are, to the last bits.
double angle_between(std::span<const float> a, std::span<const float> b) {
  double difference = 0, sum = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double x = a[i], y = b[i];
    difference += (x - y) * (x - y);
    sum += (x + y) * (x + y);
  }
  return 2 * std::atan2(std::sqrt(difference), std::sqrt(sum)) * 180 / std::numbers::pi;
}

void check_finite(std::span<const float> row, size_t number, const std::string& name) {
  ADA_CHECK(all_finite(row), "[check] {}: the descriptor of patch {} is not finite", name, number);
}

}  // namespace

Agreement compare_descriptors(std::span<const float> a, std::span<const float> b, int dimension,
                              const std::string& a_name, const std::string& b_name) {
  const auto width = static_cast<size_t>(dimension);
  ADA_ASSERT(a.size() == b.size() && !a.empty() && a.size() % width == 0);
  Agreement result;
  std::vector<double> angles;
  for (size_t at = 0; at < a.size(); at += width) {
    const std::span<const float> x = a.subspan(at, width), y = b.subspan(at, width);
    check_finite(x, at / width, a_name);
    check_finite(y, at / width, b_name);
    for (size_t i = 0; i < width; ++i) {
      result.largest_difference = std::max(result.largest_difference, std::abs(double{x[i]} - double{y[i]}));
    }
    angles.push_back(angle_between(x, y));
  }
  std::sort(angles.begin(), angles.end());
  result.p99_angle = angles[(99 * angles.size() + 99) / 100 - 1];
  result.largest_angle = angles.back();
  return result;
}

double paired_fpr95(std::span<const float> rows, int dimension) {
  const auto width = static_cast<size_t>(dimension);
  const auto classes = static_cast<int64_t>(rows.size() / width / 2);
  ADA_ASSERT(classes >= 2 && rows.size() == static_cast<size_t>(2 * classes) * width);
  const auto row = [&](int64_t i) { return rows.subspan(static_cast<size_t>(i) * width, width); };
  std::vector<uint8_t> labels;
  std::vector<double> distances;
  for (int64_t step = std::min(kNegatives, classes - 1); step >= 0; --step) {  // ties count against it: negatives first
    for (int64_t c = 0; c < classes; ++c) {
      labels.push_back(step == 0);
      distances.push_back(pair_distance(Norm::kL2, row(2 * c), row(2 * ((c + step) % classes) + 1)));
    }
  }
  return score_pairs(labels, distances).fpr95.value;
}

}  // namespace adasample
