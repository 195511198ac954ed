// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/grid/results.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Two arms and a judge with three sequences; the second arm is better by 2 % on each, whatever the seed.
class Results : public ::testing::Test {
 protected:
  explicit Results(int seeds = 6)
      : grid_(parse_grid({{"title", "Which <one>?"},
                          {"seeds", seeds},
                          {"data", {{"d", "store"}}},
                          {"arm", json::array({{{"name", "base"}}, {{"name", "better"}, {"k", 3}}})},
                          {"budget", {"pairs", "seconds"}},
                          {"references", "rootsift"},
                          {"judge", {{"kind", "tracks"}, {"data", "t"}, {"figures", {"matching", "fpr95"}}}}},
                         "g")),
        folder_(grid_, out_.path()) {}

  void complete(const Trial& trial) const { folder_.save(trial, {"complete", "", 100, 1000, 12.5}); }
  void score(const Trial& trial, double matching) const {
    ordered_json object = {{"matching", matching}, {"fpr95", 1 - matching}};
    for (const double shift : {-0.1, 0.0, 0.1}) {
      object["sequences"][fmt::format("s{:+.1f}", shift)] = {{"matching", matching + shift}};
    }
    folder_.save(trial, grid_.judges[0], object);
  }
  void fill() const {
    for (const Trial& trial : trials_of(grid_, Budget::kPairs)) {
      complete(trial);
      score(trial, 0.6 + 0.001 * static_cast<double>(trial.seed) + 0.02 * static_cast<double>(trial.arm));
    }
  }

  testing::TempFolder out_;
  Grid grid_;
  ExperimentFolder folder_;
};

TEST_F(Results, TrialsComeSeedBySeed) {
  const std::vector<Trial> trials = trials_of(grid_, Budget::kPairs);
  ASSERT_EQ(trials.size(), 12u);
  EXPECT_EQ(trials[0].arm, 0u);
  EXPECT_EQ(trials[1].arm, 1u);
  EXPECT_EQ(trials[1].seed, 0u);
  EXPECT_EQ(trials[2].seed, 1u);
  EXPECT_EQ(folder_.name(trials[1]), "better-seed0");
  EXPECT_EQ(folder_.name({1, Budget::kSeconds, 4}), "better-seconds-seed4");
}

TEST_F(Results, WhatIsSavedIsFoundAgain) {
  const Trial trial{1, Budget::kPairs, 2};
  EXPECT_FALSE(folder_.outcome(trial));
  TrialOutcome outcome{"collapsed", "all on one line", 7, 70, 1.5};
  outcome.settings = {{"k", "3"}};
  folder_.save(trial, outcome);
  const std::optional<TrialOutcome> found = folder_.outcome(trial);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->end, "collapsed");
  EXPECT_EQ(found->reason, "all on one line");
  EXPECT_EQ(found->iterations, 7);
  EXPECT_EQ(found->pairs, 70);
  EXPECT_EQ(found->seconds, 1.5);
  EXPECT_EQ(found->settings, outcome.settings);
  EXPECT_FALSE(found->is_complete());
  write_file_atomically(out_ / "scores/better-seed2/run.json", "{\"end\": 3}");
  testing::expect_error([&] { folder_.outcome(trial); }, "run.json", "end");
}

TEST_F(Results, MeansDeviationsAndPairedComparisons) {
  fill();
  const ExperimentResults results = collect_results(grid_, folder_);
  ASSERT_EQ(results.tables.size(), 1u) << "nothing was trained for equal seconds";
  const JudgedTable& table = results.tables[0];
  ASSERT_EQ(table.rows.size(), 2u);
  EXPECT_EQ(table.rows[0].seeds, 6);
  const FigureResult &base = table.rows[0].figures.at("matching"), &better = table.rows[1].figures.at("matching");
  EXPECT_NEAR(base.mean, 0.6025, 1e-12);
  EXPECT_NEAR(base.deviation, 0.001 * std::sqrt(3.5), 1e-12);
  EXPECT_FALSE(base.against);
  ASSERT_TRUE(better.against);
  EXPECT_NEAR(better.against->difference, 0.02, 1e-12);
  EXPECT_NEAR(better.against->p_two_sided, 2.0 / 64, 1e-12) << "six pairs flipped, all the same way";
  ASSERT_TRUE(better.against->interval);
  EXPECT_EQ(better.against->interval_of, "sequences");
  EXPECT_TRUE(results.shortfalls.empty());
  // fpr95 has no sequences here; less is better.
  EXPECT_NEAR(table.rows[1].figures.at("fpr95").against->difference, -0.02, 1e-12);
  EXPECT_LT(table.rows[1].figures.at("fpr95").against->p_one_sided, 0.05);

  for (const std::string& text : {results.text(), results.markdown()}) {
    EXPECT_TRUE(has(text, "60.25 ± 0.19")) << text;
    EXPECT_TRUE(has(text, "+2.00 [+2.00, +2.00], p 0.031")) << text;
    EXPECT_TRUE(has(text, "as many pairs each")) << text;
    EXPECT_TRUE(has(text, "minus base")) << text;
  }
  const ordered_json object = results.json();
  EXPECT_NEAR(object["tables"][0]["rows"][1]["figures"]["matching"]["difference"].get<double>(), 0.02, 1e-12);
  const std::string page = results.html();
  EXPECT_TRUE(has(page, "Which &lt;one&gt;?"));
  EXPECT_TRUE(has(page, "data-metric=\"fpr95\""));
  EXPECT_TRUE(has(page, "left is better"));
}

// A figure of the whole that is no mean over sequences has an interval about another difference, which is told.
TEST_F(Results, PooledFiguresSayWhatTheIntervalIsAbout) {
  fill();
  for (const uint64_t seed : grid_.seeds) {
    ordered_json object = {{"matching", 0.7}};
    for (const char* name : {"s-0.1", "s+0.0", "s+0.1"}) object["sequences"][name] = {{"matching", 0.65}};
    folder_.save({1, Budget::kPairs, seed}, grid_.judges[0], object);
  }
  const std::string text = collect_results(grid_, folder_).text();
  EXPECT_TRUE(has(text, "+9.75, by sequence +4.75 [")) << text;
}

TEST_F(Results, OnlySeedsThatBothHaveAreCompared) {
  fill();
  std::filesystem::remove_all(out_ / "scores/base-seed5");
  folder_.save({1, Budget::kPairs, 0}, {"collapsed", "why", 3, 30, 1});
  const ExperimentResults results = collect_results(grid_, folder_);
  const ArmResult& better = results.tables[0].rows[1];
  EXPECT_EQ(better.seeds, 5);
  EXPECT_EQ(better.broken, std::vector<std::string>{"seed 0 collapsed"});
  EXPECT_EQ(better.figures.at("matching").against->a.size(), 4u) << "1, 2, 3, 4";
  EXPECT_TRUE(has(results.text(), "5; seed 0 collapsed"));
  ASSERT_FALSE(results.shortfalls.empty());
  EXPECT_TRUE(has(results.text(), results.shortfalls[0])) << "four pairs cannot reach 0.05";
}

TEST_F(Results, ReferencesAndSecondsHaveTheirPlaces) {
  fill();
  folder_.save_reference("rootsift", grid_.judges[0], {{"matching", 0.5}});
  const Trial trial{1, Budget::kSeconds, 0};
  complete(trial);
  score(trial, 0.7);
  const ExperimentResults results = collect_results(grid_, folder_);
  ASSERT_EQ(results.tables.size(), 2u);
  EXPECT_EQ(results.tables[0].rows[0].name, "rootsift");
  EXPECT_EQ(results.tables[1].budget, Budget::kSeconds);
  ASSERT_EQ(results.tables[1].rows.size(), 2u);
  EXPECT_FALSE(results.tables[1].rows[1].figures.at("matching").against) << "the baseline is not there";
  EXPECT_TRUE(has(results.text(), "as many seconds each"));
}

TEST_F(Results, NothingYet) {
  const ExperimentResults results = collect_results(grid_, folder_);
  EXPECT_TRUE(results.tables.empty());
  EXPECT_EQ(results.text(), "Which <one>?");
  EXPECT_TRUE(has(results.html(), "</html>"));
}

}  // namespace
}  // namespace adasample
