// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/correlation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "adasample/base/error.h"

namespace adasample {

double pearson(std::span<const double> a, std::span<const double> b) {
  ADA_ASSERT(a.size() == b.size());
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  if (!(aa > 0 && bb > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
}

}  // namespace adasample
