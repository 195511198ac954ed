// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/arithmetic_peak.h"

#include <gtest/gtest.h>

#include "adasample/base/parallel.h"

namespace adasample {
namespace {

// A core with 128-bit vectors at 1 GHz does 4 GFLOP/s even unfused, a sanitizer leaves a tenth; one at 6 GHz with two
// 512-bit units does 384. Outside, the loop was optimised away or counted wrongly.
TEST(ArithmeticPeak, IsWhatACoreCanDo) {
  const double peak = measure_fp32_peak(0.01) / thread_count();
  EXPECT_GT(peak, 0.4e9);
  EXPECT_LT(peak, 400e9);
}

}  // namespace
}  // namespace adasample
