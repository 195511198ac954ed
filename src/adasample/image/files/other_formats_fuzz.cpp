// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/image/files/other_formats.h"

// Whatever the bytes: an Error, or one of the formats that may be handed to OpenCV.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  const std::span<const uint8_t> file(data, size);
  try {
    check_other_format(file, "fuzz");
    if (!is_other_format(file)) __builtin_trap();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
