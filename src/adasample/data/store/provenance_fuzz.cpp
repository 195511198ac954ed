// SPDX-License-Identifier: Apache-2.0
// What is asked of two stores' meta.json after they were read. Input: the two, between them a zero byte.
#include "adasample/base/error.h"
#include "adasample/base/json.h"
#include "adasample/data/store/provenance.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t middle = std::min(text.find('\0'), text.size());
  const auto a = try_parse_json(text.substr(0, middle));
  const auto b = middle < size ? try_parse_json(text.substr(middle + 1)) : a;
  if (!a || !b || !a->is_object() || !b->is_object()) return 0;  // as a store demands
  try {
    if (share_scenes(*a, *b) != share_scenes(*b, *a)) __builtin_trap();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
