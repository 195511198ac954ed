// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/demo.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

DemoRow row(const std::string& name, const std::vector<double>& fpr95) {
  DemoRow made{.name = name, .scores = {}};
  for (const double value : fpr95) {
    made.scores.emplace_back();
    made.scores.back().fpr95.value = value;
  }
  return made;
}

TEST(Demo, TheVerdictCountsSeedsAndATieIsNotAhead) {
  const DemoResult result{.rows = {row(kUniformPairsRow, {0.20, 0.30, 0.25}),
                                   row(kUniformSecondsRow, {0.10, 0.30, 0.20}),
                                   row(kAdaSampleRow, {0.15, 0.25, 0.20})}};
  EXPECT_EQ(result.verdict(),
            "\nAdaSample against uniform positives, equal pairs: the lower FPR95 in 3 of 3 seeds"
            "\nAdaSample against uniform positives, equal seconds: the lower FPR95 in 1 of 3 seeds");
}

TEST(Demo, AnInterruptedOneComparesTheSeedsThatBothHave) {
  DemoResult result{.rows = {row(kUniformPairsRow, {0.20}), row(kAdaSampleRow, {0.15, 0.25})}};
  EXPECT_EQ(result.verdict(), "\nAdaSample against uniform positives, equal pairs: the lower FPR95 in 1 of 1 seed");
  result.rows.pop_back();
  EXPECT_EQ(result.verdict(), "");
}

}  // namespace
}  // namespace adasample
