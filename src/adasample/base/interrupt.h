// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, SIGTERM and SIGHUP as a question: long work asks stop_requested() between two steps and ends in good order.
// Not every step is short and not every library asks, so the process is ended kPatience later whatever it is doing;
// what it was writing is removed first. Another signal a second later ends it at once; those before belong to the
// first, since `timeout`, shells and batch systems signal the process and its group, and so the process twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace adasample {

// For programs, not for the library; first thing in main(). SIGHUP stays ignored where it was (nohup). A second call
// does nothing.
void catch_interrupts();
// Before exec: those that come from now on wait for the next program to catch them, instead of being lost in between.
void hold_interrupts();
bool stop_requested();

inline constexpr int64_t kSameInterrupt = 1'000'000'000;  // nanoseconds
inline constexpr int kInterruptedExitCode = 130;
inline constexpr std::chrono::milliseconds kPatience{1700}, kCleanUp{200};

// While it lives, a stop may take longer: an iteration is finished and a checkpoint written.
class LongGoodbye {
 public:
  static constexpr std::chrono::seconds kMost{60};
  LongGoodbye();
  ~LongGoodbye();
  LongGoodbye(const LongGoodbye&) = delete;
  LongGoodbye& operator=(const LongGoodbye&) = delete;
};

// While it lives, `clean_up` is called, on another thread, before a process that did not end by itself is ended.
class AtForcedEnd {
 public:
  explicit AtForcedEnd(std::function<void()> clean_up);
  ~AtForcedEnd();
  AtForcedEnd(const AtForcedEnd&) = delete;
  AtForcedEnd& operator=(const AtForcedEnd&) = delete;

 private:
  int64_t number_;
};

}  // namespace adasample
