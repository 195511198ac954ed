// SPDX-License-Identifier: Apache-2.0
// Commands that another program may have (cli/hand_over.h), and how it takes over.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

#include "adasample/cli/context.h"
#include "adasample/cli/hand_over.h"

namespace adasample {

// Replaces this process. Throws Error where the program is not there, and where Ctrl-C was heard.
[[noreturn]] void continue_as(const HandOver& other, const CLI::App& app, int argc, char** argv);

// train, experiment, reproduce and demo; step and load. Where another program has them they are known by name, with
// what help says of them.
inline constexpr const char* kDemoDescription =
    "Make a data set, train with AdaSample, compare with uniform positives and RootSIFT on held-out scenes";
inline constexpr const char* kTrainDescription = "Train a descriptor on patch stores";
inline constexpr const char* kExperimentDescription =
    "Train a grid of options with several seeds, score it by several judges, compare; resumes";
inline constexpr const char* kReproduceDescription =
    "Reproduce the paper's tables and figures, on its data or on a stand-in made on the spot; resumes";
void add_training_commands(CLI::App& app, Context& context);
void add_training_benches(CLI::App& bench, Context& context);

// A command that takes whatever follows it, --help included if it `passes_help`, and does `action`.
void add_deferred_command(CLI::App& parent, Context& context, const std::string& name, const std::string& description,
                          const std::function<int()>& action, bool passes_help = true);

}  // namespace adasample
