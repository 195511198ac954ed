// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM as a question: long work asks stop_requested() between two steps and ends in good order. Another
// signal a second later ends the process at once; those before belong to the first, since `timeout`, shells and batch
// systems signal the process and its group, and so the process twice.
#pragma once

#include <cstdint>

namespace adasample {

void catch_interrupts();
bool stop_requested();

inline constexpr int64_t kSameInterrupt = 1'000'000'000;  // nanoseconds
inline constexpr int kInterruptedExitCode = 130;

}  // namespace adasample
