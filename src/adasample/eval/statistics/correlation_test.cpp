// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace adasample {
namespace {

// numpy.corrcoef([1, 2, 4, 8], [3, 1, 4, 9])[0, 1]
TEST(Pearson, AgreesWithNumpy) {
  const std::vector<double> a = {1, 2, 4, 8}, b = {3, 1, 4, 9};
  EXPECT_NEAR(pearson(a, b), 0.9254000986, 1e-10);
  const std::vector<double> scaled = {30, 10, 40, 90}, falling = {-3, -1, -4, -9}, flat = {5, 5, 5, 5};
  EXPECT_NEAR(pearson(a, scaled), pearson(a, b), 1e-15);
  EXPECT_NEAR(pearson(a, falling), -pearson(a, b), 1e-15);
  EXPECT_EQ(pearson(a, a), 1);
  EXPECT_TRUE(std::isnan(pearson(a, flat)));
}

}  // namespace
}  // namespace adasample
