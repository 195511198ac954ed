// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/image/files/images.h"

// Whatever the bytes: an Error, or a picture that has as many pixels turned upright as it has as stored.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    const GrayImage upright = parse_image({data, size}, "fuzz");
    const GrayImage stored = parse_image({data, size}, "fuzz", PixelOrder::kAsStored);
    if (upright.pixels.empty() || upright.pixels.size() != stored.pixels.size()) __builtin_trap();
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
