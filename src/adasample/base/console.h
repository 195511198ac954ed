// SPDX-License-Identifier: Apache-2.0
// The screen as our messages see it: stderr.
#pragma once

#include <string_view>

namespace adasample {

// To be called first: where a parent has closed 0, 1 or 2, the next file opened would get that number, and what is meant
// for the screen would be written into it.
void open_standard_descriptors();

bool console_is_terminal();
void write_console(std::string_view text);

}  // namespace adasample
