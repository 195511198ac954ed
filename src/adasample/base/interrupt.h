// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and SIGTERM as a question: long work asks stop_requested() between two steps and ends in good order. A second
// signal ends the process at once.
#pragma once

namespace adasample {

void catch_interrupts();
bool stop_requested();

inline constexpr int kInterruptedExitCode = 130;

}  // namespace adasample
