// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/methods.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(Methods, AreNamedOnceAndSayWhatTheyAre) {
  std::set<std::string> names;
  for (const Method& method : methods()) {
    EXPECT_TRUE(names.insert(method.name).second) << method.name;
    EXPECT_FALSE(method.equation.empty() || method.source.empty()) << method.name;
    EXPECT_EQ(&find_method(method.name), &method);
  }
  testing::expect_error([] { find_method("geodesc"); },
                        "preset = 'geodesc', must be one of robust, paper, oracle, hardnet");
}

TEST(Methods, CostIsArithmeticBesideHardNets) {
  EXPECT_EQ(find_method("hardnet").cost(), 1);
  EXPECT_EQ(find_method("robust").cost(), 21.0 / 6) << "six passes, and fifteen candidates";
  EXPECT_EQ(find_method("doap").cost(), 2) << "four patches a class";
  EXPECT_EQ(find_method("cs-l2net").cost(), 2) << "two towers";
  EXPECT_LT(find_method("tfeat").cost(), 0.5);
}

}  // namespace
}  // namespace adasample
