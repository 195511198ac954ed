// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "adasample/data/doctor/doctor.h"

namespace adasample::testing {

// Expects exactly one finding about `path`, and that it says `what` and how to mend it.
inline void expect_finding(const std::vector<Finding>& findings, const std::string& path, const std::string& what,
                           const std::string& mend = "") {
  int about = 0;
  for (const Finding& finding : findings) {
    if (finding.path != path) continue;
    ++about;
    EXPECT_NE(finding.what.find(what), std::string::npos) << path << ": " << finding.what;
    EXPECT_NE(finding.mend.find(mend), std::string::npos) << path << ": " << finding.mend;
    EXPECT_FALSE(finding.mend.empty()) << path;
  }
  EXPECT_EQ(about, 1) << path;
}

}  // namespace adasample::testing
