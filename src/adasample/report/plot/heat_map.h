// SPDX-License-Identifier: Apache-2.0
// A histogram over time: iterations across, the value up, stronger colours where more of a snapshot's values lie.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adasample/report/run_data.h"

namespace adasample {

// Neighbouring snapshots and bins are added up until there are few enough to see.
inline constexpr size_t kMostColumns = 120, kMostRows = 64;

struct HeatMap {
  struct Column {
    int64_t iteration = 0;        // of its first snapshot
    std::vector<int64_t> counts;  // a row each, the lowest first
    int64_t total = 0;
  };
  double low = 0, high = 1;
  int64_t end = 1;  // where the last column ends
  std::vector<Column> columns;

  double largest_share() const;  // of a column's values in one row
};

// No columns where no snapshot has a histogram of that name.
HeatMap make_heat_map(const std::vector<Snapshot>& snapshots, std::string_view name);

struct HeatMapText {
  std::string id, title, description, run;
  std::string run_html;  // how the page shows the run's name
};
// `full` is the share that gets the strongest colour; maps to be compared take the same.
std::string svg_heat_map(const HeatMap& map, const HeatMapText& text, double full);

}  // namespace adasample
