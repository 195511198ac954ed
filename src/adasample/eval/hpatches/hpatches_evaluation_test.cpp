// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/hpatches_evaluation.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "adasample/eval/hpatches/lists/hpatches_generator.h"
#include "tests/support/described_set.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

// Sequences of six and of three pictures, as `data sequences` may leave them; short lists spare the million rows.
class HpatchesEvaluation : public ::testing::Test {
 protected:
  HpatchesEvaluation() : set_(testing::made_up_set(9, {{"i_a", 40}, {"v_b", 35, 3}}, 8, 100)) {
    const VerificationLists lists = draw_verification(set_.shapes(), {.rows = 400});
    write_file_atomically(folder_ / "verif_pos_split-mine.csv", format_list(lists.positives, set_.shapes()));
    write_file_atomically(folder_ / "verif_neg_intra_split-mine.csv", format_list(lists.intra, set_.shapes()));
    write_file_atomically(folder_ / "verif_neg_inter_split-mine.csv", format_list(lists.inter, set_.shapes()));
    options_ = {.split = "mine", .norm = Norm::kL1, .tasks = folder_.path(), .corrected = false};
  }

  testing::TempFolder folder_;
  DescriptorSet set_;
  HpatchesEvalOptions options_;
};

TEST_F(HpatchesEvaluation, JsonHoldsTheFiguresAndWhatTheyAreOf) {
  const HpatchesFigures figures = evaluate_hpatches(set_, options_);
  const nlohmann::ordered_json json = figures_json(figures, options_);
  EXPECT_EQ(json["protocol"], "HPatches");
  EXPECT_EQ(json["split"], "mine");
  EXPECT_EQ(json["dist"], "l1");
  EXPECT_FALSE(json.contains("corrected"));
  EXPECT_EQ(json["verification"]["step"], mean_of(figures.verification.scores).step);
  EXPECT_EQ(json["verification"]["per"]["tough"]["intra"]["auc"], figures.verification.scores[2][1].extra);
  EXPECT_EQ(json["matching"]["trapezoid"], figures.matching.mean.trapezoid);
  EXPECT_EQ(json["matching"]["per"]["hard"]["success"], figures.matching.levels[1].extra);
  EXPECT_EQ(json["retrieval"]["per"]["easy"]["500"]["step"], figures.retrieval.levels[0][1].step);
  EXPECT_EQ(json["retrieval"]["per"]["easy"].size(), 7u);
  EXPECT_EQ(json["sequences"]["v_b"]["patches"], 35);
  EXPECT_EQ(json["sequences"]["v_b"]["images"], 3);
  EXPECT_EQ(json["sequences"]["i_a"]["verification"]["auc"], mean_of(figures.verification.sequences[0]).extra);
  EXPECT_EQ(json["lists"]["verif_pos_split-mine.csv"]["origin"], "read");
  EXPECT_EQ(json["lists"]["retr_queries_split-mine.csv"]["origin"], "drawn");
  EXPECT_TRUE(json["lists"]["retr_queries_split-mine.csv"]["published"].is_null());  // nothing is known of split mine
  EXPECT_FALSE(json["sequences"]["i_a"].contains("corrected"));
}

// The mean of means a sequence's images have; two images of the second sequence weigh as much as two of the first.
TEST_F(HpatchesEvaluation, FewerPictures) {
  const HpatchesFigures figures = evaluate_hpatches(set_, options_);
  ASSERT_EQ(figures.matching.images[1][0].size(), 2u);
  double sum = 0;
  for (const auto& sequence : figures.matching.images) {
    for (const TaskScore& score : sequence[0]) sum += score.step;
  }
  EXPECT_NEAR(figures.matching.levels[0].step, sum / 7, 1e-12);
}

TEST_F(HpatchesEvaluation, TableForPeople) {
  const HpatchesFigures figures = evaluate_hpatches(set_, options_);
  const std::string table = figures_table(figures, options_);
  EXPECT_NE(table.find("split mine, l1: 2 sequences, 75 patches"), std::string::npos) << table;
  EXPECT_NE(table.find(fmt::format("{:>8.2f}\nretrieval", 100 * figures.matching.mean.trapezoid)), std::string::npos);
  EXPECT_NE(table.find("lists: verification read; retrieval drawn"), std::string::npos) << table;
  EXPECT_EQ(table.find("corrected"), std::string::npos);
}

TEST_F(HpatchesEvaluation, CorrectedStandsBesideTheOfficialFigure) {
  const HpatchesFigures plain = evaluate_hpatches(set_, options_);
  options_.corrected = true;
  const HpatchesFigures figures = evaluate_hpatches(set_, options_);
  ASSERT_TRUE(figures.corrected.has_value());
  const nlohmann::ordered_json json = figures_json(figures, options_);
  EXPECT_EQ(json["verification"], figures_json(plain, options_)["verification"]);
  const VerificationResult expected =
      evaluate_verification(set_, draw_verification(set_.shapes(), {.corrected = true}), options_.norm);
  EXPECT_EQ(json["corrected"]["verification"]["step"], mean_of(expected.scores).step);
  EXPECT_EQ(json["corrected"]["verification"]["per"]["hard"]["inter"]["auc"], expected.scores[1][0].extra);
  EXPECT_EQ(json["sequences"]["v_b"]["corrected"]["verification"]["trapezoid"],
            mean_of(expected.sequences[1]).trapezoid);
  EXPECT_NE(figures_table(figures, options_).find("corrected, inter"), std::string::npos);
}

// A task is the benchmark's when all of its lists are.
TEST_F(HpatchesEvaluation, TheTablesWordIsOfAllListsOfATask) {
  HpatchesFigures figures = evaluate_hpatches(set_, options_);
  for (ListOrigin& list : figures.lists) list.published = true;
  const auto said = [&] { return figures_table(figures, options_); };
  EXPECT_NE(said().find("verification read, the benchmark's; retrieval drawn, equal to the benchmark's"),
            std::string::npos);
  figures.lists[2].published = false;
  figures.lists[3].published = std::nullopt;
  EXPECT_TRUE(said().ends_with("lists: verification read; retrieval drawn")) << said();
}

TEST_F(HpatchesEvaluation, NeedsASecondSequence) {
  set_.sequences.pop_back();
  testing::expect_error([&] { evaluate_hpatches(set_, options_); }, "at least two sequences, found 1");
}

TEST_F(HpatchesEvaluation, BadOptionsAreNamed) {
  testing::expect_error([] { HpatchesEvalOptions{.split = ""}.validate(); }, "HpatchesEvalOptions::split = \"\"");
}

}  // namespace
}  // namespace adasample
