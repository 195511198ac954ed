// SPDX-License-Identifier: Apache-2.0
// The number types in which arrays of foreign files come; every one is read as float.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "adasample/base/bytes/half_float.h"

namespace adasample {

struct FloatReader {
  std::string_view dtype;  // safetensors' name
  uint64_t width;          // bytes of one value
  float (*read)(const char*);
};

template <typename Stored>
Stored load_bytes(const char* bytes) {
  Stored value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline constexpr FloatReader kFloatReaders[] = {
    {"F32", 4, [](const char* p) { return load_bytes<float>(p); }},
    {"F64", 8, [](const char* p) { return static_cast<float>(load_bytes<double>(p)); }},
    {"F16", 2, [](const char* p) { return float_from_half(load_bytes<uint16_t>(p)); }},
    {"BF16", 2, [](const char* p) { return float_from_bfloat16(load_bytes<uint16_t>(p)); }},
    {"I64", 8, [](const char* p) { return static_cast<float>(load_bytes<int64_t>(p)); }},
};

// nullptr for a type that is none of them.
inline const FloatReader* float_reader(std::string_view dtype) {
  for (const FloatReader& reader : kFloatReaders) {
    if (reader.dtype == dtype) return &reader;
  }
  return nullptr;
}

}  // namespace adasample
