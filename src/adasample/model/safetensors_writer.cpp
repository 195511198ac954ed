// SPDX-License-Identifier: Apache-2.0
// Arrays in the order of their names, F32; batch-norm counters as the I64 scalars that PyTorch expects.
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/base/file_io.h"
#include "adasample/model/weights.h"

static_assert(std::endian::native == std::endian::little, "safetensors data is copied as it stands");

namespace adasample {
namespace {

using nlohmann::json;

constexpr double kMaxCounter = 0x1p53;

template <typename Value>
void append(std::string& bytes, Value value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

bool is_counter(const std::string& name) { return name.ends_with("num_batches_tracked"); }

void append_counter(std::string& data, const std::string& name, const NamedArray& array) {
  const double value = array.values.size() == 1 ? array.values[0] : NAN;
  ADA_CHECK(array.shape.empty() && std::trunc(value) == value && std::abs(value) <= kMaxCounter,
            "[safetensors] {}: expected one whole number without shape", name);
  append(data, static_cast<int64_t>(value));
}

void append_floats(std::string& data, const std::string& name, const NamedArray& array) {
  uint64_t count = 1;
  for (const int64_t extent : array.shape) {
    ADA_CHECK(extent >= 0 && !__builtin_mul_overflow(count, static_cast<uint64_t>(extent), &count),
              "[safetensors] {}: the shape is negative or overflows 64 bits", name);
  }
  ADA_CHECK(count == array.values.size(), "[safetensors] {}: expected {} values for the shape, found {}", name, count,
            array.values.size());
  data.append(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(float));
}

}  // namespace

std::string format_safetensors(const Weights& weights) {
  json header = json::object();
  if (!weights.metadata.empty()) header["__metadata__"] = weights.metadata;
  std::string data;
  for (const auto& [name, array] : weights.arrays) {
    ADA_CHECK(name != "__metadata__", "[safetensors] no array can be called {}", name);
    const size_t begin = data.size();
    is_counter(name) ? append_counter(data, name, array) : append_floats(data, name, array);
    header[name] = {
        {"dtype", is_counter(name) ? "I64" : "F32"}, {"shape", array.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const json::exception&) {
    ADA_THROW("[safetensors] a name or a metadata value is not UTF-8");
  }
  text.append((8 - text.size() % 8) % 8, ' ');  // the data starts at a multiple of 8

  std::string bytes;
  bytes.reserve(sizeof(uint64_t) + text.size() + data.size());
  append(bytes, uint64_t{text.size()});
  return bytes.append(text).append(data);
}

void save_safetensors(const Weights& weights, const std::filesystem::path& path) {
  write_file_atomically(path, format_safetensors(weights));
}

}  // namespace adasample
