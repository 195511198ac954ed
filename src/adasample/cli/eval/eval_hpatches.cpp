// SPDX-License-Identifier: Apache-2.0
// adasample eval hpatches: verification, matching and retrieval as the HPatches benchmark scores them.
#include "adasample/base/error.h"
#include "adasample/cli/eval/eval_commands.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/eval/hpatches/hpatches_request.h"

namespace adasample {
namespace {

struct HpatchesArguments {
  HpatchesRequest request;
  std::string model;
  ResultFile out;

  void validate() const {
    const bool none = request.root.empty();
    ADA_USAGE(none != request.descriptors.empty(),
              "eval hpatches takes either --root with --model, or --descriptors: {} given", none ? "none" : "both");
    ADA_USAGE(none == model.empty(), "--root and --model belong together: patches are described by a model");
  }
};

void bind(CLI::App& command, HpatchesArguments& a) {
  command.add_option("--root", a.request.root, "Folder of patches: sequences i_*, v_* with ref.png, e1.png .. t5.png")
      ->type_name("DIR");
  add_model_option(command, a.model)->required(false);
  command
      .add_option("--descriptors", a.request.descriptors, "Or descriptors: sequences with ref.csv, e1.csv .. t5.csv")
      ->type_name("DIR");
  command.add_option("--delimiter", a.request.delimiter, "Between the numbers of --descriptors")->capture_default_str();
  command.add_option("--split", a.request.choice.split, "a, b, c, illum, view; or full: all sequences present")
      ->capture_default_str();
  command.add_option("--splits", a.request.splits, "splits.json to use instead of the benchmark's")->type_name("FILE");
  command
      .add_option("--tasks", a.request.tasks,
                  "Folder of the task lists; missing ones are drawn the way the benchmark did")
      ->type_name("DIR");
  command.add_option("--dist", a.request.dist, "Distance: l2 or l1")
      ->check(CLI::IsMember({"l2", "l1"}))
      ->capture_default_str();
  command
      .add_option("--size", a.request.size, "Width of the patches to describe, pixels: 32, 64 or 65; networks take 32")
      ->check(CLI::IsMember({32, 64, kHpatchesSide}))
      ->capture_default_str();
  command.add_flag("--corrected", a.request.corrected,
                   "Verification also on lists without the benchmark's known faults");
  command.add_flag("--allow-missing", a.request.choice.allow_missing,
                   "Continue without sequences of the split that are missing");
  a.out.add_option(command);
}

int run(const Context& context, const HpatchesArguments& a) {
  a.validate();
  a.out.refuse_existing_file();
  OpenedModel opened;
  const HpatchesAnswer answer = answer_hpatches(a.request, [&] {
    opened = open_model(a.model, context);
    return RecordedDescriptor{opened.descriptor.get(), model_record(opened)};
  });
  a.out.show(context, answer.record, answer.table);
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
