// SPDX-License-Identifier: Apache-2.0
// The detectors behind make_detector, one file each.
#pragma once

#include <memory>

#include "adasample/features/detect/detector.h"

namespace adasample {

std::unique_ptr<Detector> make_dog_detector();
std::unique_ptr<Detector> make_hessian_detector();
std::unique_ptr<Detector> make_harris_detector();

}  // namespace adasample
