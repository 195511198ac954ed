// SPDX-License-Identifier: Apache-2.0
// Weights from and to safetensors: arrays become float; batch-norm counters are written as the I64 scalars that PyTorch
// expects.
#include <cmath>
#include <deque>
#include <nlohmann/json.hpp>

#include "adasample/base/bytes/half_float.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/mapped_file.h"
#include "adasample/model/float_reader.h"
#include "adasample/model/tensor_table.h"
#include "adasample/model/weights.h"

namespace adasample {
namespace {

constexpr double kMaxCounter = 0x1p53;

NamedArray to_floats(const std::string& name, const TensorView& tensor, const std::string& label) {
  const FloatReader* reader = float_reader(tensor.dtype);
  ADA_CHECK(reader != nullptr, "[safetensors] {}: array {}: expected dtype F64, F32, F16, BF16 or I64, found {}", label,
            nlohmann::json(name).dump(), nlohmann::json(tensor.dtype).dump());
  NamedArray array{tensor.shape, {}};
  array.values.reserve(tensor.bytes.size() / reader->width);
  for (uint64_t at = 0; at < tensor.bytes.size(); at += reader->width) {
    array.values.push_back(reader->read(tensor.bytes.data() + at));
  }
  return array;
}

std::vector<uint16_t> to_halves(const std::string& name, const NamedArray& array) {
  std::vector<uint16_t> halves;
  halves.reserve(array.values.size());
  for (const float value : array.values) {
    ADA_CHECK(std::abs(value) <= kLargestHalf, "[safetensors] {}: {} does not fit into float16", name, value);
    halves.push_back(half_from_float(value));
  }
  return halves;
}

bool is_counter(const std::string& name) { return name.ends_with("num_batches_tracked"); }

int64_t counter_value(const std::string& name, const NamedArray& array) {
  const double value = array.values.size() == 1 ? array.values[0] : NAN;
  ADA_CHECK(array.shape.empty() && std::trunc(value) == value && std::abs(value) <= kMaxCounter,
            "[safetensors] {}: expected one whole number without shape", name);
  return static_cast<int64_t>(value);
}

void check_shape(const std::string& name, const NamedArray& array) {
  uint64_t count = 1;
  for (const int64_t extent : array.shape) {
    ADA_CHECK(extent >= 0 && !__builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count),
              "[safetensors] {}: the shape is negative or overflows 64 bits", name);
  }
  ADA_CHECK(count == array.values.size(), "[safetensors] {}: expected {} values for the shape, found {}", name, count,
            array.values.size());
}

template <typename Value>
std::string_view bytes_of(const Value* values, size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof(Value)};
}

}  // namespace

Weights parse_safetensors(std::string_view bytes, const std::string& label) {
  TensorTable table = parse_tensor_table(bytes, label);
  Weights weights;
  weights.metadata = std::move(table.metadata);
  for (const auto& [name, tensor] : table.tensors) weights.arrays[name] = to_floats(name, tensor, label);
  return weights;
}

Weights load_safetensors(const std::filesystem::path& path) {
  const MappedFile file(path, OnLoss::kTolerate);  // a library must not end the program it is part of
  const std::span<const uint8_t> bytes = file.bytes();
  Weights weights = parse_safetensors({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, path.string());
  file.check_intact("safetensors");
  return weights;
}

std::string format_safetensors(const Weights& weights, FloatType type) {
  TensorTable table;
  table.metadata = weights.metadata;
  std::deque<int64_t> counters;  // keeps its elements where they are
  std::deque<std::vector<uint16_t>> halves;
  for (const auto& [name, array] : weights.arrays) {
    if (is_counter(name)) {
      const int64_t& counter = counters.emplace_back(counter_value(name, array));
      table.tensors[name] = {"I64", {}, bytes_of(&counter, 1)};
      continue;
    }
    check_shape(name, array);
    if (type == FloatType::kFloat16 && array.shape.size() > 1) {
      const std::vector<uint16_t>& half = halves.emplace_back(to_halves(name, array));
      table.tensors[name] = {"F16", array.shape, bytes_of(half.data(), half.size())};
    } else {
      table.tensors[name] = {"F32", array.shape, bytes_of(array.values.data(), array.values.size())};
    }
  }
  return format_tensor_table(table);
}

void save_safetensors(const Weights& weights, const std::filesystem::path& path, FloatType type) {
  write_file_atomically(path, format_safetensors(weights, type));
}

}  // namespace adasample
