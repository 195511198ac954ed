// SPDX-License-Identifier: Apache-2.0
// The three tasks on a set of six small sequences, against the figures of the benchmark's own code.
#include <gtest/gtest.h>

#include "adasample/base/parallel.h"
#include "adasample/data/hpatches/hpatches_splits.h"
#include "adasample/eval/hpatches/hpatches_matching.h"
#include "adasample/eval/hpatches/hpatches_retrieval.h"
#include "adasample/eval/hpatches/hpatches_verification.h"
#include "adasample/eval/hpatches/lists/hpatches_tasks.h"
#include "tests/support/golden.h"

namespace adasample {
namespace {

using testing::golden;

constexpr double kTolerance = 1e-9;  // what the goldens promise; both sides sum up to 1e5 doubles in different orders
constexpr const char* kLetters[] = {"e", "h", "t"};
const std::string kFolder = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches/";

struct Case {
  const char *descriptors, *split;
};

class HpatchesGolden : public ::testing::TestWithParam<Case> {
 protected:
  HpatchesGolden()
      : split_(read_splits(kFolder + "splits.json").at(GetParam().split)),
        set_(read_descriptor_set(kFolder + "descr/" + GetParam().descriptors, split_.test)),
        tasks_(prepare_tasks(set_.shapes(), GetParam().split, kFolder + "tasks")),
        expected_(golden(std::string("hpatches/expected_tasks/") + GetParam().descriptors + "_" + GetParam().split +
                         "_L2.json")) {}

  HpatchesSplit split_;
  DescriptorSet set_;
  HpatchesTasks tasks_;
  nlohmann::json expected_;
};

TEST_P(HpatchesGolden, Verification) {
  const VerificationResult found = evaluate_verification(set_, tasks_.verification, Norm::kL2);
  for (size_t level = 0; level < 3; ++level) {
    for (size_t kind = 0; kind < 2; ++kind) {
      SCOPED_TRACE(std::string(kLetters[level]) + " " + kVerificationKinds[kind]);
      const nlohmann::json& expected = expected_["verification"][kLetters[level]][kVerificationKinds[kind]];
      EXPECT_NEAR(found.scores[level][kind].extra, expected["balanced_auc"].get<double>(), kTolerance);
      EXPECT_NEAR(found.scores[level][kind].trapezoid, expected["imbalanced_ap"].get<double>(), kTolerance);
      EXPECT_GE(found.scores[level][kind].step, found.scores[level][kind].trapezoid);
    }
  }
  EXPECT_NEAR(mean_of(found.scores).trapezoid,
              expected_["summary"]["verification_mean_of_6_imbalanced_ap"].get<double>(), kTolerance);
}

TEST_P(HpatchesGolden, Matching) {
  const MatchingResult found = evaluate_matching(set_, Norm::kL2);
  for (size_t s = 0; s < split_.test.size(); ++s) {
    for (size_t level = 0; level < 3; ++level) {
      for (size_t image = 0; image < 5; ++image) {
        const nlohmann::json& expected =
            expected_["matching"][split_.test[s]][kLetters[level]][std::to_string(image + 1)];
        const TaskScore& score = found.images[s][level].at(image);
        EXPECT_NEAR(score.trapezoid, expected["ap"].get<double>(), kTolerance);
        EXPECT_NEAR(score.extra, expected["sr"].get<double>(), kTolerance);
        EXPECT_GE(score.step + 1e-15, score.trapezoid);
      }
    }
  }
  for (size_t level = 0; level < 3; ++level) {
    EXPECT_NEAR(found.levels[level].trapezoid, expected_["summary"]["matching_map"][kLetters[level]].get<double>(),
                kTolerance);
  }
  EXPECT_NEAR(found.mean.trapezoid, expected_["summary"]["matching_mean"].get<double>(), kTolerance);
}

TEST_P(HpatchesGolden, Retrieval) {
  const RetrievalResult found = evaluate_retrieval(set_, tasks_.retrieval, Norm::kL2);
  for (size_t level = 0; level < 3; ++level) {
    for (size_t pool = 0; pool < kPoolSizes.size(); ++pool) {
      const std::string k = std::to_string(kPoolSizes[pool]);
      const nlohmann::json& expected = expected_["retrieval"][kLetters[level]][k];
      ASSERT_EQ(expected.size(), found.queries.size());
      for (size_t q = 0; q < found.queries.size(); ++q) {
        EXPECT_NEAR(found.queries[q][level][pool].trapezoid, expected[q].get<double>(), kTolerance) << k << " " << q;
      }
      EXPECT_NEAR(found.levels[level][pool].trapezoid,
                  expected_["summary"]["retrieval_map"][k][kLetters[level]].get<double>(), kTolerance);
    }
  }
  EXPECT_NEAR(found.mean.trapezoid, expected_["summary"]["retrieval_mean_k20000"].get<double>(), kTolerance);
}

// Not within a tolerance: no sum may depend on who computes which part.
TEST_P(HpatchesGolden, ThreadsDoNotMatter) {
  const int before = thread_count();
  set_thread_count(1);
  const TaskScore verification = mean_of(evaluate_verification(set_, tasks_.verification, Norm::kL1).scores);
  const double matching = evaluate_matching(set_, Norm::kL1).mean.step;
  const double retrieval = evaluate_retrieval(set_, tasks_.retrieval, Norm::kL1).mean.step;
  set_thread_count(3);
  EXPECT_EQ(mean_of(evaluate_verification(set_, tasks_.verification, Norm::kL1).scores).step, verification.step);
  EXPECT_EQ(evaluate_matching(set_, Norm::kL1).mean.step, matching);
  EXPECT_EQ(evaluate_retrieval(set_, tasks_.retrieval, Norm::kL1).mean.step, retrieval);
  set_thread_count(before);
}

INSTANTIATE_TEST_SUITE_P(Sets, HpatchesGolden,
                         ::testing::Values(Case{"noisy", "fake"}, Case{"noisy", "fakea"}, Case{"exact", "fake"}),
                         [](const auto& c) { return std::string(c.param.descriptors) + c.param.split; });

}  // namespace
}  // namespace adasample
