// SPDX-License-Identifier: Apache-2.0
// Any text is a calibration or refused; what was read survives another round trip.
#include "adasample/model/calibration.h"

#include <cstdlib>

#include "adasample/base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const size_t count : {size_t{1}, size_t{5}}) {
    Calibration calibration;
    try {
      calibration = parse_calibration(text, count, "fuzz");
    } catch (const Error&) {
      continue;
    }
    if (parse_calibration(format_calibration(calibration), count, "fuzz") != calibration) std::abort();
  }
  return 0;
}
