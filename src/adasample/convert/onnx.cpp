// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/onnx.h"

#include <cmath>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/convert/protobuf.h"

namespace adasample {
namespace {

// Field numbers and enumerators of onnx.proto.
namespace field {
constexpr int kIrVersion = 1, kProducer = 2, kModelGraph = 7, kOpset = 8, kMetadata = 14;   // ModelProto
constexpr int kGraphNode = 1, kGraphName = 2, kInitializer = 5, kInput = 11, kOutput = 12;  // GraphProto
constexpr int kNodeInput = 1, kNodeOutput = 2, kNodeName = 3, kOperator = 4, kAttribute = 5;
constexpr int kAttributeName = 1, kFloat = 2, kInt = 3, kInts = 8, kAttributeType = 20;
constexpr int kDims = 1, kDataType = 2, kTensorName = 8, kRawData = 9;
}  // namespace field
constexpr int kFloatAttribute = 1, kIntAttribute = 2, kIntsAttribute = 7, kFloatData = 1, kIntegerData = 7;

// Below any variance that grey values have but zero (one pixel off by one: 1e-3), and above the zero of a flat patch.
constexpr float kVarianceEpsilon = 1e-10f;

class Node {
 public:
  Node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    for (const std::string& input : inputs) proto_.text(field::kNodeInput, input);
    proto_.text(field::kNodeOutput, output).text(field::kNodeName, output + "_").text(field::kOperator, type);
  }
  Node& with(const std::string& name, float value) {
    return add(attribute(name, kFloatAttribute).real(field::kFloat, value));
  }
  Node& with(const std::string& name, int value) {
    return add(attribute(name, kIntAttribute).integer(field::kInt, value));
  }
  Node& with(const std::string& name, const std::vector<int>& values) {
    ProtoMessage message = attribute(name, kIntsAttribute);
    for (const int value : values) message.integer(field::kInts, value);
    return add(message);
  }
  const ProtoMessage& proto() const { return proto_; }

 private:
  static ProtoMessage attribute(const std::string& name, int type) {
    return ProtoMessage().text(field::kAttributeName, name).integer(field::kAttributeType, type);
  }
  Node& add(const ProtoMessage& message) {
    proto_.message(field::kAttribute, message);
    return *this;
  }
  ProtoMessage proto_;
};

ProtoMessage onnx_tensor(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values) {
  ProtoMessage proto;
  for (const int64_t extent : shape) proto.integer(field::kDims, extent);
  return proto.integer(field::kDataType, kFloatData)
      .text(field::kTensorName, name)
      .text(field::kRawData, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
}

// ValueInfoProto of floats whose first dimension is the batch.
ProtoMessage value_info(const std::string& name, int batch, const std::vector<int>& rest) {
  ProtoMessage shape, first;
  if (batch > 0) {
    first.integer(1, batch);
  } else {
    first.text(2, "batch");
  }
  shape.message(1, first);
  for (const int extent : rest) shape.message(1, ProtoMessage().integer(1, extent));
  const ProtoMessage tensor_type = ProtoMessage().integer(1, kFloatData).message(2, shape);
  return ProtoMessage().text(1, name).message(2, ProtoMessage().message(1, tensor_type));
}

// Writes a network's nodes and arrays, layer by layer.
class GraphWriter {
 public:
  GraphWriter(const Weights& weights, const Network& network) : weights_(weights), network_(network) {}

  ProtoMessage graph(int batch) {
    array("least_norm", {}, {static_cast<float>(std::sqrt(network_.output_epsilon))});
    std::vector<std::string> rows;
    for (const Tower& tower : network_.towers) rows.push_back(write_tower(tower));
    if (rows.size() > 1) {
      node(Node("Concat", rows, "concatenated").with("axis", 1));
      rows = {"concatenated"};
    }
    if (network_.unit_output) {
      normalise(rows.front(), "", "output");
    } else {
      node(Node("Identity", {rows.front()}, "output"));
    }
    graph_.text(field::kGraphName, network_.name)
        .message(field::kInput, value_info("input", batch, {1, network_.input_size, network_.input_size}))
        .message(field::kOutput, value_info("output", batch, {network_.descriptor_size}));
    return graph_;
  }

 private:
  void node(const Node& one) { graph_.message(field::kGraphNode, one.proto()); }
  void array(const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& values) {
    graph_.message(field::kInitializer, onnx_tensor(name, shape, values));
  }
  // A name for the next result.
  std::string next(const std::string& what) { return fmt::format("{}{}", what, results_++); }
  std::string apply(const std::string& type, const std::vector<std::string>& inputs) {
    const std::string result = next(type);
    node(Node(type, inputs, result));
    return result;
  }

  std::string write_tower(const Tower& tower) {
    const std::vector<PlaneShape> around = network_.extents(tower);
    std::string x = tower_input(tower);
    for (size_t i = 0; i < tower.layers.size(); ++i) {
      const bool folds = tower.layers[i].kind == LayerKind::kConvolution && i + 1 < tower.layers.size() &&
                         tower.layers[i + 1].kind == LayerKind::kBatchNorm;
      if (folds) {
        x = write_convolution(tower.layers[i], &tower.layers[i + 1], around[i], x, /*first=*/i == 0);
        ++i;
      } else {
        x = write_layer(tower.layers[i], around[i], x, /*first=*/i == 0);
      }
    }
    // One tower's rows are normalised at the end; those of several also before they are put together.
    const std::string prefix = tower.name.empty() ? "" : tower.name + "_", rows = prefix + "rows";
    node(Node("Flatten", {x}, rows).with("axis", 1));
    if (network_.towers.size() == 1 || !network_.unit_output) return rows;
    normalise(rows, prefix, prefix + "unit");
    return prefix + "unit";
  }

  // ReduceL2, Clip with three inputs, Shape, Expand, Div: what OpenCV knows for a normalisation.
  void normalise(const std::string& rows, const std::string& prefix, const std::string& output) {
    node(Node("ReduceL2", {rows}, prefix + "norm").with("axes", std::vector{1}).with("keepdims", 1));
    node(Node("Clip", {prefix + "norm", "least_norm", ""}, prefix + "clipped"));
    node(Node("Shape", {rows}, prefix + "shape"));
    node(Node("Expand", {prefix + "clipped", prefix + "shape"}, prefix + "divisor"));
    node(Node("Div", {rows, prefix + "divisor"}, output));
  }

  std::string tower_input(const Tower& tower) {
    std::string x = "input";
    if (tower.view == TowerView::kHalved) {
      const std::string half = next("half");
      node(Node("AveragePool", {x}, half).with("kernel_shape", std::vector{2, 2}).with("strides", std::vector{2, 2}));
      x = half;
    } else if (tower.view == TowerView::kCentre) {
      const int quarter = network_.input_size / 4;
      const std::string centre = next("centre");
      integers(centre + "_starts", {quarter, quarter});
      integers(centre + "_ends", {3 * quarter, 3 * quarter});
      integers(centre + "_axes", {2, 3});
      node(Node("Slice", {x, centre + "_starts", centre + "_ends", centre + "_axes"}, centre));
      x = centre;
    }
    if (network_.input_norm == InputNorm::kNone) return x;
    if (network_.input_norm == InputNorm::kFixed) {
      const std::string mean = next("mean"), scale = next("scale");
      array(mean, {}, {static_cast<float>(kFixedMean)});
      array(scale, {}, {static_cast<float>(kFixedScale)});
      return apply("Div", {apply("Sub", {x, mean}), scale});
    }
    const bool variance = network_.input_norm == InputNorm::kVariance;
    return instance_norm(x, 1, variance ? static_cast<float>(network_.input_epsilon) : kVarianceEpsilon);
  }

  void integers(const std::string& name, const std::vector<int64_t>& values) {
    ProtoMessage proto;
    proto.integer(field::kDims, std::ssize(values))
        .integer(field::kDataType, kIntegerData)
        .text(field::kTensorName, name)
        .text(field::kRawData, {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int64_t)});
    graph_.message(field::kInitializer, proto);
  }

  std::string instance_norm(const std::string& x, int channels, float epsilon) {
    const std::string name = next("normalised");
    const auto count = static_cast<size_t>(channels);
    array(name + ".ones", {channels}, std::vector<float>(count, 1.f));
    array(name + ".zeros", {channels}, std::vector<float>(count, 0.f));
    node(Node("InstanceNormalization", {x, name + ".ones", name + ".zeros"}, name).with("epsilon", epsilon));
    return name;
  }

  const std::vector<float>& values(const NetLayer& layer, const char* array) const {
    return weights_.at(fmt::format("{}.{}", layer.name, array)).values;
  }

  // With the batch norm after it folded in, where there is one. The deviation that InstanceNormalization divides by is
  // biased; where the network's is not, the first convolution makes up for it.
  std::string write_convolution(const NetLayer& layer, const NetLayer* norm, const PlaneShape& before,
                                const std::string& x, bool first) {
    std::vector<float> weight = values(layer, "weight");
    std::vector<float> bias =
        layer.bias ? values(layer, "bias") : std::vector<float>(static_cast<size_t>(layer.channels), 0.f);
    const size_t fan_in = weight.size() / bias.size();
    for (size_t o = 0; norm != nullptr && o < bias.size(); ++o) {
      const double factor = (norm->affine ? double{values(*norm, "weight")[o]} : 1.0) /
                            std::sqrt(values(*norm, "running_var")[o] + norm->epsilon);
      for (size_t i = o * fan_in; i < (o + 1) * fan_in; ++i) weight[i] = static_cast<float>(weight[i] * factor);
      const double shift = norm->affine ? double{values(*norm, "bias")[o]} : 0.0;
      bias[o] = static_cast<float>((double{bias[o]} - values(*norm, "running_mean")[o]) * factor + shift);
    }
    if (first && network_.input_norm == InputNorm::kDeviation) {
      const double pixels = before.width * before.width;
      for (float& w : weight) w = static_cast<float>(w * std::sqrt((pixels - 1) / pixels));
    }
    array(layer.name + ".weight", {layer.channels, before.channels, layer.kernel, layer.kernel}, weight);
    array(layer.name + ".bias", {layer.channels}, bias);
    node(windowed("Conv", {x, layer.name + ".weight", layer.name + ".bias"}, layer.name, layer));
    return layer.name;
  }

  static Node windowed(const std::string& type, const std::vector<std::string>& inputs, const std::string& output,
                       const NetLayer& layer) {
    Node one(type, inputs, output);
    one.with("kernel_shape", std::vector{layer.kernel, layer.kernel})
        .with("strides", std::vector{layer.stride, layer.stride})
        .with("pads", std::vector{layer.padding, layer.padding, layer.padding + layer.padding_after,
                                  layer.padding + layer.padding_after});
    return one;
  }

  std::string write_layer(const NetLayer& layer, const PlaneShape& before, const std::string& x, bool first) {
    const int channels = before.channels;
    switch (layer.kind) {
      case LayerKind::kConvolution:
        return write_convolution(layer, nullptr, before, x, first);
      case LayerKind::kFullyConnected: {
        const std::string rows = next("flat");
        node(Node("Flatten", {x}, rows).with("axis", 1));
        array(layer.name + ".weight", {layer.channels, before.numbers()}, values(layer, "weight"));
        array(layer.name + ".bias", {layer.channels},
              layer.bias ? values(layer, "bias") : std::vector<float>(static_cast<size_t>(layer.channels), 0.f));
        node(Node("Gemm", {rows, layer.name + ".weight", layer.name + ".bias"}, layer.name).with("transB", 1));
        return layer.name;
      }
      case LayerKind::kBatchNorm: {
        const auto count = static_cast<size_t>(channels);
        array(layer.name + ".scale", {channels},
              layer.affine ? values(layer, "weight") : std::vector<float>(count, 1.f));
        array(layer.name + ".shift", {channels}, layer.affine ? values(layer, "bias") : std::vector<float>(count, 0.f));
        array(layer.name + ".mean", {channels}, values(layer, "running_mean"));
        array(layer.name + ".var", {channels}, values(layer, "running_var"));
        node(Node("BatchNormalization",
                  {x, layer.name + ".scale", layer.name + ".shift", layer.name + ".mean", layer.name + ".var"},
                  layer.name)
                 .with("epsilon", static_cast<float>(layer.epsilon)));
        return layer.name;
      }
      case LayerKind::kInstanceNorm:
        return instance_norm(x, channels, static_cast<float>(layer.epsilon));
      case LayerKind::kFilterResponse: {
        const auto own = weights_.arrays.find(layer.name + ".eps");
        const double epsilon = own == weights_.arrays.end() ? layer.epsilon : std::abs(double{own->second.values[0]});
        array(layer.name + ".eps", {}, {static_cast<float>(epsilon)});
        array(layer.name + ".weight", {1, channels, 1, 1}, values(layer, "weight"));
        array(layer.name + ".bias", {1, channels, 1, 1}, values(layer, "bias"));
        const std::string square = apply("Mul", {x, x}), mean = next("mean_square");
        node(Node("GlobalAveragePool", {square}, mean));
        const std::string deviation = apply("Sqrt", {apply("Add", {mean, layer.name + ".eps"})});
        return apply("Add",
                     {apply("Mul", {apply("Div", {x, deviation}), layer.name + ".weight"}), layer.name + ".bias"});
      }
      case LayerKind::kTlu:
        array(layer.name + ".tau", {1, channels, 1, 1}, values(layer, "tau"));
        return apply("Max", {x, layer.name + ".tau"});
      case LayerKind::kRelu:
        return apply("Relu", {x});
      case LayerKind::kTanh:
        return apply("Tanh", {x});
      case LayerKind::kMaxPool:
      case LayerKind::kAveragePool: {
        const std::string type = layer.kind == LayerKind::kMaxPool ? "MaxPool" : "AveragePool", result = next(type);
        node(windowed(type, {x}, result, layer));
        return result;
      }
      case LayerKind::kL2Pool: {
        const std::string mean = next("mean_square"), area = next("area"), least = next("least");
        node(windowed("AveragePool", {apply("Mul", {x, x})}, mean, layer));
        array(area, {}, {static_cast<float>(layer.kernel * layer.kernel)});
        array(least, {}, {static_cast<float>(layer.epsilon)});
        return apply("Sqrt", {apply("Add", {apply("Mul", {mean, area}), least})});
      }
      case LayerKind::kDropout:
        return x;
    }
    ADA_THROW_KIND(kBug, "unknown LayerKind");
  }

  const Weights& weights_;
  const Network& network_;
  ProtoMessage graph_;
  int results_ = 0;
};

}  // namespace

void OnnxOptions::validate() const {
  ADA_USAGE(opset >= 11 && opset <= 17, "opset = {}, must be in [11, 17]", opset);
  ADA_USAGE(batch >= 0 && batch <= 1'000'000, "batch = {}, must be in [0, 1000000]", batch);
}

std::string format_onnx(const Weights& weights, const OnnxOptions& options) {
  options.validate();
  const int ir_version = options.opset <= 11 ? 6 : options.opset <= 14 ? 7 : 8;
  weights.check_against(weights.network());
  const ProtoMessage graph = GraphWriter(weights, weights.network()).graph(options.batch);
  ProtoMessage model;
  model.integer(field::kIrVersion, ir_version).text(field::kProducer, "adasample");
  model.message(field::kModelGraph, graph);
  model.message(field::kOpset, ProtoMessage().text(1, "").integer(2, options.opset));
  for (const auto& [key, value] : weights.metadata) {
    model.message(field::kMetadata, ProtoMessage().text(1, key).text(2, value));
  }
  return model.bytes();
}

}  // namespace adasample
