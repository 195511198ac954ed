// SPDX-License-Identifier: Apache-2.0
// A progress bar with rate and time left. On a terminal it redraws one line; elsewhere it prints a plain line now and
// then.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace adasample {

// Who wants to know, in place of a bar: told by every Progress that was made on this thread while it lived. For a
// program that embeds us (the Python package); its work is told apart from that of other threads.
class ProgressWatcher {
 public:
  ProgressWatcher();  // until it ends, in place of the watcher that this thread had
  virtual ~ProgressWatcher();
  ProgressWatcher(const ProgressWatcher&) = delete;
  ProgressWatcher& operator=(const ProgressWatcher&) = delete;

  // On whichever thread has done a part of the work. What it throws ends the work.
  virtual void told(const std::string& title, const std::string& unit, int64_t done, int64_t total) = 0;

 private:
  ProgressWatcher* before_;
};

class Progress {
 public:
  // `unit` names what is counted ("pairs", "patches"). Draws nothing before the first second has passed.
  Progress(std::string title, std::string unit, int64_t total);
  Progress() : Progress("", "", 0) { seen_ = false; }  // counts, and draws nothing: for a library's own work
  ~Progress();                                         // ends the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Safe from several threads. `note` is shown behind the figures ("loss 0.83").
  void add(int64_t done, const std::string& note = "");

  // For tests: the line as it would be shown after `seconds`.
  static std::string line(const std::string& title, const std::string& unit, int64_t done, int64_t total,
                          double seconds);

  // Silences every bar of the process (--quiet).
  static void set_enabled(bool enabled);

 private:
  void draw(bool last);

  const std::string title_, unit_;
  const int64_t total_;
  const bool terminal_;
  ProgressWatcher* const watcher_;  // null: nobody
  bool seen_ = true;
  const std::chrono::steady_clock::time_point start_;
  std::atomic<int64_t> done_{0};
  std::mutex mutex_;
  std::string note_;
  std::chrono::steady_clock::time_point last_draw_;
  bool drawn_ = false;
};

}  // namespace adasample
