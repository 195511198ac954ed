// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

constexpr double kNormEpsilon = 1e-5;

NetLayer convolution(std::string name, int channels, int kernel, int stride, int padding, bool bias) {
  return {.kind = LayerKind::kConvolution,
          .name = std::move(name),
          .channels = channels,
          .kernel = kernel,
          .stride = stride,
          .padding = padding,
          .bias = bias};
}

NetLayer simple(LayerKind kind, std::string name = "") { return {.kind = kind, .name = std::move(name)}; }

NetLayer with_epsilon(LayerKind kind, std::string name, double epsilon) {
  return {.kind = kind, .name = std::move(name), .epsilon = epsilon};
}

NetLayer pool(LayerKind kind, int kernel, int stride, double epsilon = 0) {
  return {.kind = kind, .kernel = kernel, .stride = stride, .epsilon = epsilon};
}

NetLayer dropout(double rate) { return {.kind = LayerKind::kDropout, .rate = rate}; }

// Seven convolutions without bias, batch norm without affine part after each, ReLU between them: `sequence`.first is
// the index of the first convolution in the Python module whose names are kept.
std::vector<NetLayer> l2net_layers(const std::string& sequence, int first, double rate, double width) {
  const auto scaled = [width](int channels) {
    return std::max(8, 8 * static_cast<int>(std::lround(channels * width / 8)));
  };
  constexpr int kChannels[] = {32, 32, 64, 64, 128, 128}, kStrides[] = {1, 1, 2, 1, 2, 1};
  std::vector<NetLayer> layers;
  int index = first;
  const auto numbered = [&] { return fmt::format("{}.{}", sequence, index++); };
  for (size_t i = 0; i < std::size(kChannels); ++i) {
    layers.push_back(convolution(numbered(), scaled(kChannels[i]), 3, kStrides[i], 1, /*bias=*/false));
    layers.push_back(with_epsilon(LayerKind::kBatchNorm, numbered(), kNormEpsilon));
    layers.push_back(simple(LayerKind::kRelu));
    ++index;
  }
  layers.push_back(dropout(rate));
  ++index;
  layers.push_back(convolution(numbered(), 128, 8, 1, 0, /*bias=*/false));
  layers.push_back(with_epsilon(LayerKind::kBatchNorm, numbered(), kNormEpsilon));
  return layers;
}

Network l2net_network(double width) {
  return {.summary = "L2-Net in HardNet's layout (Tian et al., CVPR 2017; Mishchuk et al., NIPS 2017)",
          .towers = {{"", TowerView::kWhole, l2net_layers("features", 0, 0.3, width)}}};
}

Network cs_l2net_network(double width) {
  return {.summary = "L2-Net twice: the patch at half its size, and its middle (Tian et al., CVPR 2017)",
          .input_size = 64,
          .descriptor_size = 256,
          .towers = {{"whole", TowerView::kHalved, l2net_layers("whole.features", 0, 0.3, width)},
                     {"centre", TowerView::kCentre, l2net_layers("centre.features", 0, 0.3, width)}}};
}

Network sosnet_network(double width) {
  return {.summary = "L2-Net with SOSNet's input norm, names and dropout (Tian et al., CVPR 2019)",
          .input_norm = InputNorm::kVariance,
          .input_epsilon = kNormEpsilon,
          .towers = {{"", TowerView::kWhole, l2net_layers("layers", 1, 0.1, width)}}};
}

Network hynet_network(double) {
  constexpr double kEpsilon = 1e-6;
  constexpr int kChannels[] = {32, 32, 64, 64, 128, 128}, kStrides[] = {1, 1, 2, 1, 2, 1};
  std::vector<NetLayer> layers;
  for (int i = 0; i < 6; ++i) {
    int index = 0;
    const auto numbered = [&] { return fmt::format("layer{}.{}", i + 1, index++); };
    if (i == 0) {
      layers.push_back(with_epsilon(LayerKind::kFilterResponse, numbered(), kEpsilon));
      layers.push_back(simple(LayerKind::kTlu, numbered()));
    }
    layers.push_back(convolution(numbered(), kChannels[i], 3, kStrides[i], 1, /*bias=*/true));
    layers.push_back(with_epsilon(LayerKind::kFilterResponse, numbered(), kEpsilon));
    layers.push_back(simple(LayerKind::kTlu, numbered()));
  }
  layers.push_back(dropout(0.3));
  layers.push_back(convolution("layer7.1", 128, 8, 1, 0, /*bias=*/false));
  layers.push_back(with_epsilon(LayerKind::kBatchNorm, "layer7.2", kNormEpsilon));
  return {.summary = "L2-Net with filter-response norm and learned thresholds (Tian et al., NeurIPS 2020)",
          .input_norm = InputNorm::kNone,
          .input_epsilon = 0,
          .towers = {{"", TowerView::kWhole, std::move(layers)}}};
}

Network tfeat_network(double) {
  return {.summary = "TFeat: two convolutions and a full connection, tanh (Balntas et al., BMVC 2016)",
          .input_norm = InputNorm::kVariance,
          .input_epsilon = kNormEpsilon,
          .unit_output = false,
          .init_gain = 1,
          .towers = {{"",
                      TowerView::kWhole,
                      {convolution("features.1", 32, 7, 1, 0, /*bias=*/true), simple(LayerKind::kTanh),
                       pool(LayerKind::kMaxPool, 2, 2), convolution("features.4", 64, 6, 1, 0, /*bias=*/true),
                       simple(LayerKind::kTanh),
                       NetLayer{.kind = LayerKind::kFullyConnected, .name = "descr.0", .channels = 128, .bias = true},
                       simple(LayerKind::kTanh)}}}};
}

Network deepdesc_network(double) {
  return {.summary =
              "DeepDesc's CNN3, every channel connected, without its subtractive norm (Simo-Serra et al., ICCV 2015)",
          .input_size = 64,
          .unit_output = false,
          .init_gain = 1,
          .towers = {{"",
                      TowerView::kWhole,
                      {convolution("features.0", 32, 7, 1, 0, /*bias=*/true), simple(LayerKind::kTanh),
                       pool(LayerKind::kL2Pool, 2, 2, 1e-12), convolution("features.3", 64, 6, 1, 0, /*bias=*/true),
                       simple(LayerKind::kTanh), pool(LayerKind::kL2Pool, 3, 3, 1e-12),
                       convolution("features.6", 128, 5, 1, 0, /*bias=*/true), simple(LayerKind::kTanh),
                       pool(LayerKind::kL2Pool, 4, 4, 1e-12)}}}};
}

// Poolings round widths up, as Caffe's do: 64, 32, 16, 8.
Network matchnet_network(double) {
  const auto halving = [] {
    return NetLayer{.kind = LayerKind::kMaxPool, .kernel = 3, .stride = 2, .padding_after = 1};
  };
  const auto full = [](const char* name, int channels) {
    return NetLayer{.kind = LayerKind::kFullyConnected, .name = name, .channels = channels, .bias = true};
  };
  const NetLayer relu = simple(LayerKind::kRelu);
  return {.summary = "MatchNet without bottleneck, and its metric of two descriptors (Han et al., CVPR 2015)",
          .input_size = 64,
          .descriptor_size = 4096,
          .input_norm = InputNorm::kFixed,
          .unit_output = false,
          .init_gain = 1,
          .towers = {{"",
                      TowerView::kWhole,
                      {convolution("conv0", 24, 7, 1, 3, /*bias=*/true), relu, halving(),
                       convolution("conv1", 64, 5, 1, 2, /*bias=*/true), relu, halving(),
                       convolution("conv2", 96, 3, 1, 1, /*bias=*/true), relu,
                       convolution("conv3", 96, 3, 1, 1, /*bias=*/true), relu,
                       convolution("conv4", 64, 3, 1, 1, /*bias=*/true), relu, halving()}}},
          .metric = {full("metric.fc1", 512), relu, full("metric.fc2", 512), relu, full("metric.fc3", 2)}};
}

// TensorFlow pads a convolution of stride 2 on one side only.
Network geodesc_network(double) {
  constexpr double kEpsilon = 1e-5;
  constexpr int kChannels[] = {32, 32, 64, 64, 128, 128}, kStrides[] = {1, 1, 2, 1, 2, 1};
  std::vector<NetLayer> layers;
  for (int i = 0; i < 6; ++i) {
    NetLayer layer = convolution(fmt::format("conv{}", i), kChannels[i], 3, kStrides[i], 1, /*bias=*/false);
    if (layer.stride == 2) {
      layer.padding = 0;
      layer.padding_after = 1;
    }
    layers.push_back(layer);
    layers.push_back(with_epsilon(LayerKind::kBatchNorm, fmt::format("conv{}.bn", i), kEpsilon));
    layers.push_back(simple(LayerKind::kRelu));
  }
  layers.push_back(convolution("conv6", 128, 8, 1, 0, /*bias=*/false));
  return {.summary = "GeoDesc: L2-Net by TensorFlow, no norm after the last layer (Luo et al., ECCV 2018)",
          .input_norm = InputNorm::kVariance,
          .input_epsilon = 1e-12,
          .output_epsilon = 1e-12,
          .towers = {{"", TowerView::kWhole, std::move(layers)}}};
}

struct Entry {
  const char* name;
  bool has_widths;
  Network (*make)(double width);
};

constexpr Entry kNetworks[] = {{"l2net", true, l2net_network},      {"cs-l2net", true, cs_l2net_network},
                               {"sosnet", true, sosnet_network},    {"hynet", false, hynet_network},
                               {"tfeat", false, tfeat_network},     {"deepdesc", false, deepdesc_network},
                               {"geodesc", false, geodesc_network}, {"matchnet", false, matchnet_network}};

struct Named {
  const Entry* entry;
  double width;
};

// Nothing for what is no name of a network.
std::optional<Named> parse_network(const std::string& name) {
  const size_t colon = name.find(':');
  for (const Entry& entry : kNetworks) {
    if (name.substr(0, colon) != entry.name) continue;
    if (colon == std::string::npos) return Named{&entry, 1};
    double width = 0;
    if (!entry.has_widths || !parse_number(name.substr(colon + 1), width) || !(width >= 0.125 && width <= 8)) return {};
    return Named{&entry, width};
  }
  return {};
}

PlaneShape after(const NetLayer& layer, const PlaneShape& before) {
  const int width = (before.width + 2 * layer.padding + layer.padding_after - layer.kernel) / layer.stride + 1;
  switch (layer.kind) {
    case LayerKind::kConvolution:
      return {layer.channels, width};
    case LayerKind::kMaxPool:
    case LayerKind::kAveragePool:
    case LayerKind::kL2Pool:
      return {before.channels, width};
    case LayerKind::kFullyConnected:
      return {layer.channels, 1};
    default:
      return before;
  }
}

// A network of convolutions without bias, each with a batch norm without affine part, and ReLU and dropout; what
// `table` and `layers` of it are is told by layer_table.h. The last number of a convolution's name is its index.
struct PlainNetwork {
  std::string name;
  std::vector<ConvLayer> layers;
  LayerTable table;
};

std::shared_ptr<const LayerTable> make_plain_form(const Network& network) {
  if (network.towers.size() != 1 || network.input_norm != InputNorm::kDeviation || !network.unit_output ||
      !network.metric.empty()) {
    return {};
  }
  const Tower& tower = network.towers.front();
  const std::vector<PlaneShape> extents = network.extents(tower);
  auto plain = std::make_shared<PlainNetwork>();
  bool dropped = false, normed = true;
  double rate = 0, epsilon = 0;
  for (size_t i = 0; i < tower.layers.size(); ++i) {
    const NetLayer& layer = tower.layers[i];
    if (layer.kind == LayerKind::kConvolution && !layer.bias && layer.padding_after == 0 && normed &&
        layer.name.starts_with("features.")) {
      int index = 0;
      if (!parse_number(layer.name.substr(std::string_view("features.").size()), index)) return {};
      plain->layers.push_back({extents[i].channels, layer.channels, layer.kernel, layer.stride, layer.padding,
                               /*relu=*/false, dropped, index});
      dropped = normed = false;
    } else if (layer.kind == LayerKind::kBatchNorm && !layer.affine && !normed) {
      normed = true;
      epsilon = layer.epsilon;
    } else if (layer.kind == LayerKind::kRelu && !plain->layers.empty() && normed) {
      plain->layers.back().relu = true;
    } else if (layer.kind == LayerKind::kDropout) {
      dropped = true;
      rate = layer.rate;
    } else {
      return {};
    }
  }
  plain->name = network.name;
  plain->table = {.name = plain->name,
                  .input_size = network.input_size,
                  .descriptor_size = network.descriptor_size,
                  .batch_norm_epsilon = epsilon,
                  .batch_norm_momentum = network.batch_norm_momentum,
                  .input_epsilon = network.input_epsilon,
                  .output_epsilon = network.output_epsilon,
                  .dropout = rate,
                  .init_gain = network.init_gain,
                  .layers = plain->layers};
  const LayerTable* table = &plain->table;
  return {std::move(plain), table};
}

}  // namespace

std::vector<PlaneShape> Network::extents(const Tower& tower) const {
  std::vector<PlaneShape> all = {{1, tower_size(tower)}};
  for (const NetLayer& layer : tower.layers) {
    all.push_back(after(layer, all.back()));
    ADA_ASSERT(all.back().channels > 0 && all.back().width > 0);
  }
  return all;
}

std::vector<PlaneShape> Network::metric_extents() const {
  std::vector<PlaneShape> all = {{2 * descriptor_size, 1}};
  for (const NetLayer& layer : metric) {
    ADA_ASSERT(layer.kind == LayerKind::kFullyConnected || layer.kind == LayerKind::kRelu);
    all.push_back(after(layer, all.back()));
  }
  ADA_ASSERT(metric.empty() || all.back().channels == 2);
  return all;
}

std::vector<NetArray> Network::arrays(const NetLayer& layer, const PlaneShape& before) const {
  using Role = NetArray::Role;
  const auto named = [&](const char* array) { return fmt::format("{}.{}", layer.name, array); };
  const int64_t channels = before.channels, made = layer.channels;
  std::vector<NetArray> all;
  switch (layer.kind) {
    case LayerKind::kConvolution:
      all.push_back({named("weight"), {made, channels, layer.kernel, layer.kernel}, Role::kWeight});
      break;
    case LayerKind::kFullyConnected:
      all.push_back({named("weight"), {made, before.numbers()}, Role::kWeight});
      break;
    case LayerKind::kBatchNorm:
      if (layer.affine) {
        all.push_back({named("weight"), {channels}, Role::kScale});
        all.push_back({named("bias"), {channels}, Role::kShift});
      }
      all.push_back({named("running_mean"), {channels}, Role::kMean});
      all.push_back({named("running_var"), {channels}, Role::kVariance});
      all.push_back({named("num_batches_tracked"), {}, Role::kBatches});
      break;
    case LayerKind::kFilterResponse:
      all.push_back({named("weight"), {1, channels, 1, 1}, Role::kScale});
      all.push_back({named("bias"), {1, channels, 1, 1}, Role::kShift});
      all.push_back({named("eps"), {1}, Role::kEpsilon});
      break;
    case LayerKind::kTlu:
      all.push_back({named("tau"), {1, channels, 1, 1}, Role::kThreshold});
      break;
    default:
      break;
  }
  if (layer.bias) all.push_back({named("bias"), {made}, Role::kBias});
  return all;
}

std::vector<NetArray> Network::arrays() const {
  std::vector<NetArray> all;
  const auto add = [&](const std::vector<NetLayer>& layers, const std::vector<PlaneShape>& around) {
    for (size_t i = 0; i < layers.size(); ++i) {
      const std::vector<NetArray> of_layer = arrays(layers[i], around[i]);
      all.insert(all.end(), of_layer.begin(), of_layer.end());
    }
  };
  for (const Tower& tower : towers) add(tower.layers, extents(tower));
  add(metric, metric_extents());
  return all;
}

int64_t Network::weight_count() const {
  int64_t count = 0;
  for (const NetArray& array : arrays()) {
    int64_t numbers = array.learned() ? 1 : 0;
    for (const int64_t extent : array.shape) numbers *= extent;
    count += numbers;
  }
  return count;
}

int64_t Network::flops_per_patch() const {
  int64_t flops = 0;
  for (const Tower& tower : towers) {
    const std::vector<PlaneShape> around = extents(tower);
    for (size_t i = 0; i < tower.layers.size(); ++i) {
      const NetLayer& layer = tower.layers[i];
      if (layer.kind == LayerKind::kConvolution) {
        flops += 2 * around[i + 1].numbers() * around[i].channels * layer.kernel * layer.kernel;
      } else if (layer.kind == LayerKind::kFullyConnected) {
        flops += 2 * around[i + 1].numbers() * around[i].numbers();
      }
    }
  }
  return flops;
}

double Network::dropout() const {
  double rate = 0;
  for (const Tower& tower : towers) {
    for (const NetLayer& layer : tower.layers) rate = std::max(rate, layer.rate);
  }
  return rate;
}

std::vector<std::string> network_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kNetworks) names.emplace_back(entry.name);
  return names;
}

bool is_network(const std::string& name) { return parse_network(name).has_value(); }

const Network& find_network(const std::string& name) {
  const std::optional<Named> named = parse_network(name);
  ADA_USAGE(named, "network = {}, must be one of {}; the first three may have a width from 0.125 to 8, as in l2net:0.5",
            shown(name), fmt::join(network_names(), ", "));
  const std::string canonical =
      named->width == 1 ? named->entry->name : fmt::format("{}:{}", named->entry->name, named->width);
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Network>> made;
  const std::lock_guard lock(mutex);
  auto& kept = made[canonical];
  if (!kept) {
    auto network = std::make_unique<Network>(named->entry->make(named->width));
    network->name = canonical;
    int size = 0;
    for (const Tower& tower : network->towers) size += static_cast<int>(network->extents(tower).back().numbers());
    ADA_ASSERT(size == network->descriptor_size);
    network->plain_form = make_plain_form(*network);
    kept = std::move(network);
  }
  return *kept;
}

const LayerTable& l2net() {
  static const LayerTable& table = *find_network("l2net").plain();
  return table;
}

}  // namespace adasample
