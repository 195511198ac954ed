// SPDX-License-Identifier: Apache-2.0
// The screen as our messages see it: stderr.
#pragma once

#include <string_view>

namespace adasample {

bool console_is_terminal();
void write_console(std::string_view text);

}  // namespace adasample
