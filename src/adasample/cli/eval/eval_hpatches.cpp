// SPDX-License-Identifier: Apache-2.0
// adasample eval hpatches: verification, matching and retrieval as the HPatches benchmark scores them.
#include <fmt/format.h>

#include <chrono>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/files/fingerprint.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/eval/hpatches/hpatches_evaluation.h"

namespace adasample {
namespace {

struct HpatchesArguments {
  std::string root, model, descriptors, delimiter = ",", splits, dist = "l2", tasks;
  HpatchesChoice choice{.split = "a", .part = "test"};
  int size = kPatchSize;
  bool corrected = false;
  ResultFile out;

  void validate() const {
    ADA_USAGE(root.empty() != descriptors.empty(),
              "eval hpatches takes either --root with --model, or --descriptors: {} given",
              root.empty() ? "none" : "both");
    ADA_USAGE(root.empty() == model.empty(), "--root and --model belong together: patches are described by a model");
    ADA_USAGE(delimiter.size() == 1, "--delimiter = \"{}\", must be one character", delimiter);
  }
};

void bind(CLI::App& command, HpatchesArguments& a) {
  command.add_option("--root", a.root, "Folder of patches: sequences i_*, v_* with ref.png, e1.png .. t5.png")
      ->type_name("DIR");
  add_model_option(command, a.model)->required(false);
  command.add_option("--descriptors", a.descriptors, "Or descriptors: sequences with ref.csv, e1.csv .. t5.csv")
      ->type_name("DIR");
  command.add_option("--delimiter", a.delimiter, "Between the numbers of --descriptors")->capture_default_str();
  command.add_option("--split", a.choice.split, "a, b, c, illum, view; or full: all sequences present")
      ->capture_default_str();
  command.add_option("--splits", a.splits, "splits.json to use instead of the benchmark's")->type_name("FILE");
  command.add_option("--tasks", a.tasks, "Folder of the task lists; missing ones are drawn the way the benchmark did")
      ->type_name("DIR");
  command.add_option("--dist", a.dist, "Distance: l2 or l1")->check(CLI::IsMember({"l2", "l1"}))->capture_default_str();
  command.add_option("--size", a.size, "Width of the patches to describe, pixels: 32, 64 or 65; networks take 32")
      ->check(CLI::IsMember({32, 64, kHpatchesSide}))
      ->capture_default_str();
  command.add_flag("--corrected", a.corrected, "Verification also on lists without the benchmark's known faults");
  command.add_flag("--allow-missing", a.choice.allow_missing,
                   "Continue without sequences of the split that are missing");
  a.out.add_option(command);
}

// What was scored: the descriptors, and for the record what they are of.
struct Subject {
  DescriptorSet set;
  nlohmann::ordered_json record;
};

Subject describe(const HpatchesArguments& a, const std::vector<std::string>& names, const Context& context) {
  const OpenedModel opened = open_model(a.model, context);
  double seconds = 0;
  DescriptorSet set = describe_hpatches(a.root, names, *opened.descriptor, a.size, seconds);
  std::vector<std::filesystem::path> files;
  for (const std::string& name : names) {
    for (const size_t strip : sequence_strips(a.root, name)) files.push_back(strip_path(a.root, name, strip));
  }
  nlohmann::ordered_json record = {{"data", a.root}, {"data_sha256", fingerprint_files(a.root, files)}};
  record.update(model_record(opened));
  record["size"] = a.size;
  record["seconds_describing"] = seconds;
  return {std::move(set), std::move(record)};
}

Subject read(const HpatchesArguments& a, const std::vector<std::string>& names) {
  const auto start = std::chrono::steady_clock::now();
  DescriptorSet set = read_descriptor_set(a.descriptors, names, a.delimiter[0]);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return {std::move(set),
          {{"data", a.descriptors},
           {"data_sha256", fingerprint_files(a.descriptors, descriptor_files(a.descriptors, names))},
           {"seconds_reading", seconds}}};
}

int run(const Context& context, const HpatchesArguments& a) {
  a.validate();
  a.out.refuse_existing_file();
  const HpatchesSplits splits = a.splits.empty() ? benchmark_splits() : read_splits(a.splits);
  HpatchesEvalOptions options{.split = a.choice.split, .norm = norm_from_name(a.dist), .corrected = a.corrected};
  if (!a.tasks.empty()) options.tasks = a.tasks;
  const std::vector<std::string> names =
      a.root.empty() ? choose_hpatches(a.descriptors, list_descriptors(a.descriptors), splits, a.choice)
                     : choose_hpatches(a.root, splits, a.choice);
  check_tasks(names.size(), options.split, options.tasks);  // describing takes long
  const Subject subject = a.root.empty() ? read(a, names) : describe(a, names, context);
  const HpatchesFigures figures = evaluate_hpatches(subject.set, options);
  nlohmann::ordered_json object = figures_json(figures, options);
  object.update(subject.record);
  a.out.show(context, object, figures_table(figures, options));
  return 0;
}

}  // namespace

void add_eval_hpatches(CLI::App& eval, Context& context) {
  CLI::App* command = add_command(
      eval, "hpatches", "The HPatches benchmark: verification, matching, retrieval",
      "  adasample eval hpatches --root hpatches-release --model runs/a --split a\n"
      "  adasample eval hpatches --descriptors hardnet --split full --tasks hpatches-benchmark/tasks\n"
      "  adasample eval hpatches --root mine --model sift --size 65 --split full --corrected --out sift.json\n");
  auto a = std::make_shared<HpatchesArguments>();
  bind(*command, *a);
  command->callback([&context, a] { context.action = [&context, a] { return run(context, *a); }; });
}

}  // namespace adasample
