// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/interrupt.h"

#include <ctime>

#include <atomic>
#include <csignal>

namespace adasample {
namespace {

// 0: not asked to stop; else when, in nanoseconds of the monotonic clock.
std::atomic<int64_t> requested_at{0};
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_signal(int signal) {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t nanoseconds = int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  int64_t first = 0;
  if (requested_at.compare_exchange_strong(first, nanoseconds) || nanoseconds - first < kSameInterrupt) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool stop_requested() { return requested_at != 0; }

}  // namespace adasample
