// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/match_drawing.h"

#include "adasample/base/error.h"

namespace adasample {

std::string draw_matches(const GrayImage& /*first*/, const GrayImage& /*second*/,
                         const std::vector<MatchBand>& /*bands*/, const DrawingOptions& /*options*/) {
  ADA_THROW("[match] this program was built without OpenCV, which draws - leave --out away");
}

}  // namespace adasample
