// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/eval/pose/pose_pairs.h"
#include "adasample/eval/pose/true_cameras.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const bool list : {false, true}) {
    try {
      if (list) {
        adasample::parse_pose_pairs(text, "fuzz");
      } else {
        adasample::parse_strecha_camera(text, "fuzz");
      }
    } catch (const adasample::Error& error) {
      if (error.kind() == adasample::Error::Kind::kBug) throw;
    }
  }
  return 0;
}
