// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused; what was read is rows of one width, all finite. The first byte is the delimiter.
#include <cmath>
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/eval/hpatches/descriptor_set.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  if (size == 0) return 0;
  try {
    const DescriptorRows rows =
        parse_descriptor_csv({reinterpret_cast<const char*>(data) + 1, size - 1}, "fuzz", static_cast<char>(data[0]));
    if (rows.rows < 1 || rows.dimension < 2) std::abort();
    if (rows.values.size() != static_cast<size_t>(rows.rows) * static_cast<size_t>(rows.dimension)) std::abort();
    for (const float value : rows.values) {
      if (!std::isfinite(value)) std::abort();
    }
  } catch (const Error&) {
  }
  return 0;
}
