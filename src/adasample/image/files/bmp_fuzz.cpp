// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "adasample/base/error.h"
#include "adasample/image/files/bmp.h"

// Whatever the bytes: an Error, or a bitmap all of whose pixels can be read and that no file of this size is too short
// for.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  try {
    const BmpView bitmap({data, size}, "fuzz.bmp");
    if (static_cast<size_t>(bitmap.width()) * static_cast<size_t>(bitmap.height()) > size) __builtin_trap();
    std::vector<uint8_t> row(static_cast<size_t>(bitmap.width()));
    for (int y = 0; y < bitmap.height(); ++y) bitmap.read_row(0, y, row);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
  }
  return 0;
}
