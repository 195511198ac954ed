// SPDX-License-Identifier: Apache-2.0
// What is known about metrics and histograms: titles and descriptions. A name that is not here is shown as it is.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace adasample {

struct MetricText {
  std::string title, description;
  size_t group = 0;  // index into kMetricGroups
  size_t place = 0;  // order within the group; unknown names come last
};

inline constexpr std::array<std::string_view, 4> kMetricGroups = {"Loss and distances", "Sampling and health",
                                                                  "Optimiser and speed", "Other"};

MetricText metric_text(std::string_view name);
MetricText histogram_text(std::string_view name);

// Metrics of this prefix are shares of one whole and are drawn stacked.
inline constexpr std::string_view kTimePrefix = "time_";

}  // namespace adasample
