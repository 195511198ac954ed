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

namespace adasample {

struct NamedArray {
  std::vector<int64_t> shape;  // row-major; empty for a scalar
  std::vector<float> values;

  bool operator==(const NamedArray&) const = default;
};

struct Weights {
  std::map<std::string, NamedArray> arrays;     // HardNet's key names, see LayerTable
  std::map<std::string, std::string> metadata;  // "architecture" and whatever the writer adds

  bool operator==(const Weights&) const = default;

  // The array called `name`; throws Error naming it when it is missing.
  const NamedArray& at(std::string_view name) const;

  // Throws Error unless the arrays are exactly those of `table`, of the right shapes and finite, with running variances
  // that are not negative. num_batches_tracked may be missing.
  void check_against(const LayerTable& table) const;
};

// Safetensors: u64 header length, JSON header, packed little-endian data. F32, F16, BF16 and I64 arrays are read as
// float; any other dtype is refused by name. Written: F32, num_batches_tracked as I64 scalar; a file is complete or
// absent.
Weights load_safetensors(const std::filesystem::path& path);
void save_safetensors(const Weights& weights, const std::filesystem::path& path);
// For fuzzing and memory buffers; `label` names the source in messages.
Weights parse_safetensors(std::string_view bytes, const std::string& label);
std::string format_safetensors(const Weights& weights);

}  // namespace adasample
