// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/weights.h"

#include <fmt/ranges.h>

#include <cmath>
#include <set>

#include "adasample/base/bytes/finite.h"
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
  const size_t bad = first_not_finite(array.values);
  ADA_CHECK(bad == array.values.size(), "[weights] {}: value {} is {} - did the training diverge?", name, bad,
            array.values[bad]);
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

void Weights::check_against(const Network& network) const {
  const auto named = metadata.find("architecture");
  ADA_CHECK(named == metadata.end() || named->second == network.name,
            "[weights] this needs a network {}, these weights are of {}", network.name, shown(named->second));
  std::set<std::string> expected;
  for (const NetArray& array : network.arrays()) {
    expected.insert(array.name);
    if (array.may_be_missing() && !arrays.contains(array.name)) continue;
    const NamedArray& found = at(array.name, array.shape);
    if (array.role == NetArray::Role::kVariance) check_not_negative(array.name, found);
  }
  for (const auto& [name, array] : arrays) {
    ADA_CHECK(expected.contains(name), "[weights] the array {} is not part of {} - weights of another network?", name,
              network.name);
  }
}

void Weights::check_against(const LayerTable& table) const { check_against(find_network(std::string(table.name))); }

const Network& Weights::network() const {
  const auto named = metadata.find("architecture");
  if (named == metadata.end()) return find_network("l2net");
  ADA_CHECK(is_network(named->second), "[weights] of a network {}, known here are {}", shown(named->second),
            fmt::join(network_names(), ", "));
  return find_network(named->second);
}

}  // namespace adasample
