// SPDX-License-Identifier: Apache-2.0
// A network as a table of layers, free of any framework. Everything that has to know one reads this table: the Torch
// module that learns it, the engine `reference`, checkpoints, weights files, exports. Fast engines state what they take
// of it: plain().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/model/layer_table.h"

namespace adasample {

// Of values x of one channel, m the number of them in its plane:
//   kConvolution      sum of w x (+ bias), zeros beyond the border
//   kBatchNorm        (x - mean) / sqrt(variance + epsilon), times scale and plus shift where `affine`
//   kInstanceNorm     the same with mean and biased variance of the plane itself, never affine
//   kFilterResponse   scale x / sqrt(sum x^2 / m + |epsilon|) + shift (Singh, Krishnan, CVPR 2020)
//   kRelu  max(x, 0)  kTlu  max(x, tau), tau learned for each channel      kTanh
//   kMaxPool  kAveragePool  kL2Pool  over kernel x kernel: the largest, the mean, sqrt(sum x^2 + epsilon); the
//                     largest of what is there where a window reaches beyond the border, which only its may
//   kDropout          while learning only
//   kFullyConnected   sum of w x over all channels and pixels (+ bias)
enum class LayerKind {
  kConvolution,
  kBatchNorm,
  kInstanceNorm,
  kFilterResponse,
  kRelu,
  kTlu,
  kTanh,
  kMaxPool,
  kAveragePool,
  kL2Pool,
  kDropout,
  kFullyConnected
};

// A plane of channels, width x width pixels.
struct PlaneShape {
  int channels = 0, width = 0;
  int64_t numbers() const { return int64_t{channels} * width * width; }
  bool operator==(const PlaneShape&) const = default;
};

struct NetLayer {
  LayerKind kind;
  std::string name = "";  // before the names of its arrays: "features.0"
  int channels = 0;       // that it makes: convolution, fully connected
  int kernel = 1, stride = 1, padding = 0;
  // Rows and columns beyond the right and the lower border more than beyond the left and the upper one: what Caffe's
  // poolings and TensorFlow's strided convolutions need to halve an even width. Convolution, largest.
  int padding_after = 0;
  bool bias = false;    // convolution, fully connected
  bool affine = false;  // batch norm
  double epsilon = 0;
  double rate = 0;  // dropout
};

// What a tower sees of a patch: all of it, all of it at half the size (means of 2x2 pixels), or the middle half of
// rows and columns.
enum class TowerView { kWhole, kHalved, kCentre };

struct Tower {
  std::string name;
  TowerView view = TowerView::kWhole;
  std::vector<NetLayer> layers;
};

// What is done to a tower's bytes x before its first layer:
//   kDeviation  (x - mean) / (unbiased deviation + epsilon), of the patch
//   kVariance   (x - mean) / sqrt(biased variance + epsilon), of the patch
//   kFixed      (x - kFixedMean) / kFixedScale
//   kNone       x
enum class InputNorm { kDeviation, kVariance, kFixed, kNone };
inline constexpr double kFixedMean = 128, kFixedScale = 160;

// An array of the network and what it is.
struct NetArray {
  enum class Role { kWeight, kBias, kScale, kShift, kThreshold, kMean, kVariance, kBatches, kEpsilon };
  std::string name;
  std::vector<int64_t> shape;
  Role role;

  bool learned() const { return role <= Role::kThreshold; }
  bool may_be_missing() const { return role == Role::kBatches || role == Role::kEpsilon; }
};

struct Network {
  std::string name = "";  // stored in the metadata of weights
  std::string summary;    // one line for people
  int input_size = 32;    // patches are input_size x input_size
  int descriptor_size = 128;
  InputNorm input_norm = InputNorm::kDeviation;
  double input_epsilon = 1e-7;
  bool unit_output = true;  // y <- y / sqrt(sum y^2 + output_epsilon), of each tower and of all together
  double output_epsilon = 1e-10;
  double batch_norm_momentum = 0.1;
  double init_gain = 0.6;     // of the orthogonal initialisation
  std::vector<Tower> towers;  // descriptors one after the other
  // A learned metric (MatchNet): full connections and ReLUs from two descriptors, one after the other, to two numbers
  // s; the pair shows different points with probability e^s0 / (e^s0 + e^s1), the same with the rest. Empty: distances
  // are Euclidean. model/pair_metric.h runs it.
  std::vector<NetLayer> metric = {};

  int tower_size(const Tower& tower) const { return tower.view == TowerView::kWhole ? input_size : input_size / 2; }
  // What each layer leaves, after what it gets.
  std::vector<PlaneShape> extents(const Tower& tower) const;
  std::vector<PlaneShape> metric_extents() const;
  // Of one layer, `before` being what it gets; of all layers of all towers and of the metric, in their order.
  std::vector<NetArray> arrays(const NetLayer& layer, const PlaneShape& before) const;
  std::vector<NetArray> arrays() const;

  int64_t weight_count() const;  // numbers that are learned
  // Multiply-adds times two of one forward pass over one patch: convolutions and full connections, without the metric.
  int64_t flops_per_patch() const;
  // The rate of its dropout; 0 where it has none.
  double dropout() const;

  // The same network as convolutions without bias, batch norm and ReLU alone, which is what the fast engines are
  // written for; null where it has anything else.
  const LayerTable* plain() const { return plain_form.get(); }
  std::shared_ptr<const LayerTable> plain_form = {};
};

// "l2net", "l2net:0.5" (half the channels in all layers but the last), "hynet", ... Made once and kept: the reference
// stays good. Throws a usage Error that lists the names there are.
const Network& find_network(const std::string& name);
bool is_network(const std::string& name);
// Without widths.
std::vector<std::string> network_names();

}  // namespace adasample
