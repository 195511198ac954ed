// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "adasample/experiment/grid/grid.h"
#include "adasample/experiment/reproduce/page.h"
#include "adasample/experiment/reproduce/paper.h"
#include "adasample/experiment/reproduce/verdict.h"
#include "adasample/model/network.h"
#include "adasample/train/options.h"

namespace adasample {
namespace {

// A recipe's runs have a folder of their own: "HardNet*" and "HardNet+*" are not the same words in it.
TEST(Recipes, HaveNamesOfTheirOwn) {
  std::set<std::string> slugs;
  for (const Recipe& one : recipes()) {
    EXPECT_TRUE(slugs.insert(slug(arm_name(one.name))).second) << one.name;
    EXPECT_EQ(one.name.ends_with("*"), one.generated) << one.name;
    EXPECT_EQ(one.options.at("flips") == "true", one.name.find('+') != std::string::npos) << one.name;
    EXPECT_TRUE(paper_table1(one.name)) << one.name;
    TrainOptions options = make_preset(one.options.at("preset"), "cpu");
    EXPECT_EQ(find_network(options.network).input_size, one.patch_size) << one.name;
  }
  EXPECT_EQ(recipes().size(), 16u)
      << "the paper's eighteen, without SIFT, and GeoDesc, whose data were never published";
}

// The paper's mean column is the mean of its six, to the last digit it prints; Table 3's gains follow from its means.
TEST(Paper, NumbersAgreeWithEachOther) {
  for (const char* name : {"SIFT", "MatchNet", "L2-Net", "TFeat-M+", "L2-Net+", "DOAP+", "HardNet-GOR", "HardNet-GOR+",
                           "HardNet", "HardNet*", "AdaSample*", "HardNet+", "HardNet+*", "AdaSample+*"}) {
    const auto row = paper_table1(name);
    ASSERT_TRUE(row) << name;
    double sum = 0;
    for (size_t i = 0; i < 6; ++i) sum += (*row)[i];
    EXPECT_NEAR(sum / 6, row->back(), 0.0101) << name;
  }
  for (size_t p = 0; p < kSitePairs.size(); ++p) {
    const PaperGain& gain = paper_table3()[p];
    EXPECT_NEAR(100 * (gain.hardnet - gain.adasample) / gain.hardnet, gain.gain, 0.15) << kSitePairs[p].label;
    EXPECT_NEAR((*paper_table1("HardNet+*"))[p], gain.hardnet, 0.0051);
    EXPECT_NEAR((*paper_table1("AdaSample+*"))[p], gain.adasample, 0.0061);
  }
  EXPECT_FALSE(paper_table2("0", "aht"));
  EXPECT_EQ(paper_table2("10", "ht")->matching, 65.37);
}

TEST(Verdicts, FollowTheirRules) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, b = {1.5, 2.5, 3.6, 4.5, 5.5, 6.5};
  EXPECT_EQ(smaller_by_pairs("x", a, b).verdict, Verdict::kHolds);  // p = 1/64
  EXPECT_EQ(smaller_by_pairs("x", b, a).verdict, Verdict::kDoesNotHold);
  EXPECT_EQ(larger_by_pairs("x", b, a).verdict, Verdict::kHolds);
  const std::vector<double> four(a.begin(), a.begin() + 4), four_b(b.begin(), b.begin() + 4);
  EXPECT_EQ(smaller_by_pairs("x", four, four_b).verdict, Verdict::kCannotTell) << "1/16 is not below 0.05";
  EXPECT_EQ(smaller_by_pairs("x", {}, {}).verdict, Verdict::kCannotTell);
  // Five against five, all smaller: 1/252; two against two cannot reach it.
  const std::vector<double> low = {1, 2, 3, 4, 5}, high = {6, 7, 8, 9, 10};
  EXPECT_EQ(smaller_by_ranks("x", low, high).verdict, Verdict::kHolds);
  EXPECT_EQ(smaller_by_ranks("x", high, low).verdict, Verdict::kDoesNotHold);
  EXPECT_EQ(smaller_by_ranks("x", std::vector<double>{1, 2}, std::vector<double>{3, 4}).verdict, Verdict::kCannotTell);
  EXPECT_EQ(larger_by_p("x", 1, 0.04).verdict, Verdict::kHolds);
  EXPECT_EQ(larger_by_p("x", -1, 0.04).verdict, Verdict::kDoesNotHold);
  EXPECT_EQ(larger_by_p("x", 1, 0.06).verdict, Verdict::kCannotTell);
}

TEST(ReproducedPage, SaysTheSameInBothForms) {
  ReproducedPage page{.name = "table9", .title = "Table 9 on nothing", .lead = "What it is."};
  page.claims = {{"a | b is better", Verdict::kCannotTell, "p 0.5"}};
  page.tables = {{.title = "Numbers", .columns = {"row", "value"}, .rows = {{"HardNet+*", "1.00 (2.00)"}}}};
  page.facts = {{"command", "`adasample`"}};
  page.notes = {"yosemite is not there"};
  for (const std::string& text : {page.markdown(), page.html()}) {
    for (const char* part : {"Table 9 on nothing", "cannot tell", "1.00 (2.00)", "yosemite is not there", "p 0.5"}) {
      EXPECT_NE(text.find(part), std::string::npos) << part;
    }
  }
  EXPECT_NE(page.markdown().find("| a \\| b is better | cannot tell | p 0.5 |"), std::string::npos);
}

}  // namespace
}  // namespace adasample
