// SPDX-License-Identifier: Apache-2.0
// adasample data: make patch stores, look at them.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/cli/data/data_commands.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/store/contact_sheet.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/files/png.h"

namespace adasample {
namespace {

void add_info(CLI::App& data, Context& context) {
  CLI::App* command = add_command(data, "info", "What is in a patch store", "  adasample data info train --json\n");
  auto store = std::make_shared<std::string>();
  command->add_option("store", *store, "Patch store")->required()->type_name("S");
  command->callback([&context, store] {
    context.action = [&context, store] {
      show_store(context, *store);
      return 0;
    };
  });
}

void add_show(CLI::App& data, Context& context) {
  CLI::App* command = add_command(data, "show", "A contact sheet of a patch store: a row a class",
                                  "  adasample data show train --out sheet.png\n"
                                  "  adasample data show train --out first.pgm --classes 40 --first\n");
  struct Arguments {
    ContactSheetOptions options;
    std::string store, out;
    bool first = false;
  };
  auto a = std::make_shared<Arguments>();
  command->add_option("store", a->store, "Patch store")->required()->type_name("S");
  command->add_option("--out", a->out, "Picture to write, .png or .pgm")->required()->type_name("FILE");
  command->add_option("--classes", a->options.classes, "Rows")->capture_default_str();
  command->add_option("--patches", a->options.patches_per_class, "Maximum patches per row")->capture_default_str();
  command->add_flag("--first", a->first, "The first classes instead of random ones");
  command->callback([&context, a] {
    context.action = [&context, a] {
      const bool png = a->out.ends_with(".png");
      ADA_USAGE(png || a->out.ends_with(".pgm"), "--out {}: the name must end in .png or .pgm", a->out);
      a->options.seed = context.seed;
      a->options.random = !a->first;
      const GrayImage sheet = contact_sheet(PatchStore::open(a->store), a->options);
      (png ? write_png : write_pgm)(a->out, sheet);
      context.show({{"out", a->out}, {"width", sheet.width}, {"height", sheet.height}},
                   fmt::format("{}: {}x{} pixels", a->out, sheet.width, sheet.height));
      return 0;
    };
  });
}

}  // namespace

nlohmann::ordered_json store_json(const PatchStore& store) {
  int64_t smallest = store.class_size(0), largest = smallest;
  for (int64_t c = 1; c < store.class_count(); ++c) {
    smallest = std::min(smallest, store.class_size(c));
    largest = std::max(largest, store.class_size(c));
  }
  return {{"folder", store.folder().string()}, {"patches", store.patch_count()},
          {"classes", store.class_count()},    {"patch_size", store.patch_size()},
          {"smallest_class", smallest},        {"largest_class", largest},
          {"sha256", store.fingerprint()},     {"meta", store.meta()}};
}

std::string store_text(const nlohmann::ordered_json& s) {
  const auto said = s["meta"].find("source");  // of whatever type
  const bool stated = said != s["meta"].end() && said->is_string();
  return fmt::format("{}: {} patches of {}x{} in {} classes of {} to {}; source {}", s["folder"].get<std::string>(),
                     s["patches"].get<int64_t>(), s["patch_size"].get<int>(), s["patch_size"].get<int>(),
                     s["classes"].get<int64_t>(), s["smallest_class"].get<int64_t>(), s["largest_class"].get<int64_t>(),
                     stated ? said->get<std::string>() : "not stated");
}

void show_store(const Context& context, const std::string& folder) {
  const auto object = store_json(PatchStore::open(folder));
  context.show(object, store_text(object));
}

void add_data_command(CLI::App& app, Context& context) {
  CLI::App* data = app.add_subcommand("data", "Make, inspect and check patch stores");
  data->fallthrough();
  data->require_subcommand(1);
  add_data_synth(*data, context);
  add_data_keypoints(*data, context);
  add_data_images(*data, context);
  add_data_hpatches(*data, context);
  add_data_sequences(*data, context);
  add_data_redetected(*data, context);
  add_data_phototour(*data, context);
  add_data_colmap(*data, context);
  add_data_check(*data, context);
  add_info(*data, context);
  add_show(*data, context);
}

}  // namespace adasample
