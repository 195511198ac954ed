// SPDX-License-Identifier: Apache-2.0
// adasample eval patches and eval pairs: verification of pairs, drawn from a store or given.
#include "adasample/base/bytes/sha256.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/patch_store.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/eval/scores/pair_evaluation.h"
#include "adasample/eval/scores/pairs_csv.h"

namespace adasample {

void add_eval_patches(CLI::App& eval, Context& context) {
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
  command
      ->add_option(
          "--metric", arguments->pairs.metric,
          "How descriptors are compared: euclidean, learned (matchnet), or auto: the latter where there is one")
      ->check(CLI::IsMember({"auto", "euclidean", "learned"}))
      ->capture_default_str();
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
      const bool learned = opened.descriptor->metric() != nullptr && arguments->pairs.metric != "euclidean";
      object["metric"] = learned ? "learned" : "euclidean";
      object["data"] = arguments->data;
      object["data_sha256"] = store.fingerprint();
      object.update(model_record(opened));
      object["seed"] = context.seed;
      arguments->out.show(context, object, scores_text(scores));
      return 0;
    };
  });
}

void add_eval_pairs(CLI::App& eval, Context& context) {
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

}  // namespace adasample
