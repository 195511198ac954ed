// SPDX-License-Identifier: Apache-2.0
// Named float arrays with metadata: what stands between training and everything that uses a trained network.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adasample/model/layer_table.h"
#include "adasample/model/network.h"

namespace adasample {

struct NamedArray {
  std::vector<int64_t> shape;  // row-major; empty for a scalar
  std::vector<float> values;

  bool operator==(const NamedArray&) const = default;
};

struct Weights {
  std::map<std::string, NamedArray> arrays;     // names as Network::arrays() has them
  std::map<std::string, std::string> metadata;  // "architecture" and whatever the writer adds

  bool operator==(const Weights&) const = default;

  // The array called `name`; throws Error naming it when it is missing.
  const NamedArray& at(std::string_view name) const;

  // The same; throws Error unless it has this shape and is finite.
  const NamedArray& at(const std::string& name, const std::vector<int64_t>& shape) const;

  // Throws Error unless the metadata name this network or none, and the arrays are exactly its own, of the right shapes
  // and finite, with running variances that are not negative. Counts of batches, and epsilons, may be missing.
  void check_against(const Network& network) const;
  void check_against(const LayerTable& table) const;

  // The one that the metadata name; l2net where they name none. Throws Error for a name not known here.
  const Network& network() const;
};

// kFloat16: arrays of two dimensions and more, which are nearly all the bytes; statistics and biases stay float32.
enum class FloatType { kFloat32, kFloat16 };

// Safetensors: u64 header length, JSON header, packed little-endian data. F64, F32, F16, BF16 and I64 arrays are read
// as float; any other dtype is refused by name. Written: F32 or F16, num_batches_tracked as I64 scalar; a file is
// complete or absent.
Weights load_safetensors(const std::filesystem::path& path);
void save_safetensors(const Weights& weights, const std::filesystem::path& path, FloatType type = FloatType::kFloat32);
// For fuzzing and memory buffers; `label` names the source in messages.
Weights parse_safetensors(std::string_view bytes, const std::string& label);
std::string format_safetensors(const Weights& weights, FloatType type = FloatType::kFloat32);

}  // namespace adasample
