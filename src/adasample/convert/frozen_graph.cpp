// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/frozen_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/convert/byte_cursor.h"

namespace adasample {
namespace {

// Field numbers of graph.proto, node_def.proto, attr_value.proto, tensor.proto and tensor_shape.proto.
namespace tf {
constexpr uint64_t kNode = 1, kNodeName = 1, kOperation = 2, kAttribute = 5;
constexpr uint64_t kKey = 1, kValue = 2, kFloatValue = 4, kTensor = 8;
constexpr uint64_t kType = 1, kShape = 2, kContent = 4, kFloats = 5, kDimension = 2, kSize = 1;
constexpr uint64_t kFloatType = 1;
}  // namespace tf
constexpr int64_t kMostNumbers = int64_t{1} << 28, kMostRepeated = 4096;

// A field of a message: `bytes` of wire type 2, else `number`.
struct Field {
  uint64_t number_of = 0, wire = 0, number = 0;
  std::string_view bytes = {};
};

uint64_t varint(ByteCursor& cursor) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const auto byte = cursor.number<uint8_t>();
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
  ADA_THROW("{}: byte {}: a number without end - not a frozen graph?", cursor.label(), cursor.position());
}

void for_fields(std::string_view message, const std::string& label, const std::function<void(const Field&)>& visit) {
  ByteCursor cursor(message, label);
  while (cursor.left() > 0) {
    const uint64_t tag = varint(cursor);
    Field field{tag >> 3, tag & 7};
    switch (field.wire) {
      case 0:
        field.number = varint(cursor);
        break;
      case 1:
        field.number = cursor.number<uint64_t>();
        break;
      case 2:
        field.bytes = cursor.take(varint(cursor));
        break;
      case 5:
        field.number = cursor.number<uint32_t>();
        break;
      default:
        ADA_THROW("{}: byte {}: expected a protocol buffer, found wire type {} - not a frozen graph?", label,
                  cursor.position(), field.wire);
    }
    visit(field);
  }
}

float float_of(uint64_t number) {
  const auto bits = static_cast<uint32_t>(number);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void append_floats(std::string_view bytes, const std::string& label, std::vector<float>& values) {
  ADA_CHECK(bytes.size() % sizeof(float) == 0, "{}: expected float32 values, found {} bytes", label, bytes.size());
  const size_t before = values.size();
  values.resize(before + bytes.size() / sizeof(float));
  if (values.size() > before) std::memcpy(&values[before], bytes.data(), (values.size() - before) * sizeof(float));
}

// Nothing for a tensor of another type.
bool read_tensor(std::string_view bytes, const std::string& label, NamedArray& array) {
  uint64_t type = 0;
  std::string_view content;  // of any type
  for_fields(bytes, label, [&](const Field& field) {
    if (field.number_of == tf::kType) type = field.number;
    if (field.number_of == tf::kShape && field.wire == 2) {
      for_fields(field.bytes, label, [&](const Field& dimension) {
        if (dimension.number_of != tf::kDimension || dimension.wire != 2) return;
        int64_t extent = 0;
        for_fields(dimension.bytes, label, [&](const Field& size) {
          if (size.number_of == tf::kSize) extent = static_cast<int64_t>(size.number);
        });
        array.shape.push_back(extent);
      });
    }
    if (field.number_of == tf::kContent) content = field.bytes;
    if (field.number_of == tf::kFloats) {
      if (field.wire == 2) append_floats(field.bytes, label, array.values);
      if (field.wire == 5) array.values.push_back(float_of(field.number));
    }
  });
  if (type != tf::kFloatType) return false;
  append_floats(content, label, array.values);
  int64_t count = 1;
  for (const int64_t extent : array.shape) {
    ADA_CHECK(extent >= 0 && (extent == 0 || count <= kMostNumbers / extent), "{}: a tensor with an extent of {}",
              label, extent);
    count *= extent;
  }
  // One value may stand for all; of many, no network here has such a layer.
  if (array.values.size() == 1 && count <= kMostRepeated)
    array.values.resize(static_cast<size_t>(count), array.values.front());
  ADA_CHECK(static_cast<int64_t>(array.values.size()) == count, "{}: expected {} values, found {}", label, count,
            array.values.size());
  return true;
}

void read_node(std::string_view bytes, const std::string& label, FrozenGraph& graph) {
  std::string name, operation;
  std::string_view tensor;
  double epsilon = 0;
  for_fields(bytes, label, [&](const Field& field) {
    if (field.number_of == tf::kNodeName) name = field.bytes;
    if (field.number_of == tf::kOperation) operation = field.bytes;
    if (field.number_of != tf::kAttribute || field.wire != 2) return;
    std::string key;
    std::string_view value;
    for_fields(field.bytes, label, [&](const Field& part) {
      if (part.number_of == tf::kKey) key = part.bytes;
      if (part.number_of == tf::kValue) value = part.bytes;
    });
    for_fields(value, label, [&](const Field& part) {
      if (key == "value" && part.number_of == tf::kTensor) tensor = part.bytes;
      if (key == "epsilon" && part.number_of == tf::kFloatValue) epsilon = float_of(part.number);
    });
  });
  if (operation.starts_with("FusedBatchNorm")) graph.epsilons[name] = epsilon;
  if (operation != "Const") return;
  NamedArray array;
  if (read_tensor(tensor, fmt::format("{}: {}", label, shown(name)), array)) graph.constants[name] = std::move(array);
}

// (k, k, in, out) -> (out, in, k, k)
NamedArray turned(const NamedArray& kernel) {
  const auto& s = kernel.shape;
  NamedArray made{{s[3], s[2], s[0], s[1]}, {}};
  for (int64_t o = 0; o < s[3]; ++o)
    for (int64_t i = 0; i < s[2]; ++i)
      for (int64_t at = 0; at < s[0] * s[1]; ++at)
        made.values.push_back(kernel.values[static_cast<size_t>((at * s[2] + i) * s[3] + o)]);
  return made;
}

}  // namespace

FrozenGraph parse_frozen_graph(std::string_view bytes, const std::string& label) {
  const std::string where = "[pb] " + label;
  FrozenGraph graph;
  for_fields(bytes, where, [&](const Field& field) {
    if (field.number_of == tf::kNode && field.wire == 2) read_node(field.bytes, where, graph);
  });
  return graph;
}

bool begins_as_frozen_graph(std::string_view bytes) {
  try {
    ByteCursor cursor(bytes, "");
    if (varint(cursor) != (tf::kNode << 3 | 2)) return false;
    const uint64_t length = varint(cursor);
    return length <= cursor.left() && varint(cursor) == (tf::kNodeName << 3 | 2);
  } catch (const Error&) {
    return false;
  }
}

Weights geodesc_weights(const FrozenGraph& graph, const std::string& label) {
  const Network& network = find_network("geodesc");
  // The one constant below conv0/, at whatever depth: tf.layers names it with or without a layer of its own.
  const auto find = [&](const std::string& layer, const std::string& last) -> const NamedArray& {
    const NamedArray* found = nullptr;
    for (const auto& [name, array] : graph.constants) {
      if (!name.starts_with(layer + "/") || !name.ends_with("/" + last)) continue;
      ADA_CHECK(found == nullptr, "[import] {}: expected one {} below {}, found several - not GeoDesc?", label, last,
                layer);
      found = &array;
    }
    ADA_CHECK(found != nullptr, "[import] {}: expected GeoDesc's {} below {}, found none", label, last, layer);
    return *found;
  };
  Weights weights;
  weights.metadata["architecture"] = network.name;
  for (const NetLayer& layer : network.towers.front().layers) {
    if (layer.kind == LayerKind::kConvolution) {
      const NamedArray& kernel = find(layer.name, "kernel");
      ADA_CHECK(kernel.shape.size() == 4, "[import] {}: {}: expected a kernel of four dimensions, found {}", label,
                layer.name, kernel.shape.size());
      weights.arrays[layer.name + ".weight"] = turned(kernel);
    } else if (layer.kind == LayerKind::kBatchNorm) {
      const std::string above = layer.name.substr(0, layer.name.find('.'));
      NamedArray variance = find(above, "moving_variance");
      double epsilon = 0;
      for (const auto& [name, value] : graph.epsilons) {
        if (name.starts_with(above + "/")) epsilon = value;
      }
      ADA_CHECK(epsilon >= layer.epsilon * 0.99 && epsilon < 1,
                "[import] {}: {}: expected a batch norm with an epsilon of at least {}, found {}", label, above,
                layer.epsilon, epsilon);
      for (float& v : variance.values) {
        ADA_CHECK(std::isfinite(v) && v >= 0, "[import] {}: {}: a variance of {}", label, above, v);
        v = static_cast<float>(std::max(0.0, v + epsilon - layer.epsilon));
      }
      weights.arrays[layer.name + ".running_var"] = std::move(variance);
      weights.arrays[layer.name + ".running_mean"] = find(above, "moving_mean");
    }
  }
  weights.check_against(network);
  return weights;
}

}  // namespace adasample
