// SPDX-License-Identifier: Apache-2.0
// The subcommands of `adasample eval` that have a file of their own, and how scores of pairs are shown.
#pragma once

#include <string>

#include "adasample/cli/context.h"
#include "adasample/eval/pair_scores.h"

namespace adasample {

void add_eval_brown_revisited(CLI::App& eval, Context& context);
void add_eval_compare(CLI::App& eval, Context& context);
void add_eval_hpatches(CLI::App& eval, Context& context);
void add_eval_pairs(CLI::App& eval, Context& context);
void add_eval_patches(CLI::App& eval, Context& context);
void add_eval_phototour(CLI::App& eval, Context& context);
void add_eval_pose(CLI::App& eval, Context& context);
void add_eval_reconstruction(CLI::App& eval, Context& context);
void add_eval_sequences(CLI::App& eval, Context& context);
void add_eval_tracks(CLI::App& eval, Context& context);

// The head of a verification result: "protocol" and what each figure is.
nlohmann::ordered_json verification_record(const std::string& protocol);
std::string scores_text(const PairScores& scores);

}  // namespace adasample
