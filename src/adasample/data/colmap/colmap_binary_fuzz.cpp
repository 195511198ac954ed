// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return adasample::fuzz_colmap(data, size, adasample::parse_colmap_binary);
}
