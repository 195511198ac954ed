// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/unit_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(UnitRows, AreOfNormOneToAPercentOrZero) {
  EXPECT_NO_THROW(require_unit_rows({}, 2, "tfeat", "COLMAP"));
  EXPECT_NO_THROW(require_unit_rows(std::vector<float>{0.6f, -0.8f, 0, 0, 1.009f, 0, 0.991f, 0}, 2, "tfeat", "COLMAP"));
  for (const float norm : {1.011f, 0.989f, 0.001f, 3.0f}) {
    testing::expect_error(
        [&] {
          require_unit_rows(std::vector<float>{1, 0, 0, norm}, 2, "tfeat", "COLMAP");
        },
        "COLMAP takes descriptors of norm 1, tfeat has one of norm");
  }
  testing::expect_error([] { require_unit_rows(std::vector<float>{NAN, 0}, 2, "tfeat", "COLMAP"); }, "norm nan");
}

}  // namespace
}  // namespace adasample
