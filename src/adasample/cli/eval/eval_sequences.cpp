// SPDX-License-Identifier: Apache-2.0
// adasample eval sequences: matching whole pictures of planes.
#include <fmt/format.h>

#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/photograph_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/doctor/doctor.h"
#include "adasample/eval/sequences/sequence_matching.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

struct MatchingArguments {
  std::string images, model;
  FeatureOptions options;
  ResultFile out;
};

int evaluate_sequences(const Context& context, const MatchingArguments& a) {
  check_matching_options(a.options);
  a.out.refuse_existing_file();
  prepare_opencv();  // for homographies
  const OpenedModel opened = open_model(a.model, context);
  double seconds = 0;
  const std::vector<MatchedSequence> sequences =
      match_sequences(a.images, *opened.descriptor, make_homography_estimator(), a.options, seconds);
  nlohmann::ordered_json object = matching_json(sequences, a.options);
  object["data"] = a.images;
  object["data_sha256"] = sequences_fingerprint(a.images);
  object.update(model_record(opened));
  object["seconds_describing"] = seconds;
  a.out.show(context, object, matching_table(sequences));
  return 0;
}

}  // namespace

void add_eval_sequences(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(
      eval, "sequences", "Matching whole pictures of planes: matching score, MMA, homographies",
      "  adasample eval sequences --images hpatches-sequences-release --model runs/a\n"
      "  adasample eval sequences --images oxford/v_boat --model rootsift --detector hessian --out boat.json\n");
  auto a = std::make_shared<MatchingArguments>();
  add_sequences_option(*command, a->images);
  add_model_option(*command, a->model);
  add_detector_options(*command, a->options);
  add_region_option(*command, a->options.region_factor);
  command->add_option("--size", a->options.size, "Width of the patches to describe, pixels; networks take 32")
      ->capture_default_str();
  a->out.add_option(*command);
  command->callback([&context, a] { context.action = [&context, a] { return evaluate_sequences(context, *a); }; });
}

}  // namespace adasample
