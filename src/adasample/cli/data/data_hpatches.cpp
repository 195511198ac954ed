// SPDX-License-Identifier: Apache-2.0
// adasample data hpatches: a patch store from the HPatches patches release.
#include "adasample/cli/data/data_commands.h"
#include "adasample/data/hpatches/hpatches_store.h"

namespace adasample {

void add_data_hpatches(CLI::App& data, Context& context) {
  CLI::App* command = add_command(data, "hpatches", "HPatches patches -> classes of 16 patches",
                                  "  adasample data hpatches --root hpatches-release --split a --out train\n"
                                  "  adasample data hpatches --root hpatches-release --split a --part test --out test\n"
                                  "  adasample data hpatches --root mine --split full --part test --out all\n");
  struct Arguments {
    HpatchesStoreOptions options;
    std::string root, splits, out;
  };
  auto a = std::make_shared<Arguments>();
  HpatchesChoice& choice = a->options.choice;
  command->add_option("--root", a->root, "Folder of the sequences i_*, v_*")->required()->type_name("DIR");
  command->add_option("--out", a->out, "Store to create")->required()->type_name("S");
  command->add_option("--split", choice.split, "a, b, c, illum, view; or full: all sequences present, test only")
      ->capture_default_str();
  command->add_option("--part", choice.part, "train or test: the two never share a sequence")
      ->check(CLI::IsMember({"train", "test"}))
      ->capture_default_str();
  command->add_option("--size", a->options.patch_size, "Patch width, pixels: 32 or 64")->capture_default_str();
  command->add_option("--splits", a->splits, "splits.json to use instead of the benchmark's")->type_name("FILE");
  command->add_flag("--allow-missing", choice.allow_missing,
                    "Continue without sequences of the split that are missing");
  command->callback([&context, a] {
    context.action = [&context, a] {
      make_hpatches_store(a->root, a->splits.empty() ? benchmark_splits() : read_splits(a->splits), a->options, a->out);
      show_store(context, a->out);
      return 0;
    };
  });
}

}  // namespace adasample
