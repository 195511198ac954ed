// SPDX-License-Identifier: Apache-2.0
// The flags of TrainOptions.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "adasample/cli/context.h"
#include "adasample/cli/option_table.h"
#include "adasample/experiment/run_plan.h"
#include "adasample/train/options.h"

namespace adasample {

class TrainOptionTable : public OptionTable<TrainOptions>, public OptionText {
 public:
  using OptionTable::OptionTable;
  std::string config(const RunPlan& plan) const override;
  std::map<std::string, std::string> values(const TrainOptions& options) const override {
    return OptionTable::values(options);
  }
  bool set(TrainOptions& options, const std::string& name, const std::string& value) const override {
    return OptionTable::set(options, name, value);
  }
};

// Binds every training option to `command`. The table must live as long as the command.
std::shared_ptr<TrainOptionTable> bind_train_options(CLI::App& command);

// The chosen preset for the device and seed of the command line, with the options that were given.
TrainOptions chosen_options(const TrainOptionTable& table, const Context& context);

}  // namespace adasample
