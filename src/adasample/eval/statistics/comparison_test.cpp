// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/statistics/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/eval/statistics/comparison_report.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;
using Values = std::vector<double>;

RunValues means(Values values) { return {std::move(values), {}}; }

// Three runs of which b is worse by 1, 2 and 4, while runs differ by far more.
TEST(Comparison, PairedRunsAreToldApartByTheirDifferences) {
  const RunValues a = means({10, 20, 30, 40, 50, 60}), b = means({11, 22, 34, 41, 52, 64});
  const Comparison paired = compare_runs(a, b, true), unpaired = compare_runs(a, b, false);
  EXPECT_TRUE(paired.paired && paired.flips && !paired.ranks);
  EXPECT_EQ(paired.test, "sign flips of 6 pairs of runs, exact");
  EXPECT_EQ(paired.unit, "runs");
  EXPECT_EQ(paired.p_two_sided, 2.0 / 64);
  EXPECT_EQ(paired.p_one_sided, 1.0 / 64);
  EXPECT_EQ(compare_runs(a, b, true, {.larger = true, .bootstrap = {}}).p_one_sided, 1);
  EXPECT_NEAR(paired.difference, -14.0 / 6, 1e-12);
  EXPECT_TRUE(paired.can_reach_005);
  EXPECT_EQ(paired.shortfall, "");
  EXPECT_EQ(paired.interval_of, "runs");
  ASSERT_TRUE(paired.interval);
  EXPECT_LT(paired.interval->high, 0);

  EXPECT_TRUE(!unpaired.paired && !unpaired.flips && unpaired.ranks && !unpaired.interval);
  EXPECT_EQ(unpaired.test, "Mann-Whitney, unpaired, exact");
  EXPECT_GT(unpaired.p_two_sided, 0.5);
  EXPECT_NEAR(unpaired.difference, paired.difference, 1e-12);
  EXPECT_EQ(unpaired.ranks->cliffs_delta, 2 * unpaired.ranks->u / 36 - 1);
  EXPECT_EQ(unpaired.p_one_sided, *mann_whitney(a.mean, b.mean).p_exact);
  EXPECT_EQ(compare_runs(a, b, false, {.larger = true, .bootstrap = {}}).p_one_sided,
            *mann_whitney(a.mean, b.mean).p_exact_larger);
}

TEST(Comparison, SaysWhereSoFewCannotShowAnything) {
  const Comparison three = compare_runs(means({1, 2, 3}), means({4, 5, 6}), true);
  EXPECT_FALSE(three.can_reach_005);
  EXPECT_EQ(three.smallest_p, 0.25);
  EXPECT_EQ(three.shortfall,
            "3 pairs of runs cannot reach p = 0.05 two-sided, the smallest possible is 0.25: 6 are needed");
  const Comparison one = compare_runs(means({1}), means({4}), true);
  EXPECT_EQ(one.shortfall, "1 pair of runs cannot reach p = 0.05 two-sided, the smallest possible is 1: 6 are needed");
  const Comparison ranks = compare_runs(means({1, 2, 3}), means({4, 5, 6}), false);
  EXPECT_FALSE(ranks.can_reach_005);
  EXPECT_EQ(ranks.shortfall,
            "3 runs against 3 cannot reach p = 0.05 two-sided, the smallest possible is 0.1: 4 against 4 would do");
  EXPECT_TRUE(compare_runs(means({1, 2, 3, 4}), means({4, 5, 6, 7}), false).can_reach_005);
}

// The sequences of a run: their means over the runs are compared, and they come in the order of their names.
TEST(Comparison, SequencesHaveAnInterval) {
  const RunValues a{{2, 5}, {{{"x", 1}, {"y", 3}, {"z", 2}}, {{"x", 3}, {"y", 7}, {"z", 6}}}},
      b{{2, 3}, {{{"x", 0}, {"y", 2}, {"z", 1}}, {{"x", 2}, {"y", 2}, {"z", 1}}}};
  const Values differences = {2 - 1, 5 - 2, 4 - 1};
  for (const bool paired : {true, false}) {
    const ComparisonOptions options{.larger = true, .bootstrap = {.level = 0.8, .seed = 3}};
    const Comparison both = compare_runs(a, b, paired, options);
    EXPECT_EQ(both.unit, "runs");
    EXPECT_EQ(both.difference, 1);  // of the runs' own values
    EXPECT_EQ(both.a, a.mean);
    EXPECT_EQ(both.interval_of, "sequences");
    ASSERT_TRUE(both.interval);
    const BootstrapInterval expected = bootstrap_t(differences, options.bootstrap);
    EXPECT_DOUBLE_EQ(both.interval->difference, expected.difference);
    EXPECT_DOUBLE_EQ(both.interval->low, expected.low);
    EXPECT_DOUBLE_EQ(both.interval->high, expected.high);
  }
  const RunValues without_means{{}, a.sequences};
  EXPECT_EQ(compare_runs(without_means, b, true).a, (Values{2, 16.0 / 3}));
}

TEST(Comparison, OneRunASideIsComparedBySequence) {
  const RunValues a{{}, {{{"x", 1}, {"y", 2}, {"z", 3}}}}, b{{}, {{{"x", 2}, {"y", 4}, {"z", 7}}}};
  const Comparison sequences = compare_runs(a, b, false);
  EXPECT_EQ(sequences.unit, "sequences");
  EXPECT_TRUE(sequences.paired);
  EXPECT_EQ(sequences.a, (Values{1, 2, 3}));
  EXPECT_EQ(sequences.p_two_sided, 0.25);
  EXPECT_EQ(sequences.shortfall.substr(0, 22), "3 pairs of sequences c");
  EXPECT_EQ(sequences.interval_of, "sequences");
  EXPECT_NE(comparison_text(sequences).find("nothing is said of other seeds"), std::string::npos);
}

TEST(Comparison, BadInput) {
  const RunValues two{{}, {{{"x", 1}, {"y", 2}}}}, one{{}, {{{"x", 1}}}};
  expect_error([&] { compare_runs(two, one, true); }, "[compare]", "sequence 'y'", "run 1 of the first side",
               "none in run 1 of the second side");
  expect_error([&] { compare_runs(one, two, true); }, "'y'", "a value in run 1 of the second side");
  const RunValues uneven{{}, {{{"x", 1}}, {{"y", 1}}}};
  expect_error([&] { compare_runs(one, uneven, false); }, "'y'", "run 2 of the second side");
  expect_error([&] { compare_runs(one, means({1}), true); }, "sequences on both sides", "first only");
  expect_error([&] { compare_runs({{1, 2}, {{{"x", 1}}}}, one, true); }, "sequences of 2 runs", "found 1");
  expect_error([&] { compare_runs({{}, {{}}}, {{}, {{}}}, true); }, "no sequence");
  expect_error([&] { compare_runs(means({}), means({1}), false); }, "a run or more on the first side");
  expect_error([&] { compare_runs(means({1, 2}), means({1}), true); }, "to pair them", "2 and 1");
  expect_error([&] { compare_runs(means({1, NAN}), means({1, 2}), true); }, "pair 2");
  expect_error([&] { compare_runs(means({1, NAN}), means({1, 2}), false); }, "not a number");
}

TEST(Comparison, InWordsAndForTheRecord) {
  const Comparison paired = compare_runs(means({1, 2, 3, 5, 7, 9}), means({2.1, 3, 4.3, 7.9, 8.2, 12}), true);
  const std::string text = comparison_text(paired, "both sides have the seed 1");
  for (const char* part :
       {"a: 6 values, mean 4.5; b: 6 values, mean 6.25; a - b -1.75\n", "\npaired: both sides have the seed 1\n",
        "\na smaller than b: p 0.015625; a and b differ: p 0.03125; by sign flips of 6 pairs of runs, "
        "exact\n",
        "\na - b over runs: -1.75, 95 % interval ["}) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  auto json = comparison_json(paired, "why");
  EXPECT_EQ(json["paired"], true);
  EXPECT_EQ(json["pairing"], "why");
  EXPECT_EQ(json["p_two_sided"], 2.0 / 64);
  EXPECT_EQ(json["values"]["of"], "runs");
  EXPECT_EQ(json["bootstrap"]["low"], paired.interval->low);
  for (const char* none : {"u", "p_exact", "p_asymptotic", "cliffs_delta", "tie_sum", "shortfall"}) {
    EXPECT_TRUE(json[none].is_null()) << none;
  }
  const Comparison open = compare_runs(means({1, 2}), means({2, 4}), true);
  EXPECT_NE(comparison_text(open).find("95 % interval [no bound, no bound]"), std::string::npos);
  EXPECT_TRUE(comparison_json(open)["bootstrap"]["low"].is_null());
  EXPECT_NE(comparison_text(open).find("\n" + open.shortfall), std::string::npos);
  EXPECT_NE(comparison_text(compare_runs(means({1}), means({2}), true)).find("one pair has no interval"),
            std::string::npos);

  const Comparison larger = compare_runs(means({1, 2}), means({2, 4, 5}), false, {.larger = true, .bootstrap = {}});
  json = comparison_json(larger);
  EXPECT_EQ(json["alternative"], "greater");
  EXPECT_EQ(json["u"], 0.5);
  EXPECT_EQ(json["p_exact"], larger.p_one_sided);
  EXPECT_EQ(json["p_asymptotic"], larger.ranks->p_asymptotic_larger);
  EXPECT_TRUE(json["bootstrap"].is_null());
  EXPECT_NE(comparison_text(larger).find("a larger than b: p 1; "), std::string::npos) << comparison_text(larger);
  EXPECT_NE(comparison_text(larger).find("U 0.5, Cliff's delta -0.833"), std::string::npos);
}

TEST(Pairing, BySeedWhereBothSidesHaveTheSame) {
  const Pairing same = pair_runs({0, 1, 2}, {2, 0, 1}, std::nullopt);
  EXPECT_TRUE(same.paired);
  EXPECT_EQ(same.why, "both sides have the seeds 0, 1, 2");
  EXPECT_EQ(same.b_of_a, (std::vector<size_t>{1, 2, 0}));
  EXPECT_EQ(in_order(means({20, 0, 10}), same.b_of_a).mean, (Values{0, 10, 20}));
  EXPECT_EQ(in_order({{}, {{{"x", 2}}, {{"x", 0}}, {{"x", 1}}}}, same.b_of_a).sequences[2].at("x"), 2);
  EXPECT_EQ(pair_runs({0, 1, 2}, {2, 0, 1}, true).b_of_a, same.b_of_a);
  EXPECT_FALSE(pair_runs({0, 1, 2}, {2, 0, 1}, false).paired);
}

TEST(Pairing, OtherwiseOnlyWhenAskedFor) {
  const struct {
    Seeds a, b;
    std::string why;
  } cases[] = {{{0, 1}, {0, std::nullopt}, "not known"}, {{0, 0}, {0, 0}, "twice"}, {{0, 1}, {0, 2}, "differ"}};
  for (const auto& [a, b, why] : cases) {
    const Pairing pairing = pair_runs(a, b, std::nullopt);
    EXPECT_FALSE(pairing.paired);
    EXPECT_NE(pairing.why.find(why), std::string::npos) << pairing.why;
    EXPECT_NE(pairing.why.find("--paired"), std::string::npos);
    const Pairing asked = pair_runs(a, b, true);
    EXPECT_TRUE(asked.paired);
    EXPECT_EQ(asked.why, "in the order given");
    EXPECT_EQ(asked.b_of_a, (std::vector<size_t>{0, 1}));
  }
  const Pairing uneven = pair_runs({0, 1}, {0}, std::nullopt);
  EXPECT_FALSE(uneven.paired);
  EXPECT_EQ(uneven.why, "one side has 2, the other 1");
  expect_error([] { pair_runs({0, 1}, {0}, true); }, "as many values on both sides: 2, 1");
}

}  // namespace
}  // namespace adasample
