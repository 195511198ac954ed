// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/console.h"

namespace adasample {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> bars_enabled{true};
thread_local ProgressWatcher* watcher_of_thread = nullptr;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

std::string duration_text(double seconds) {
  const auto s = static_cast<int64_t>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {:02} s", s / 60, s % 60);
  return fmt::format("{} h {:02} min", s / 3600, s / 60 % 60);
}

}  // namespace

ProgressWatcher::ProgressWatcher() : before_(watcher_of_thread) { watcher_of_thread = this; }
ProgressWatcher::~ProgressWatcher() { watcher_of_thread = before_; }

Progress::Progress(std::string title, std::string unit, int64_t total)
    : title_(std::move(title)),
      unit_(std::move(unit)),
      total_(total),
      terminal_(console_is_terminal()),
      watcher_(watcher_of_thread),
      start_(Clock::now()),
      last_draw_(start_) {}

Progress::~Progress() {
  const std::lock_guard lock(mutex_);
  if (drawn_) draw(true);
}

void Progress::add(int64_t done, const std::string& note) {
  const int64_t sum = done_ += done;
  if (watcher_ != nullptr) return watcher_->told(title_, unit_, sum, total_);
  const double interval = terminal_ ? 0.2 : 15.0;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;  // someone else is drawing
  if (!note.empty()) note_ = note;
  const auto now = Clock::now();
  if (seconds_between(start_, now) < 1.0 || seconds_between(last_draw_, now) < interval) return;
  last_draw_ = now;
  draw(false);
}

std::string Progress::line(const std::string& title, const std::string& unit, int64_t done, int64_t total,
                           double seconds) {
  const double share = total > 0 ? std::min(1.0, static_cast<double>(done) / static_cast<double>(total)) : 1.0;
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0.0;
  std::string text =
      fmt::format("{} {:3.0f}% {}/{} {}, {:.4g} {}/s", title, 100 * share, done, total, unit, rate, unit);
  if (done < total && rate > 0)
    text += fmt::format(", {} left", duration_text(static_cast<double>(total - done) / rate));
  if (done >= total) text += fmt::format(", {}", duration_text(seconds));
  return text;
}

void Progress::set_enabled(bool enabled) { bars_enabled = enabled; }

void Progress::draw(bool last) {
  if (!bars_enabled || !seen_) return;
  drawn_ = true;
  std::string text = line(title_, unit_, done_, total_, seconds_between(start_, Clock::now()));
  if (!note_.empty()) text += ", " + note_;
  write_console(terminal_ ? "\r\x1b[K" + text + (last ? "\n" : "") : text + "\n");
}

}  // namespace adasample
