// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused, and what was read is converted or refused.
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/convert/frozen_graph.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    begins_as_frozen_graph(bytes);
    geodesc_weights(parse_frozen_graph(bytes, "fuzz"), "fuzz");
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) std::abort();
  }
  return 0;
}
