// SPDX-License-Identifier: Apache-2.0
// The subcommands of `adasample data`, one file each.
#pragma once

#include <string>

#include "adasample/cli/context.h"

namespace adasample {

void add_data_redetected(CLI::App& data, Context& context);
void add_data_sequences(CLI::App& data, Context& context);
void add_data_synth(CLI::App& data, Context& context);
void add_data_keypoints(CLI::App& data, Context& context);
void add_data_images(CLI::App& data, Context& context);
void add_data_phototour(CLI::App& data, Context& context);
void add_data_hpatches(CLI::App& data, Context& context);
void add_data_colmap(CLI::App& data, Context& context);
void add_data_check(CLI::App& data, Context& context);

class PatchStore;

// What is in a store, for --json and as a line of text.
nlohmann::ordered_json store_json(const PatchStore& store);
std::string store_text(const nlohmann::ordered_json& store);

// Prints what is in the store: the last act of every command that makes one.
void show_store(const Context& context, const std::string& folder);

}  // namespace adasample
