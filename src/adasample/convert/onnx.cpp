// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/onnx.h"

#include <cmath>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/convert/protobuf.h"
#include "adasample/model/folded_weights.h"

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
constexpr int kFloatAttribute = 1, kIntAttribute = 2, kIntsAttribute = 7, kFloatData = 1;

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

ProtoMessage graph_of(std::vector<FoldedLayer> layers, const LayerTable& table, int batch) {
  const double pixels = table.input_size * table.input_size;
  const double unbiased = std::sqrt((pixels - 1) / pixels);
  for (float& weight : layers.front().weight) weight = static_cast<float>(weight * unbiased);

  ProtoMessage graph;
  const auto node = [&graph](const Node& one) { graph.message(field::kGraphNode, one.proto()); };
  const auto array = [&graph](const std::string& name, const std::vector<int64_t>& shape, const std::vector<float>& v) {
    graph.message(field::kInitializer, onnx_tensor(name, shape, v));
  };
  array("one", {1}, {1.f});
  array("zero", {1}, {0.f});
  array("least_norm", {}, {static_cast<float>(std::sqrt(table.output_epsilon))});
  node(Node("InstanceNormalization", {"input", "one", "zero"}, "normalised").with("epsilon", kVarianceEpsilon));
  std::string x = "normalised";
  for (const FoldedLayer& layer : layers) {
    const ConvLayer& s = layer.shape;
    const std::string name = fmt::format("conv{}", s.sequence_index);
    array(name + ".weight", {s.out_channels, s.in_channels, s.kernel, s.kernel}, layer.weight);
    array(name + ".bias", {s.out_channels}, layer.bias);
    node(Node("Conv", {x, name + ".weight", name + ".bias"}, name)
             .with("kernel_shape", std::vector{s.kernel, s.kernel})
             .with("strides", std::vector{s.stride, s.stride})
             .with("pads", std::vector{s.padding, s.padding, s.padding, s.padding}));
    x = name;
    if (!s.relu) continue;
    x = fmt::format("relu{}", s.sequence_index);
    node(Node("Relu", {name}, x));
  }
  node(Node("Flatten", {x}, "rows").with("axis", 1));
  node(Node("ReduceL2", {"rows"}, "norm").with("axes", std::vector{1}).with("keepdims", 1));
  node(Node("Clip", {"norm", "least_norm", ""}, "clipped"));  // three inputs are how OpenCV knows a normalisation
  node(Node("Shape", {"rows"}, "shape"));
  node(Node("Expand", {"clipped", "shape"}, "divisor"));
  node(Node("Div", {"rows", "divisor"}, "output"));
  graph.text(field::kGraphName, table.name)
      .message(field::kInput, value_info("input", batch, {1, table.input_size, table.input_size}))
      .message(field::kOutput, value_info("output", batch, {table.descriptor_size}));
  return graph;
}

}  // namespace

void OnnxOptions::validate() const {
  ADA_USAGE(opset >= 11 && opset <= 17, "opset = {}, must be in [11, 17]", opset);
  ADA_USAGE(batch >= 0 && batch <= 1'000'000, "batch = {}, must be in [0, 1000000]", batch);
}

std::string format_onnx(const Weights& weights, const OnnxOptions& options) {
  options.validate();
  const int ir_version = options.opset <= 11 ? 6 : options.opset <= 14 ? 7 : 8;
  const ProtoMessage graph = graph_of(fold_batch_norm(weights, l2net()), l2net(), options.batch);
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
