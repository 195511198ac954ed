// SPDX-License-Identifier: Apache-2.0
// The flags of TrainOptions.
#pragma once

#include <memory>

#include "adasample/cli/option_table.h"
#include "adasample/train/options.h"

namespace adasample {

// Binds every training option to `command`. The table must live as long as the command.
std::shared_ptr<OptionTable<TrainOptions>> bind_train_options(CLI::App& command);

// "auto" -> "cuda" where LibTorch has a GPU, else "cpu"; "cuda" without one throws.
std::string resolve_device(const std::string& device);

}  // namespace adasample
