// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

OpencvPart& stored_part() {
  static OpencvPart part;
  return part;
}

}  // namespace

const OpencvPart& opencv_part() { return stored_part(); }

void set_opencv_part(const OpencvPart& part) { stored_part() = part; }

}  // namespace adasample
