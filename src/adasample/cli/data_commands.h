// SPDX-License-Identifier: Apache-2.0
// The subcommands of `adasample data`, one file each.
#pragma once

#include <string>

#include "adasample/cli/context.h"

namespace adasample {

void add_data_synth(CLI::App& data, Context& context);
void add_data_colmap(CLI::App& data, Context& context);

// Prints what is in the store: the last act of every command that makes one.
void show_store(const Context& context, const std::string& folder);

}  // namespace adasample
