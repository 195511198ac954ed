// SPDX-License-Identifier: Apache-2.0
// adasample calibrate: the ranges that int8 arithmetic has to know, measured on patches.
#include <fmt/format.h>

#include "adasample/base/error.h"
#include "adasample/cli/context.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/data/store/patch_sample.h"
#include "adasample/engine/calibrate.h"
#include "adasample/model/default_weights.h"

namespace adasample {
namespace {

struct CalibrateArguments {
  std::string model, patches, out;
  int64_t count = 2048;

  void validate() const {
    ADA_USAGE(out.ends_with(".safetensors"), "--out {}: must end in .safetensors", out);
    require_new_file(out);
  }
};

int calibrate_weights(const Context& context, const CalibrateArguments& a) {
  a.validate();
  Weights weights = load_safetensors(weights_file(a.model));
  const PatchSample sample = sample_patches(a.patches, a.count);
  const Calibration measured = calibrate(weights, sample.pixels, sample.count, sample.size);
  set_calibration(weights, measured);
  save_safetensors(weights, a.out);
  context.show({{"out", a.out},
                {"model", a.model},
                {"patches", a.patches},
                {"count", sample.count},
                {"ranges", measured.ranges}},
               fmt::format("{}: the weights of {}, with ranges for int8 measured on {} patches: {:.3g}", a.out, a.model,
                           sample.count, fmt::join(measured.ranges, " ")));
  return 0;
}

}  // namespace

void add_calibrate_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(app, "calibrate", "Add the ranges that onednn-int8 and simd-int8 need to weights",
                                  "  adasample calibrate --model runs/a --patches train --out a8.safetensors\n"
                                  "  adasample check --engine onednn-int8 --model a8.safetensors --patches heldout\n");
  auto a = std::make_shared<CalibrateArguments>();
  command->add_option("--model", a->model, "A weights file (.safetensors), a run folder, or: default, free")
      ->required()
      ->type_name("M");
  command->add_option("--patches", a->patches, "Patches like those to be described: a store, or a .npy file")
      ->required()
      ->type_name("X");
  command->add_option("--out", a->out, "New weights file")->required()->type_name("FILE");
  command->add_option("--count", a->count, "Maximum number of patches to measure on")->capture_default_str();
  command->callback([&context, a] { context.action = [&context, a] { return calibrate_weights(context, *a); }; });
}

}  // namespace adasample
