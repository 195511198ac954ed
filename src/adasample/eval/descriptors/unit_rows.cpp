// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/unit_rows.h"

#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr double kNormTolerance = 0.01;

}  // namespace

void require_unit_rows(std::span<const float> rows, int dimension, const std::string& descriptor,
                       const std::string& wanted_by) {
  const auto width = static_cast<size_t>(dimension);
  ADA_ASSERT(dimension >= 1 && rows.size() % width == 0);
  for (; !rows.empty(); rows = rows.subspan(width)) {
    double square = 0;
    for (const float x : rows.first(width)) square += double{x} * x;
    const double norm = std::sqrt(square);
    ADA_CHECK(norm == 0 || std::abs(norm - 1) <= kNormTolerance,
              "[descriptors] {} takes descriptors of norm 1, {} has one of norm {:.3g}", wanted_by, descriptor, norm);
  }
}

}  // namespace adasample
