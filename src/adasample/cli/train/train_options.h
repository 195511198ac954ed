// SPDX-License-Identifier: Apache-2.0
// The flags of TrainOptions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adasample/cli/option_table.h"
#include "adasample/train/options.h"

namespace adasample {

using TrainOptionTable = OptionTable<TrainOptions>;

// Binds every training option to `command`. The table must live as long as the command.
std::shared_ptr<TrainOptionTable> bind_train_options(CLI::App& command);

struct RunInputs {
  std::vector<std::string> data;
  std::string out, init, val;
  std::vector<double> share;  // empty, or one a store
};

// config.toml of a run: everything that `adasample train --config` needs to repeat it.
std::string run_config(const TrainOptionTable& table, const TrainOptions& options, const RunInputs& inputs);

}  // namespace adasample
