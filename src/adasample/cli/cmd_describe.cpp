// SPDX-License-Identifier: Apache-2.0
// adasample describe: patches in, descriptors out, for any other program.
#include <fmt/format.h>

#include <chrono>

#include "adasample/base/interrupt.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/row_writer.h"
#include "adasample/eval/describe_to_file.h"

namespace adasample {
namespace {

struct DescribeArguments {
  std::string patches, model, out;

  void validate() const {
    row_format(out);
    require_new_file(out);
  }
};

int describe(const Context& context, const DescribeArguments& a) {
  a.validate();
  catch_interrupts();
  const PatchArray patches = open_patches(a.patches);
  const OpenedModel opened = open_model(a.model, context);
  Descriptor& descriptor = *opened.descriptor;
  const auto start = std::chrono::steady_clock::now();
  describe_to_file(patches, descriptor, a.out);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double rate = static_cast<double>(patches.count()) / seconds;
  context.show({{"patches", patches.count()},
                {"dimension", descriptor.dimension()},
                {"seconds", seconds},
                {"patches_per_s", rate},
                {"engine", opened.engine},
                {"out", a.out}},
               fmt::format("{}: {} rows of {} numbers, {:.0f} patches/s by {}", a.out, patches.count(),
                           descriptor.dimension(), rate, opened.engine));
  return 0;
}

}  // namespace

void add_describe_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, "describe", "Descriptors of patches, as a .npy or .csv file",
                                  "  adasample describe --patches heldout --model runs/a --out heldout.npy\n"
                                  "  adasample describe --patches patches.npy --model rootsift --out rows.csv\n");
  auto a = std::make_shared<DescribeArguments>();
  command->add_option("--patches", a->patches, "Patch store, or a .npy file: uint8 [N, S, S]")
      ->required()
      ->type_name("X");
  add_model_option(*command, a->model);
  command->add_option("--out", a->out, "New file, a row a patch: .npy (float32 [N, D]) or .csv")
      ->required()
      ->type_name("FILE");
  command->callback([&context, a] { context.action = [&context, a] { return describe(context, *a); }; });
}

}  // namespace adasample
