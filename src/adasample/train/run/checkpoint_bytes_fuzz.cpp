// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/checkpoint_bytes.h"

#include "adasample/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    adasample::unpack_checkpoint(std::string(reinterpret_cast<const char*>(data), size));
  } catch (const adasample::Error&) {
  }
  return 0;
}
