// SPDX-License-Identifier: Apache-2.0
// Any bytes are read or refused; what was read and can be written survives another round trip.
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/model/weights.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  std::string written;
  try {
    written = format_safetensors(parse_safetensors({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const Error&) {
    return 0;
  }
  if (format_safetensors(parse_safetensors(written, "fuzz")) != written) std::abort();
  return 0;
}
