// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/finite.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace adasample {
namespace {

TEST(Finite, TheFirstStrangeNumberIsFoundWhereverItStands) {
  EXPECT_TRUE(all_finite({}));
  std::vector<float> values(3000, std::numeric_limits<float>::max());
  values[7] = std::numeric_limits<float>::denorm_min();
  values[8] = std::numeric_limits<float>::lowest();
  EXPECT_EQ(first_not_finite(values), values.size());
  for (const float strange : {INFINITY, -INFINITY, NAN, -std::numeric_limits<float>::signaling_NaN()}) {
    for (const size_t at : {size_t{0}, size_t{1023}, size_t{1024}, size_t{2999}}) {
      std::vector<float> some = values;
      some[at] = some.back() = strange;
      EXPECT_EQ(first_not_finite(some), at);
      EXPECT_FALSE(all_finite(some));
    }
  }
}

}  // namespace
}  // namespace adasample
