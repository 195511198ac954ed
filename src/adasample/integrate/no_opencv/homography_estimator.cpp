// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/homography_estimator.h"

namespace adasample {

HomographyEstimator make_homography_estimator() { return nullptr; }

}  // namespace adasample
