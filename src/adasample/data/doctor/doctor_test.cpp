// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

Finding complaint(const std::string& message) {
  std::vector<Finding> problems;
  const auto result = attempt(problems, "sets/a", "mend it", [&]() -> int { ADA_THROW("{}", message); });
  EXPECT_FALSE(result);
  EXPECT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems.at(0).mend, "mend it");
  return problems.at(0);
}

TEST(Finding, AComplaintIsTakenApart) {
  const Finding line = complaint("[colmap] sets/a/images.txt:7: expected a name, found: none");
  EXPECT_EQ(line.path, "sets/a/images.txt:7");
  EXPECT_EQ(line.what, "expected a name, found: none");
  const Finding folder = complaint("[colmap] sets/a: expected a model");
  EXPECT_EQ(folder.path, "sets/a");
  EXPECT_EQ(folder.what, "expected a model");
  const Finding other = complaint("[npy] somewhere else: is short");
  EXPECT_EQ(other.path, "sets/a");
  EXPECT_EQ(other.what, "[npy] somewhere else: is short");
}

TEST(Finding, AResultIsPassedOn) {
  std::vector<Finding> problems;
  EXPECT_EQ(attempt(problems, "a", "", [] { return 5; }), 5);
  EXPECT_TRUE(problems.empty());
}

TEST(Finding, OnlyComplaintsAboutTheDataAreFindings) {
  std::vector<Finding> problems;
  EXPECT_THROW(attempt(problems, "a", "", []() -> int { ADA_THROW_KIND(kInterrupted, "a: stop"); }), Error);
  EXPECT_THROW(attempt(problems, "a", "", []() -> int { ADA_THROW_KIND(kUsage, "a: no"); }), Error);
  EXPECT_THROW(attempt(problems, "a", "", []() -> int { ADA_THROW_KIND(kBug, "a: bug"); }), Error);
  EXPECT_TRUE(problems.empty());
}

}  // namespace
}  // namespace adasample
