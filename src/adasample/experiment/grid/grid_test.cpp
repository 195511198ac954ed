// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/grid/grid.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using nlohmann::json;
using testing::expect_error;
using Names = std::vector<std::string>;

json small_grid() {
  return {{"title", "Which positives?"},
          {"seeds", {3, 5}},
          {"data", {{"leaves", {{"classes", 200}, {"views", 8}, {"seed", 7}}}}},
          {"train", {{"iterations", 20}, {"dropout", 0.5}, {"flips", false}}},
          {"arm", json::array({{{"sampler", "random"}, {"weights", "none"}},
                               {{"sampler", "adasample"}, {"lambda", {5, 10}}, {"weights", {"none", "class"}}}})},
          {"judge", {{"kind", "patches"}, {"data", "leaves"}}}};
}

Names names_of(const Grid& grid) {
  Names names;
  for (const GridArm& arm : grid.arms) names.push_back(arm.name);
  return names;
}

TEST(Grid, ListsOfAnArmAreCrossed) {
  const Grid grid = parse_grid(small_grid(), "g.toml");
  EXPECT_TRUE(grid.problems.empty());
  EXPECT_EQ(names_of(grid), (Names{"random weights=none", "adasample lambda=5 weights=none",
                                   "adasample lambda=5 weights=class", "adasample lambda=10 weights=none",
                                   "adasample lambda=10 weights=class"}));
  EXPECT_EQ(grid.arms[4].options,
            (std::map<std::string, std::string>{{"sampler", "adasample"}, {"lambda", "10"}, {"weights", "class"}}));
  EXPECT_EQ(grid.arms[4].data, "leaves");
  EXPECT_EQ(grid.baseline, "random weights=none") << "the first";
  EXPECT_EQ(grid.seeds, (std::vector<uint64_t>{3, 5}));
  EXPECT_EQ(grid.train.at("dropout"), "0.5");
  EXPECT_EQ(grid.train.at("flips"), "false");
  EXPECT_TRUE(grid.data[0].is_made());
  EXPECT_EQ(grid.data[0].classes, 200);
  EXPECT_EQ(grid.judges[0].name, "patches");
  EXPECT_EQ(grid.judges[0].figures, Names{"fpr95"});
}

TEST(Grid, DataAndBudgetsAreAxesToo) {
  json text = small_grid();
  text["data"]["photographs"] = {"a", "b"};
  text["budget"] = {"pairs", "seconds"};
  text["arm"] = json::array({{{"name", "uniform"}, {"sampler", "random"}, {"weights", {"none", "distance"}}},
                             {{"data", "photographs"}, {"budget", "seconds"}}});
  const Grid grid = parse_grid(text, "g.toml");
  EXPECT_EQ(names_of(grid), (Names{"uniform weights=none", "uniform weights=none", "uniform weights=distance",
                                   "uniform weights=distance", "default"}));
  EXPECT_EQ(grid.arms[0].data, "leaves");
  EXPECT_EQ(grid.arms[1].data, "photographs");
  EXPECT_EQ(grid.arms[0].budgets, (std::vector{Budget::kPairs, Budget::kSeconds}));
  EXPECT_EQ(grid.arms[4].budgets, std::vector{Budget::kSeconds});
  EXPECT_EQ(grid.find_data("photographs")->stores, (Names{"a", "b"}));
}

TEST(Grid, WhatIsWrongIsToldAndTheRestGoesOn) {
  json text = small_grid();
  text["sede"] = 4;
  text["baseline"] = "uniform";
  text["arm"].push_back({{"lambda", {{"a", 1}}}});
  text["arm"].push_back({{"sampler", "random"}, {"weights", "none"}});
  text["arm"].push_back({{"data", "moon"}});
  text["judge"] = json::array({text["judge"], {{"kind", "jury"}, {"data", "x"}}, {{"kind", "tracks"}}});
  text["data"]["bad"] = {{"classes", 1}};
  const Grid grid = parse_grid(text, "g.toml");
  EXPECT_EQ(grid.arms.size(), 5u);
  EXPECT_EQ(grid.judges.size(), 1u);
  EXPECT_EQ(grid.baseline, "random weights=none");
  std::string all;
  for (const std::string& problem : grid.problems) all += problem + "\n";
  for (const char* part : {"g.toml: sede: no such key", "arm 3: lambda must be", "arm 4: there is an arm",
                           "arm 5: data = 'moon'", "judge 2: kind = 'jury', must be one of tracks", "judge 3: data is",
                           "[data] bad: classes = 1", "baseline = 'uniform': no such arm"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  }
  EXPECT_EQ(grid.problems.size(), 8u) << all;
}

TEST(Grid, NothingLeftToDoIsAnError) {
  expect_error([] { parse_grid(json::array(), "g.toml"); }, "g.toml", "array");
  json text = small_grid();
  text.erase("arm");
  expect_error([&] { parse_grid(text, "g.toml"); }, "no arm");
  text = small_grid();
  text.erase("data");
  expect_error([&] { parse_grid(text, "g.toml"); }, "no data");
  text = small_grid();
  text["seeds"] = {1, 1};
  expect_error([&] { parse_grid(text, "g.toml"); }, "twice");
  text["seeds"] = 0;
  expect_error([&] { parse_grid(text, "g.toml"); }, "seeds = 0");
  text = small_grid();
  text["arm"] = {{"lambda", json::array()}};
  expect_error([&] { parse_grid(text, "g.toml"); }, "no arm");
  for (const char* axis : {"k", "batch", "lr", "momentum"}) {  // 10 x 10 x 10 x 10
    for (int i = 1; i <= 10; ++i) text["arm"][axis].push_back(i);
  }
  text["arm"].erase("lambda");
  expect_error([&] { parse_grid(text, "g.toml"); }, "no arm");
}

TEST(Grid, Slug) {
  EXPECT_EQ(slug("adasample lambda=0.5  weights=none"), "adasample-lambda-0.5-weights-none");
  EXPECT_EQ(slug("../../A b/"), "..-..-a-b");
  EXPECT_EQ(slug("//"), "unnamed");
}

}  // namespace
}  // namespace adasample
