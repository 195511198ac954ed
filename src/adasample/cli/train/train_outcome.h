// SPDX-License-Identifier: Apache-2.0
// How `train` ends: what it prints, and its exit code.
#pragma once

#include <string>

#include "adasample/cli/context.h"
#include "adasample/train/run/run_folder.h"

namespace adasample {

// A run in the folder `out` that has ended just now.
void show_result(const TrainResult& result, const std::string& out, const Context& context);
// 0, or 130 for a run that was stopped. Throws Error with the reason of one that broke down.
int exit_code_of(const TrainResult& result);

// A run that was complete before; its exit code is 0.
int show_complete(const RunFolder& run, const Context& context);

}  // namespace adasample
