// SPDX-License-Identifier: Apache-2.0
// adasample export: the network in a file that other programs read.
#include <fmt/format.h>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/cli/context.h"
#include "adasample/cli/hand_over.h"
#include "adasample/cli/model_argument.h"
#include "adasample/cli/result_file.h"
#include "adasample/convert/onnx.h"
#include "adasample/convert/pth.h"
#include "adasample/model/default_weights.h"

namespace adasample {
namespace {

struct ExportArguments {
  std::string model, to, out, type = "float32";
  OnnxOptions onnx;
  std::vector<const CLI::Option*> for_onnx;  // what no other format knows

  void validate() const {
    for (const CLI::Option* option : for_onnx) {
      ADA_USAGE(to == "onnx" || option->count() == 0, "{} is for --to onnx, not for {}", option->get_name(), to);
    }
    if (to == "onnx") onnx.validate();
    ADA_USAGE(type == "float32" || to == "safetensors", "--type {} is for --to safetensors, not for {}", type, to);
    require_new_file(out);
  }
};

void write_exported(const Weights& weights, const ExportArguments& a) {
  if (a.to == "torchscript") return export_torchscript(weights, a.out);
  if (a.to == "onnx") return write_file_atomically(a.out, format_onnx(weights, a.onnx));
  if (a.to == "pth") return write_file_atomically(a.out, format_pth(weights));
  weights.check_against(weights.network());
  save_safetensors(weights, a.out, a.type == "float16" ? FloatType::kFloat16 : FloatType::kFloat32);
}

int export_weights(const Context& context, const ExportArguments& a) {
  a.validate();
  const std::string file = weights_file(a.model);
  write_exported(load_safetensors(file), a);
  const auto bytes = std::filesystem::file_size(a.out);
  context.show(
      {{"out", a.out}, {"to", a.to}, {"bytes", bytes}, {"model", a.model}, {"model_sha256", sha256_of_file(file)}},
      fmt::format("{}: the network of {} as {}, {} bytes", a.out, a.model, a.to, bytes));
  return 0;
}

}  // namespace

void add_export_command(CLI::App& app, Context& context) {
  CLI::App* command =
      add_command(app, "export", "Write the network for PyTorch, OpenCV or ONNX runtimes",
                  "  adasample export --model default --to onnx --out net.onnx\n"
                  "  adasample export --model runs/a --to pth --out checkpoint_0.pth\n"
                  "  adasample export --model runs/a --to safetensors --type float16 --out a16.safetensors\n");
  auto a = std::make_shared<ExportArguments>();
  command->add_option("--model", a->model, "A weights file (.safetensors), a run folder, or: default, free")
      ->required()
      ->type_name("M");
  command
      ->add_option("--to", a->to,
                   "onnx, torchscript, pth (a checkpoint as the network's authors publish theirs) or safetensors")
      ->required()
      ->check(CLI::IsMember({"onnx", "torchscript", "pth", "safetensors"}));
  command->add_option("--out", a->out, "New file")->required()->type_name("FILE");
  a->for_onnx = {
      command->add_option("--opset", a->onnx.opset, "onnx: version of the operators, 11 to 17")->capture_default_str(),
      command->add_option("--batch", a->onnx.batch, "onnx: patches per call; 0: any number")->capture_default_str()};
  command->add_option("--type", a->type, "safetensors: float32, or float16 for half the bytes")
      ->check(CLI::IsMember({"float32", "float16"}))
      ->capture_default_str();
  command->callback([&context, a] { context.action = [&context, a] { return export_weights(context, *a); }; });
}

}  // namespace adasample
