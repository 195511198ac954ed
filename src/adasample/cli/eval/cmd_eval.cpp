// SPDX-License-Identifier: Apache-2.0
// adasample eval: figures for descriptors.
#include <fmt/format.h>

#include "adasample/base/bytes/sha256.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/patch_store.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/eval/scores/pairs_csv.h"

namespace adasample {

nlohmann::ordered_json scores_json(const PairScores& scores) {
  return {{"fpr95", scores.fpr95.value},
          {"fpr95_low", scores.fpr95.low},
          {"fpr95_high", scores.fpr95.high},
          {"fpr99", scores.fpr99.value},
          {"ap", scores.ap},
          {"ap_trapezoid", scores.ap_trapezoid},
          {"auc", scores.auc},
          {"positives", scores.positives},
          {"negatives", scores.negatives}};
}

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

namespace {

void add_patches(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(eval, "patches", "Verification pairs drawn from a patch store: FPR95, AP, AUC",
                                  "  adasample eval patches --data heldout --model runs/a\n"
                                  "  adasample eval patches --data heldout --model rootsift --pairs 50000 --json\n");
  struct Arguments {
    std::string data, model;
    PairOptions pairs;
    ResultFile out;
  };
  auto arguments = std::make_shared<Arguments>();
  command->add_option("--data", arguments->data, "Patch store")->required()->type_name("S");
  add_model_option(*command, arguments->model);
  command->add_option("--pairs", arguments->pairs.pairs, "Pairs of each kind")->capture_default_str();
  arguments->out.add_option(*command);
  command->callback([&context, arguments] {
    context.action = [&context, arguments] {
      arguments->pairs.seed = context.seed;
      arguments->pairs.validate();
      arguments->out.refuse_existing_file();
      const PatchStore store = PatchStore::open(arguments->data);
      const OpenedModel opened = open_model(arguments->model, context);
      double seconds = 0;
      const PairScores scores = evaluate_patches(store, *opened.descriptor, arguments->pairs, &seconds);
      auto object = verification_record("pairs drawn from a patch store");
      object.update(scores_json(scores));
      object["seconds_describing"] = seconds;
      object["data"] = arguments->data;
      object["data_sha256"] = store.fingerprint();
      object.update(model_record(opened));
      object["seed"] = context.seed;
      arguments->out.show(context, object, scores_text(scores));
      return 0;
    };
  });
}

void add_pairs(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(eval, "pairs", "Scores of any program's pairs: lines `label,distance`",
                                  "  adasample eval pairs --csv pairs.csv\n"
                                  "  adasample eval pairs --csv pairs.csv --json | tail -n 1 | jq .fpr95\n");
  struct Arguments {
    std::string csv;
    ResultFile out;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("--csv", a->csv, "File of lines `label,distance`; label 1 = same point")
      ->required()
      ->type_name("F");
  a->out.add_option(*command);
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->out.refuse_existing_file();
      const LabelledDistances pairs = read_pairs_csv(a->csv);
      const PairScores scores = score_pairs(pairs.labels, pairs.distances);
      auto object = verification_record("labelled distances");
      object.update(scores_json(scores));
      object["data"] = a->csv;
      // A pipe is gone once read.
      object["data_sha256"] = std::filesystem::is_regular_file(a->csv) ? sha256_of_file(a->csv) : "";
      a->out.show(context, object, scores_text(scores));
      return 0;
    };
  });
}

}  // namespace

void add_eval_command(CLI::App& app, Context& context) {
  CLI::App* eval = app.add_subcommand("eval", "Figures for descriptors, as the field defines them");
  eval->fallthrough();
  eval->require_subcommand(1);
  add_patches(*eval, context);
  add_pairs(*eval, context);
  add_eval_phototour(*eval, context);
  add_eval_brown_revisited(*eval, context);
  add_eval_hpatches(*eval, context);
  add_eval_sequences(*eval, context);
  add_eval_compare(*eval, context);
}

}  // namespace adasample
