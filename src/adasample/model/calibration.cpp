// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/calibration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr const char* kKey = "int8_ranges";
constexpr float kLeastRange = 1e-6f;  // what calibration itself never goes below
constexpr float kAssumedRange = 10;   // standard deviations: the tails are heavy

}  // namespace

Calibration assumed_calibration(const LayerTable& table) {
  return {std::vector<float>(table.layers.size() - 2, kAssumedRange)};
}

bool is_calibrated(const Weights& weights) { return weights.metadata.contains(kKey); }

Calibration calibration_of(const Weights& weights, const LayerTable& table) {
  const auto found = weights.metadata.find(kKey);
  if (found == weights.metadata.end()) return assumed_calibration(table);
  return parse_calibration(found->second, table.layers.size() - 2, kKey);
}

void set_calibration(Weights& weights, const Calibration& calibration) {
  weights.metadata[kKey] = format_calibration(calibration);
}

Calibration parse_calibration(std::string_view text, size_t count, const std::string& label) {
  Calibration calibration;
  const char *at = text.data(), *end = at + text.size();
  while (at != end) {
    float range = 0;
    const auto [after, problem] = std::from_chars(at, end, range);
    ADA_CHECK(problem == std::errc{} && std::isfinite(range) && range >= kLeastRange && (after == end || *after == ' '),
              "[calibration] {}: number {} is not a positive number", label, calibration.ranges.size() + 1);
    calibration.ranges.push_back(range);
    at = after == end ? end : after + 1;
  }
  ADA_CHECK(calibration.ranges.size() == count, "[calibration] {}: expected {} numbers, found {}", label, count,
            calibration.ranges.size());
  return calibration;
}

std::string format_calibration(const Calibration& calibration) {
  return fmt::format("{}", fmt::join(calibration.ranges, " "));
}

}  // namespace adasample
