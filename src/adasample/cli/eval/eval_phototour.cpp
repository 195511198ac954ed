// SPDX-License-Identifier: Apache-2.0
// adasample eval phototour: FPR95 on a published match list, the Brown protocol.
#include <fmt/format.h>

#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/eval/phototour_arguments.h"
#include "adasample/cli/result_file.h"
#include "adasample/eval/scores/pair_evaluation.h"

namespace adasample {

void add_eval_phototour(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(eval, "phototour", "The Brown protocol: FPR95 over a match list of a PhotoTour set",
                                  "  adasample eval phototour --root notredame --model runs/a\n"
                                  "  adasample eval phototour --root yosemite --model sift --size 64 --json\n"
                                  "  adasample eval phototour --root liberty --descriptors hardnet.npy --out h.json\n");
  struct Arguments {
    PhotoTourArguments subject;
    std::optional<std::string> list;
    ResultFile out;
  };
  auto a = std::make_shared<Arguments>();
  a->subject.add_options(*command, "m50_*.txt");
  command->add_option("--list", a->list, "Match list in it (default: m50_100000_100000_0.txt, else the largest)")
      ->type_name("NAME");
  a->out.add_option(*command);
  command->callback([&context, a] {
    context.action = [&context, a] {
      a->subject.validate();
      a->out.refuse_existing_file();
      const PhotoTour set = PhotoTour::open(a->subject.root);
      const std::filesystem::path list = set.match_list(a->list);
      const PatchPairs pairs = set.read_matches(list);
      const DescribedPhotoTour subject(a->subject, set, context);
      const PairScores scores = score_pairs(pairs.labels, measure_pairs(pairs, subject.rows()));
      auto object = verification_record("PhotoTour");
      object.update(scores_json(scores));
      object["list"] = list.filename().string();
      object.update(subject.record());
      a->out.show(context, object, fmt::format("{}: {}", list.filename().string(), scores_text(scores)));
      return 0;
    };
  });
}

}  // namespace adasample
