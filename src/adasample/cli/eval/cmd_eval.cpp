// SPDX-License-Identifier: Apache-2.0
// adasample eval: figures for descriptors.
#include <fmt/format.h>

#include "adasample/cli/eval/eval_commands.h"

namespace adasample {

std::string scores_text(const PairScores& s) {
  std::string ties;
  if (s.fpr95.low != s.fpr95.high)
    ties = fmt::format(" (ties: {:.3f} to {:.3f} %)", 100 * s.fpr95.low, 100 * s.fpr95.high);
  return fmt::format("FPR95 {:.3f} %{}, FPR99 {:.3f} %, AP {:.3f} %, AUC {:.3f} %  ({} matching, {} other pairs)",
                     100 * s.fpr95.value, ties, 100 * s.fpr99.value, 100 * s.ap, 100 * s.auc, s.positives, s.negatives);
}

nlohmann::ordered_json verification_record(const std::string& protocol) {
  return {{"protocol", protocol},
          {"definition",
           {{"fpr95", "share of the negatives before 95 % of the positives are in; low, high: its bounds by ties"},
            {"fpr99", "the same at 99 %, which some programs print as FPR95"},
            {"ap", "average precision, step; ap_trapezoid: by trapezoids"}}}};
}

void add_eval_command(CLI::App& app, Context& context) {
  CLI::App* eval = app.add_subcommand("eval", "Evaluate descriptors by the field's protocols");
  eval->fallthrough();
  eval->require_subcommand(1);
  add_eval_patches(*eval, context);
  add_eval_pairs(*eval, context);
  add_eval_phototour(*eval, context);
  add_eval_brown_revisited(*eval, context);
  add_eval_hpatches(*eval, context);
  add_eval_sequences(*eval, context);
  add_eval_tracks(*eval, context);
  add_eval_pose(*eval, context);
  add_eval_reconstruction(*eval, context);
  add_eval_compare(*eval, context);
}

}  // namespace adasample
