// SPDX-License-Identifier: Apache-2.0
// What the live page shows: the sections of the report, of runs that are still being written, and a card for each run
// with its speed, the time left and what is wrong with it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "adasample/report/live/run_tail.h"

namespace adasample {

inline constexpr size_t kMostWatched = 32;  // runs on one page

struct LivePart {
  std::string id, html;
  uint64_t version = 0;  // grows when the html changes
};

class LiveView {
 public:
  // Run folders, or folders of run folders such as an experiment's. They need not be there yet.
  explicit LiveView(std::vector<std::filesystem::path> folders);

  // Reads what is new; true where a part has changed.
  bool refresh();

  const std::vector<LivePart>& parts() const { return parts_; }
  uint64_t version() const { return version_; }  // the greatest of the parts'
  // The whole page, which follows the events of the server that it came from.
  std::string page() const;
  // The page that `report` would write about run `index`; nothing where there is no such run.
  std::optional<std::string> report(size_t index) const;

  // What goes on a page that may load its own script and style and what its server sends, and nothing else.
  static std::string content_policy();

 private:
  void find_runs();
  void render();
  void render_cards();
  void put(const std::string& id, std::string html);
  std::string cards(const std::vector<RunData>& runs) const;
  std::vector<RunData> run_data() const;

  std::vector<std::filesystem::path> folders_;
  std::vector<std::unique_ptr<RunTail>> runs_;
  size_t left_out_ = 0;
  std::vector<LivePart> parts_;
  uint64_t version_ = 0;
};

// Iterations that config.toml asks for; nothing where it does not say.
std::optional<int64_t> planned_iterations(const RunData& run);
// Pairs per second, the median of the last iterations; NaN where there are none.
double present_speed(const RunData& run);
// What should worry the person who watches, a sentence each: the trainer's own signs of collapse, steps that were not
// taken, and no news for `silent` seconds of a run that has not ended.
std::vector<std::string> alarms_of(const RunData& run, double silent);

}  // namespace adasample
