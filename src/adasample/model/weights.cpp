// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/weights.h"

#include <fmt/ranges.h>

#include <cmath>

#include "adasample/base/error.h"
#include "adasample/base/text.h"

namespace adasample {
namespace {

using Shape = std::vector<int64_t>;

void check_array(const std::string& name, const NamedArray& array, const Shape& shape) {
  ADA_CHECK(array.shape == shape, "[weights] {}: expected shape [{}], found [{}]", name, fmt::join(shape, ", "),
            fmt::join(array.shape, ", "));
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  ADA_CHECK(static_cast<int64_t>(array.values.size()) == count, "[weights] {}: expected {} values, found {}", name,
            count, array.values.size());
  for (size_t i = 0; i < array.values.size(); ++i) {
    ADA_CHECK(std::isfinite(array.values[i]), "[weights] {}: value {} is {} - did the training diverge?", name, i,
              array.values[i]);
  }
}

void check_not_negative(const std::string& name, const NamedArray& array) {
  for (size_t i = 0; i < array.values.size(); ++i) {
    ADA_CHECK(array.values[i] >= 0, "[weights] {}: value {} is {}, a variance cannot be negative", name, i,
              array.values[i]);
  }
}

}  // namespace

const NamedArray& Weights::at(std::string_view name) const {
  const auto found = arrays.find(std::string(name));
  ADA_CHECK(found != arrays.end(), "[weights] the array {} is missing", name);
  return found->second;
}

const NamedArray& Weights::at(const std::string& name, const std::vector<int64_t>& shape) const {
  const NamedArray& array = at(name);
  check_array(name, array, shape);
  return array;
}

void Weights::check_architecture(std::string_view name) const {
  const auto found = metadata.find("architecture");
  ADA_CHECK(found == metadata.end() || found->second == name,
            "[weights] this needs a network {}, these weights are of {}", name, shown(found->second));
}

void Weights::refuse_others(const std::set<std::string>& expected, std::string_view architecture) const {
  for (const auto& [name, array] : arrays) {
    ADA_CHECK(expected.contains(name), "[weights] the array {} is not part of {} - weights of another network?", name,
              architecture);
  }
}

void Weights::check_against(const LayerTable& table) const {
  check_architecture(table.name);
  std::set<std::string> expected;
  for (const ConvLayer& layer : table.layers) {
    const std::string weight = table.conv_weight(layer), mean = table.running_mean(layer);
    const std::string var = table.running_var(layer), tracked = table.batches_tracked(layer);
    at(weight, {layer.out_channels, layer.in_channels, layer.kernel, layer.kernel});
    at(mean, {layer.out_channels});
    check_not_negative(var, at(var, {layer.out_channels}));
    if (arrays.contains(tracked)) at(tracked, {});
    expected.insert({weight, mean, var, tracked});
  }
  refuse_others(expected, table.name);
}

}  // namespace adasample
