// SPDX-License-Identifier: Apache-2.0
// Messages for people, on stderr; stdout belongs to results. Tests fail on any warning (tests/support/gtest_main.cpp).
#pragma once

#include <spdlog/spdlog.h>

namespace adasample {

// Plain lines on stderr, coloured on a terminal. `verbosity`: -1 quiet (warnings only), 0 normal, 1 debug.
void set_up_logging(int verbosity);

}  // namespace adasample
