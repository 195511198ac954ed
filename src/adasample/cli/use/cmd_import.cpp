// SPDX-License-Identifier: Apache-2.0
// adasample import: weights that others trained.
#include <fmt/format.h>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/cli/context.h"
#include "adasample/cli/result_file.h"
#include "adasample/convert/foreign_weights.h"

namespace adasample {
namespace {

struct ImportArguments {
  std::string file, out;

  void validate() const {
    ADA_USAGE(out.ends_with(".safetensors"), "--out {}: must end in .safetensors", out);
    require_new_file(out);
  }
};

int import_weights(const Context& context, const ImportArguments& a) {
  a.validate();
  Weights weights = load_foreign_weights(a.file);
  const std::string sha256 = sha256_of_file(a.file), architecture = weights.metadata["architecture"];
  weights.metadata["imported_sha256"] = sha256;
  save_safetensors(weights, a.out);
  context.show({{"out", a.out},
                {"file", a.file},
                {"file_sha256", sha256},
                {"architecture", architecture},
                {"arrays", weights.arrays.size()}},
               fmt::format("{}: {} arrays of {}, from {}", a.out, weights.arrays.size(), architecture, a.file));
  return 0;
}

}  // namespace

void add_import_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "import",
      "Read published weights of HardNet, L2-Net, SOSNet, HyNet, TFeat or GeoDesc; no code in the file is run",
      "  adasample import checkpoint_liberty_with_aug.pth --out hardnet.safetensors\n"
      "  adasample import tfeat-liberty.params --out tfeat.safetensors\n"
      "  adasample import geodesc.pb --out geodesc.safetensors\n");
  auto a = std::make_shared<ImportArguments>();
  command
      ->add_option("FILE", a->file,
                   "A checkpoint of PyTorch, old or new (.pth, .pt, .params), a frozen graph of TensorFlow (.pb), or "
                   ".safetensors")
      ->required();
  command->add_option("--out", a->out, "New weights file (.safetensors)")->required()->type_name("FILE");
  command->callback([&context, a] { context.action = [&context, a] { return import_weights(context, *a); }; });
}

}  // namespace adasample
