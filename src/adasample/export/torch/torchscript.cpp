// SPDX-License-Identifier: Apache-2.0
#include "adasample/export/torchscript.h"

#include <torch/script.h>

#include <sstream>

#include "adasample/base/error.h"
#include "adasample/base/file_io.h"

namespace adasample {
namespace {

at::Tensor tensor_of(const Weights& weights, const std::string& name) {
  const NamedArray& array = weights.at(name);
  return at::from_blob(const_cast<float*>(array.values.data()), array.shape, at::kFloat).clone();
}

}  // namespace

void save_torchscript(const Weights& weights, const std::filesystem::path& path) {
  const LayerTable& table = l2net();
  weights.check_against(table);
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  torch::jit::Module net("__torch__.adasample.L2Net", unit), features("__torch__.adasample.Features", unit);
  std::string body = fmt::format(
      "def forward(self, x):\n"
      "  x = x.float().flatten(1)\n"
      "  x = (x - x.mean(1, True)) / (x.std(1, True, True) + {})\n"
      "  x = x.view(-1, 1, {}, {})\n",
      table.input_epsilon, table.input_size, table.input_size);
  for (const ConvLayer& layer : table.layers) {
    const auto child = [&](int index) {
      return torch::jit::Module(fmt::format("__torch__.adasample.Layer{}", index), unit);
    };
    torch::jit::Module conv = child(layer.sequence_index), norm = child(layer.sequence_index + 1);
    conv.register_parameter("weight", tensor_of(weights, table.conv_weight(layer)), /*is_buffer=*/false);
    norm.register_buffer("running_mean", tensor_of(weights, table.running_mean(layer)));
    norm.register_buffer("running_var", tensor_of(weights, table.running_var(layer)));
    const auto tracked = weights.arrays.find(table.batches_tracked(layer));
    norm.register_buffer(
        "num_batches_tracked",
        at::scalar_tensor(tracked == weights.arrays.end() ? 0.f : tracked->second.values[0], at::kLong));
    features.register_module(std::to_string(layer.sequence_index), conv);
    features.register_module(std::to_string(layer.sequence_index + 1), norm);
    body += fmt::format(
        "  c = getattr(self.features, \"{}\")\n"
        "  n = getattr(self.features, \"{}\")\n"
        "  x = torch.conv2d(x, c.weight, None, [{}, {}], [{}, {}])\n"
        "  x = torch.batch_norm(x, None, None, n.running_mean, n.running_var, False, 0., {}, False)\n",
        layer.sequence_index, layer.sequence_index + 1, layer.stride, layer.stride, layer.padding, layer.padding,
        table.batch_norm_epsilon);
    if (layer.relu) body += "  x = torch.relu(x)\n";
  }
  body += fmt::format(
      "  x = x.flatten(1)\n"
      "  return x / torch.sqrt((x * x).sum(1, True) + {})\n",
      table.output_epsilon);
  net.register_module("features", features);
  net.define(body);
  net.eval();
  std::ostringstream bytes;
  net.save(bytes);
  write_file_atomically(path, bytes.str());
}

}  // namespace adasample
