// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/number_type.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "adasample/base/bytes/half_float.h"
#include "adasample/base/error.h"

namespace adasample {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

struct Type {
  NumberType type;
  const char* name;
  size_t size;
};
constexpr Type kNumberTypes[] = {
    {NumberType::kFloat32, "float32", 4}, {NumberType::kFloat16, "float16", 2}, {NumberType::kUint8, "uint8", 1}};

uint8_t byte_of(float x) {
  return static_cast<uint8_t>(std::clamp(std::nearbyint(kByteScale * x) + kByteZero, 0.0, 255.0));
}

template <typename Item, typename Convert>
std::vector<uint8_t> packed(std::span<const float> values, const Convert& convert) {
  std::vector<uint8_t> bytes(values.size() * sizeof(Item));
  for (size_t i = 0; i < values.size(); ++i) {
    const Item item = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(Item), &item, sizeof(Item));
  }
  return bytes;
}

template <typename Item, typename Convert>
std::vector<float> unpacked(std::span<const uint8_t> bytes, const Convert& convert) {
  ADA_ASSERT(bytes.size() % sizeof(Item) == 0);
  std::vector<float> values(bytes.size() / sizeof(Item));
  for (size_t i = 0; i < values.size(); ++i) {
    Item item;
    std::memcpy(&item, bytes.data() + i * sizeof(Item), sizeof(Item));
    values[i] = convert(item);
  }
  return values;
}

}  // namespace

std::vector<std::string> number_type_names() {
  std::vector<std::string> names;
  for (const Type& type : kNumberTypes) names.emplace_back(type.name);
  return names;
}

NumberType number_type_from_name(std::string_view name) {
  for (const Type& type : kNumberTypes) {
    if (name == type.name) return type.type;
  }
  ADA_THROW_KIND(kUsage, "type = \"{}\", must be one of {}", name, fmt::join(number_type_names(), ", "));
}

size_t item_size(NumberType type) {
  return std::find_if(std::begin(kNumberTypes), std::end(kNumberTypes), [&](const Type& t) { return t.type == type; })
      ->size;
}

std::vector<uint8_t> encode_numbers(NumberType type, std::span<const float> values) {
  if (type == NumberType::kFloat32) return packed<float>(values, [](float x) { return x; });
  if (type == NumberType::kFloat16) return packed<uint16_t>(values, half_from_float);
  return packed<uint8_t>(values, byte_of);
}

std::vector<float> decode_numbers(NumberType type, std::span<const uint8_t> bytes) {
  if (type == NumberType::kFloat32) return unpacked<float>(bytes, [](float x) { return x; });
  if (type == NumberType::kFloat16) return unpacked<uint16_t>(bytes, float_from_half);
  return unpacked<uint8_t>(bytes, [](uint8_t v) { return static_cast<float>((v - kByteZero) / kByteScale); });
}

}  // namespace adasample
