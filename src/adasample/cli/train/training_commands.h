// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasample/cli/context.h"

namespace adasample {

void add_train_command(CLI::App& app, Context& context);
void add_experiment_command(CLI::App& app, Context& context);
void add_reproduce_command(CLI::App& app, Context& context);
void add_demo_command(CLI::App& app, Context& context);

}  // namespace adasample
