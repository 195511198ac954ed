// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/features/keypoint_list.h"

// Whatever the bytes: an Error, or a list that its own text gives back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace adasample;
  KeypointList list;
  try {
    list = parse_keypoint_list({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kBug) __builtin_trap();
    return 0;
  }
  const KeypointList again = parse_keypoint_list(format_keypoint_list(list), "again.csv");
  if (again.size() != list.size()) __builtin_trap();
  for (const auto& [file, keypoints] : list) {
    if (again.at(file).size() != keypoints.size()) __builtin_trap();
  }
  return 0;
}
