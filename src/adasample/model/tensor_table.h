// SPDX-License-Identifier: Apache-2.0
// The safetensors format itself: u64 header length, JSON header, packed little-endian data. Names, types and shapes
// are checked here; the bytes are handed on as they stand.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace adasample {

// One array: `bytes` and `dtype` belong to somebody else, who must keep them.
struct TensorView {
  std::string_view dtype;  // "F32", "F64", "I64", ..
  std::vector<int64_t> shape;
  std::string_view bytes;
};

struct TensorTable {
  std::map<std::string, TensorView> tensors;
  std::map<std::string, std::string> metadata;
};

// Views into `bytes`. Throws Error for anything that is not exactly a safetensors file; `label` names the source.
TensorTable parse_tensor_table(std::string_view bytes, const std::string& label);
// Arrays in the order of their names.
std::string format_tensor_table(const TensorTable& table);

}  // namespace adasample
