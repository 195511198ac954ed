// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/image/files/pgm.h"

// Whatever the bytes: an Error, or an image of in-range pixels that no file of this size was too short for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    const GrayImage image = parse_pgm({data, size}, "fuzz.pgm");
    if (image.pixels.empty() || image.pixels.size() > size) __builtin_trap();
    for (const float pixel : image.pixels) {
      if (!(pixel >= 0.0f && pixel <= 255.0f)) __builtin_trap();
    }
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
