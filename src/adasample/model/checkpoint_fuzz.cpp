// SPDX-License-Identifier: Apache-2.0
// Any state.json is read or refused; what was read survives another round trip.
#include <cstdlib>

#include "adasample/base/error.h"
#include "adasample/model/checkpoint.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  const auto dump = [](const CheckpointState& state) {
    return state.json().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  std::string written;
  try {
    written = dump(CheckpointState::parse({reinterpret_cast<const char*>(data), size}, "fuzz"));
  } catch (const Error&) {
    return 0;
  }
  if (dump(CheckpointState::parse(written, "fuzz")) != written) std::abort();
  return 0;
}
