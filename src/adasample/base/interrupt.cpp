// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/interrupt.h"

#include <atomic>
#include <csignal>

namespace adasample {
namespace {

std::atomic<bool> requested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void on_signal(int signal) {
  requested = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool stop_requested() { return requested; }

}  // namespace adasample
