// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/opencv_part.h"

#include "adasample/image/files/images.h"

namespace adasample {
namespace {

OpencvPart& stored_part() {
  static OpencvPart part;
  return part;
}

}  // namespace

const OpencvPart& opencv_part() { return stored_part(); }

void prepare_opencv() {
  if (opencv_part().prepare != nullptr) opencv_part().prepare();
}

void prepare_opencv_for(const std::filesystem::path& folder, const std::vector<std::string>& pictures) {
  if (opencv_part().prepare == nullptr) return;
  for (const std::string& picture : pictures) {
    if (!is_own_format(folder / picture)) return prepare_opencv();
  }
}

void set_opencv_part(const OpencvPart& part) { stored_part() = part; }

}  // namespace adasample
