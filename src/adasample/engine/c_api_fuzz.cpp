// SPDX-License-Identifier: Apache-2.0
// The C API as a careless program calls it. Input: eight bytes of options, then weights. No exception, no crash, a
// status and a line; what is described has numbers.
#include "adasample/engine/c_api.h"

#include <cmath>
#include <cstring>
#include <string>

#include "tests/support/fuzz_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kHead = 8;
  if (size < kHead) return 0;
  static const adasample::testing::FuzzFolder folder("c_api_fuzz");
  const std::string file = folder.put("w.safetensors", data + kHead, size - kHead);
  static const char* const kEngines[] = {nullptr, "reference", "no such engine", ""};
  adasample_options options = ADASAMPLE_OPTIONS_INIT;
  options.engine = kEngines[data[0] % 4];
  options.threads = static_cast<int8_t>(data[1]) % 3;
  if (data[2] == 1) options.size = data[3];
  const bool larger = options.size > sizeof options;  // would lie about what follows
  adasample_engine* engine = nullptr;
  const adasample_status status =
      adasample_create_with(data[4] == 1 ? nullptr : file.c_str(), larger ? nullptr : &options, &engine);
  if ((status == ADASAMPLE_OK) != (engine != nullptr)) __builtin_trap();
  if (status != ADASAMPLE_OK) {
    const char* error = adasample_last_error();
    if (std::strlen(error) == 0 || std::strchr(error, '\n') != nullptr) __builtin_trap();
    return 0;
  }
  uint8_t patch[32 * 32];
  for (size_t i = 0; i < sizeof patch; ++i) patch[i] = data[i % size];
  float row[128] = {};
  if (adasample_describe(engine, patch, 1, row) == ADASAMPLE_OK) {
    for (const float x : row) {
      if (!std::isfinite(x)) __builtin_trap();
    }
  }
  adasample_destroy(engine);
  return 0;
}
