// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/log.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

TEST(WarningCollector, TakesTheWarningsOfItsThreadWhileItLives) {
  WarningCollector outer;
  log_warning("{} is odd", 1);
  {
    WarningCollector inner;
    log_warning("{} is odd", 3);
    EXPECT_EQ(inner.warnings, std::vector<std::string>{"3 is odd"});
  }
  log_first_warnings(std::vector<std::string>(23, "again"), "oddities");
  EXPECT_EQ(outer.warnings.size(), 22u);
  EXPECT_EQ(outer.warnings.front(), "1 is odd");
  EXPECT_EQ(outer.warnings.back(), "left out 3 more oddities");
}

}  // namespace
}  // namespace adasample
