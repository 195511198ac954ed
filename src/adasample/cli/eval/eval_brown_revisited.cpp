// SPDX-License-Identifier: Apache-2.0
// adasample eval brown-revisited: matching within each photograph of a PhotoTour set.
#include "adasample/eval/phototour/brown_revisited.h"

#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/eval/phototour_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/phototour/phototour_text.h"

namespace adasample {
namespace {

struct RevisitedArguments {
  PhotoTourArguments subject;
  ResultFile out;
};

std::vector<int64_t> read_photographs(const PhotoTour& set) {
  const std::filesystem::path interest = set.files().interest();
  ADA_CHECK(set.files().has_interest, "[phototour] {}: no such file - it says which photograph a patch belongs to",
            interest.string());
  std::vector<int64_t> photographs = parse_phototour_interest(read_text(interest), interest.string());
  ADA_CHECK(std::ssize(photographs) == set.patch_count(),
            "[phototour] {}: expected {} lines, as info.txt has, found {} - truncated download?", interest.string(),
            set.patch_count(), photographs.size());
  return photographs;
}

nlohmann::ordered_json photographs_json(const BrownRevisited& result) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const PhotographScore& score : result.photographs) {
    nlohmann::ordered_json& entry = object[std::to_string(score.photograph)];
    entry = {{"patches", score.patches}, {"pairs", score.pairs}, {"published", score.published}, {"intended", nullptr}};
    if (score.intended) entry["intended"] = *score.intended;
  }
  return object;
}

int evaluate_revisited(const Context& context, const RevisitedArguments& a) {
  a.subject.validate();
  a.out.refuse_existing_file();
  const PhotoTour set = PhotoTour::open(a.subject.root);
  const std::vector<int64_t> photographs = read_photographs(set);
  const DescribedPhotoTour subject(a.subject, set, context);
  const BrownRevisited result = evaluate_brown_revisited(set.points(), photographs, subject.rows());
  nlohmann::ordered_json object = {
      {"protocol", "Brown PhotoTour revisited"},
      {"definition",
       {{"published", "as the published program computes it: most negatives are the photograph's first patch"},
        {"intended", "the nearest patch of another point is the negative, always"}}},
      {"published", result.published},
      {"intended", result.intended},
      {"photographs", result.photographs.size()},
      {"photographs_without_pairs", result.without_pairs}};
  object.update(subject.record());
  object["sequences"] = photographs_json(result);
  a.out.show(
      context, object,
      fmt::format("mAP {:.3f} % as intended, {:.3f} % as published  ({} photographs; {} without pairs)",
                  100 * result.intended, 100 * result.published, result.photographs.size(), result.without_pairs));
  return 0;
}

}  // namespace

void add_eval_brown_revisited(CLI::App& eval, Context& context) {
  CLI::App* command =
      add_command(eval, "brown-revisited", "Brown PhotoTour revisited: mAP of matching within each photograph",
                  "  adasample eval brown-revisited --root notredame --model runs/a\n"
                  "  adasample eval brown-revisited --root yosemite --descriptors hardnet.npy --out hardnet.json\n");
  auto a = std::make_shared<RevisitedArguments>();
  a->subject.add_options(*command, "interest.txt");
  a->out.add_option(*command);
  command->callback([&context, a] { context.action = [&context, a] { return evaluate_revisited(context, *a); }; });
}

}  // namespace adasample
