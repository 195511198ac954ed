// SPDX-License-Identifier: Apache-2.0
// A run folder that is looked at again and again while somebody else writes it. Only what is new is read: files that
// grow from where they were left, others when their date or size has changed. Never writes, never waits, holds no file
// open.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "adasample/report/run_data.h"
#include "adasample/report/run_lines.h"

namespace adasample {

class RunTail {
 public:
  using Clock = std::chrono::steady_clock;
  explicit RunTail(std::filesystem::path folder);

  // Reads what is new; true where there is something else to show than before. What is not there yet, torn or malformed
  // is a note of data(), and is tried again: a run may be begun, or be in the middle of a line.
  bool refresh();

  const RunData& data() const { return data_; }
  const std::filesystem::path& folder() const { return folder_; }
  Clock::time_point last_news() const { return last_news_; }  // when metrics last grew, or this was made

 private:
  // Size, date and inode: another file, or other content.
  struct Stamp {
    uint64_t size = 0, inode = 0;
    int64_t date = 0;
    bool operator==(const Stamp&) const = default;
  };
  // A file that grows, and how far it was read.
  struct Grown {
    uint64_t read = 0, inode = 0;
    std::string end;  // the last bytes before `read`: still there unless the file was cut and written anew
  };

  void look();
  template <typename Lines>
  bool read_on(const char* file, Grown& grown, Lines& lines);
  template <typename Parse>
  void reread(const char* file, const Parse& parse);

  std::filesystem::path folder_;
  RunData data_;
  MetricLines metrics_;
  SnapshotLines snapshots_;
  Grown metrics_grown_, snapshots_grown_;
  std::map<std::string, Stamp> stamps_;
  std::map<std::string, std::string> troubles_;  // by file
  std::vector<std::string> info_notes_;          // run.json's
  Clock::time_point last_news_;
  bool changed_ = false;
};

}  // namespace adasample
