// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/torchscript/torchscript.h"

#include <torch/script.h>

#include <sstream>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/convert/hardnet_arrays.h"

namespace adasample {
namespace {

using torch::jit::Module;
using Unit = std::shared_ptr<torch::jit::CompilationUnit>;

Module empty_module(const std::string& name, const Unit& unit) {
  Module made("__torch__.adasample." + name, unit);
  made.register_attribute("training", c10::BoolType::get(), false);  // Python's eval() and train() set it
  return made;
}

at::Tensor tensor_of(const Weights& weights, const std::string& name) {
  const NamedArray& array = weights.at(name);
  return at::from_blob(const_cast<float*>(array.values.data()), array.shape, at::kFloat).clone();
}

// `features`, its children numbered as nn.Sequential's: what holds numbers; the arithmetic is forward_source()'s.
Module features_module(const Weights& weights, const LayerTable& table, const Unit& unit) {
  Module features = empty_module("Features", unit);
  for (const ConvLayer& layer : table.layers) {
    const std::string conv_name = std::to_string(layer.sequence_index),
                      norm_name = std::to_string(layer.sequence_index + 1);
    Module conv = empty_module("Conv" + conv_name, unit), norm = empty_module("Norm" + norm_name, unit);
    conv.register_parameter("weight", tensor_of(weights, table.conv_weight(layer)), /*is_buffer=*/false);
    norm.register_buffer("running_mean", tensor_of(weights, table.running_mean(layer)));
    norm.register_buffer("running_var", tensor_of(weights, table.running_var(layer)));
    norm.register_buffer("num_batches_tracked", tensor_of(weights, table.batches_tracked(layer)).to(at::kLong));
    features.register_module(conv_name, conv);
    features.register_module(norm_name, norm);
  }
  return features;
}

std::string forward_source(const LayerTable& table) {
  std::string source = fmt::format(
      "def forward(self, x):\n"
      "  x = x.float().flatten(1)\n"
      "  x = (x - x.mean(1, True)) / (x.std(1, True, True) + {0})\n"
      "  x = x.view(-1, 1, {1}, {1})\n",
      table.input_epsilon, table.input_size);
  for (const ConvLayer& layer : table.layers) {
    source += fmt::format(
        "  c = getattr(self.features, \"{0}\")\n"
        "  n = getattr(self.features, \"{1}\")\n"
        "  x = torch.conv2d(x, c.weight, None, [{2}, {2}], [{3}, {3}])\n"
        "  x = torch.batch_norm(x, None, None, n.running_mean, n.running_var, False, 0., {4}, False)\n",
        layer.sequence_index, layer.sequence_index + 1, layer.stride, layer.padding, table.batch_norm_epsilon);
    if (layer.relu) source += "  x = torch.relu(x)\n";
  }
  return source + fmt::format(
                      "  x = x.flatten(1)\n"
                      "  return x / torch.sqrt((x * x).sum(1, True) + {})\n",
                      table.output_epsilon);
}

}  // namespace

void save_torchscript(const Weights& weights, const std::filesystem::path& path) {
  const Weights arrays = hardnet_arrays(weights);
  const auto unit = std::make_shared<torch::jit::CompilationUnit>();
  Module net = empty_module("L2Net", unit);
  net.register_module("features", features_module(arrays, l2net(), unit));
  net.define(forward_source(l2net()));
  std::ostringstream bytes;
  net.save(bytes);
  write_file_atomically(path, bytes.str());
}

}  // namespace adasample
