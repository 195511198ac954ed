// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/torchscript/torchscript.h"

#include <torch/script.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/convert/complete_arrays.h"

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

// The module called `path` and all below it: what holds numbers; the arithmetic is forward_source()'s.
Module module_at(const std::string& path, const Weights& weights, const Network& network, const Unit& unit) {
  std::string type = "Net";
  for (const char c : path) type += c == '.' ? '_' : c;
  Module made = empty_module(type, unit);
  const std::string prefix = path.empty() ? "" : path + ".";
  std::set<std::string> children;
  for (const NetArray& array : network.arrays()) {
    if (!array.name.starts_with(prefix)) continue;
    const std::string rest = array.name.substr(prefix.size());
    const size_t dot = rest.find('.');
    if (dot != std::string::npos) {
      if (children.insert(rest.substr(0, dot)).second) {
        made.register_module(rest.substr(0, dot), module_at(prefix + rest.substr(0, dot), weights, network, unit));
      }
      continue;
    }
    const at::Tensor tensor = tensor_of(weights, array.name);
    if (array.learned()) {
      made.register_parameter(rest, tensor, /*is_buffer=*/false);
    } else {
      made.register_buffer(rest, array.role == NetArray::Role::kBatches ? tensor.to(at::kLong) : tensor);
    }
  }
  return made;
}

// "a.0.b" of self: getattr(self.a, "0").b
std::string expression(const std::string& path) {
  std::string text = "self";
  size_t begin = 0;
  while (begin < path.size()) {
    const size_t dot = std::min(path.find('.', begin), path.size());
    const std::string part = path.substr(begin, dot - begin);
    text = std::isdigit(static_cast<unsigned char>(part[0])) ? fmt::format("getattr({}, \"{}\")", text, part)
                                                             : text + "." + part;
    begin = dot + 1;
  }
  return text;
}

std::string layer_source(const NetLayer& layer) {
  const std::string own = expression(layer.name), window = fmt::format("[{0}, {0}], [{1}, {1}], [{2}, {2}]",
                                                                       layer.kernel, layer.stride, layer.padding);
  const auto padded = [&](const char* with) {
    return layer.padding_after == 0
               ? std::string("x")
               : fmt::format("torch.constant_pad_nd(x, [0, {0}, 0, {0}], {1})", layer.padding_after, with);
  };
  switch (layer.kind) {
    case LayerKind::kConvolution:
      return fmt::format("torch.conv2d({4}, {0}.weight, {1}, [{2}, {2}], [{3}, {3}])", own,
                         layer.bias ? own + ".bias" : "None", layer.stride, layer.padding, padded("0."));
    case LayerKind::kBatchNorm:
      return fmt::format("torch.batch_norm(x, {1}, {2}, {0}.running_mean, {0}.running_var, False, 0., {3}, False)", own,
                         layer.affine ? own + ".weight" : "None", layer.affine ? own + ".bias" : "None", layer.epsilon);
    case LayerKind::kInstanceNorm:
      return fmt::format("torch.instance_norm(x, None, None, None, None, True, 0., {}, False)", layer.epsilon);
    case LayerKind::kFilterResponse:
      return fmt::format("x * torch.rsqrt((x * x).mean([2, 3], True) + torch.abs({0}.eps)) * {0}.weight + {0}.bias",
                         own);
    case LayerKind::kRelu:
      return "torch.relu(x)";
    case LayerKind::kTlu:
      return fmt::format("torch.max(x, {}.tau)", own);
    case LayerKind::kTanh:
      return "torch.tanh(x)";
    case LayerKind::kMaxPool:
      return fmt::format("torch.max_pool2d({}, {})", padded("float('-inf')"), window);
    case LayerKind::kAveragePool:
      return fmt::format("torch.avg_pool2d(x, {})", window);
    case LayerKind::kL2Pool:
      return fmt::format("torch.sqrt(torch.avg_pool2d(x * x, {}) * {} + {})", window, layer.kernel * layer.kernel,
                         layer.epsilon);
    case LayerKind::kDropout:
      return "x";
    case LayerKind::kFullyConnected:
      return fmt::format("torch.mm(x.flatten(1), {0}.weight.t()){1}", own, layer.bias ? " + " + own + ".bias" : "");
  }
  ADA_THROW_KIND(kBug, "unknown LayerKind");
}

std::string input_source(const Network& network, const Tower& tower) {
  std::string source = fmt::format("  x = patches.float().view(-1, 1, {0}, {0})\n", network.input_size);
  const int quarter = network.input_size / 4;
  if (tower.view == TowerView::kHalved) source += "  x = torch.avg_pool2d(x, [2, 2], [2, 2])\n";
  if (tower.view == TowerView::kCentre) {
    source += fmt::format("  x = x[:, :, {0}:{1}, {0}:{1}]\n", quarter, 3 * quarter);
  }
  switch (network.input_norm) {
    case InputNorm::kDeviation:
      return source + fmt::format("  x = (x - x.mean([2, 3], True)) / (x.std([2, 3], True, True) + {})\n",
                                  network.input_epsilon);
    case InputNorm::kVariance:
      return source + fmt::format("  x = (x - x.mean([2, 3], True)) / torch.sqrt(x.var([2, 3], False, True) + {})\n",
                                  network.input_epsilon);
    case InputNorm::kFixed:
      return source + fmt::format("  x = (x - {}) / {}\n", kFixedMean, kFixedScale);
    case InputNorm::kNone:
      return source;
  }
  ADA_THROW_KIND(kBug, "unknown InputNorm");
}

std::string forward_source(const Network& network) {
  std::string source = "def forward(self, patches):\n";
  const std::string norm = fmt::format("  x = x / torch.sqrt((x * x).sum(1, True) + {})\n", network.output_epsilon);
  std::vector<std::string> rows;
  for (const Tower& tower : network.towers) {
    source += input_source(network, tower);
    for (const NetLayer& layer : tower.layers) {
      if (layer.kind != LayerKind::kDropout) source += fmt::format("  x = {}\n", layer_source(layer));
    }
    source += "  x = x.flatten(1)\n";
    if (network.unit_output) source += norm;
    rows.push_back(fmt::format("rows{}", rows.size()));
    source += fmt::format("  {} = x\n", rows.back());
  }
  if (rows.size() > 1) {
    source += fmt::format("  x = torch.cat([{}], 1)\n", fmt::join(rows, ", "));
    if (network.unit_output) source += norm;
  }
  return source + "  return x\n";
}

}  // namespace

void save_torchscript(const Weights& weights, const std::filesystem::path& path) {
  const Weights arrays = complete_arrays(weights);
  Module net = module_at("", arrays, weights.network(), std::make_shared<torch::jit::CompilationUnit>());
  net.define(forward_source(weights.network()));
  std::ostringstream bytes;
  net.save(bytes);
  write_file_atomically(path, bytes.str());
}

}  // namespace adasample
