// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/live/live_view.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "adasample/report/live/server.h"
#include "tests/support/made_run.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::MadeRun;
namespace fs = std::filesystem;

std::string part(const LiveView& view, const std::string& id) {
  for (const LivePart& one : view.parts()) {
    if (one.id == id) return one.html;
  }
  return "no such part";
}

RunData with(const std::string& config, const std::vector<std::pair<std::string, std::vector<double>>>& metrics) {
  RunData run;
  run.config = config;
  for (const auto& [name, values] : metrics) {
    Series series{.name = name};
    for (size_t i = 0; i < values.size(); ++i) series.iterations.push_back(static_cast<int64_t>(i));
    series.values = values;
    run.metrics.push_back(std::move(series));
  }
  return run;
}

TEST(LiveView, PlannedIterations) {
  EXPECT_EQ(planned_iterations(with("iterations = 70\npairs = 5\nepochs = 2\nbatch = 2\n", {})), 70);
  // 1,000,000 pairs in batches of 1024: 977 an epoch, the last batch full too.
  EXPECT_EQ(planned_iterations(with("iterations = 0\npairs = 1000000\nepochs = 90\nbatch = 1024\n", {})), 977 * 90);
  EXPECT_EQ(planned_iterations(with("pairs = 10\n", {})), std::nullopt);
  EXPECT_EQ(planned_iterations(with("pairs = 1e300\nepochs = 90\nbatch = 1\n", {})), std::nullopt);
}

TEST(LiveView, SpeedIsTheMedianOfTheLast) {
  std::vector<double> speeds(200, 7);
  for (size_t i = 150; i < 200; ++i) speeds[i] = 100;
  speeds[199] = 1e6;
  speeds[198] = NAN;
  EXPECT_EQ(present_speed(with("", {{"pairs_per_s", speeds}})), 100);
  EXPECT_TRUE(std::isnan(present_speed(with("", {}))));
}

TEST(LiveView, AlarmsAreTheTrainersAndTheClocks) {
  const std::vector<double> pinned(120, 0.95), near_zero(120, 0.1), fine(120, 0.5);
  const auto one = [](const std::vector<std::string>& alarms) { return alarms.size() == 1 ? alarms[0] : "not one"; };
  const RunData good = with("batch = 32\n", {{"loss", fine}, {"d_pos", fine}, {"pairs_per_s", fine}});
  EXPECT_TRUE(alarms_of(good, 1).empty());
  EXPECT_NE(one(alarms_of(with("", {{"loss", pinned}, {"d_pos", near_zero}}), 1)).find("Collapse"), std::string::npos);
  // The margin is the run's own.
  EXPECT_TRUE(alarms_of(with("margin = 2\n", {{"loss", pinned}, {"d_pos", near_zero}}), 1).empty());
  std::vector<double> broken = fine;
  broken.back() = NAN;
  EXPECT_EQ(one(alarms_of(with("", {{"loss", broken}}), 1)), "The loss is not finite.");
  std::vector<double> stepped(120, 1);
  stepped.back() = 0;
  EXPECT_NE(one(alarms_of(with("", {{"loss", fine}, {"stepped", stepped}}), 1)).find("not taken"), std::string::npos);
  // 100 iterations of 32 pairs at 320 pairs a second are 10 s; twenty times that is silence.
  const RunData steady = with("batch = 32\n", {{"loss", fine}, {"pairs_per_s", std::vector<double>(120, 320)}});
  EXPECT_TRUE(alarms_of(steady, 199).empty());
  EXPECT_NE(one(alarms_of(steady, 201)).find("No news"), std::string::npos);
  RunData ended = steady;
  ended.result.emplace();
  EXPECT_TRUE(alarms_of(ended, 1e6).empty());
}

TEST(LiveView, OnlyWhatChangedHasANewVersion) {
  const testing::TempFolder folder;
  MadeRun{.iterations = 60}.write(folder / "a");
  fs::remove(folder / "a" / "result.json");
  LiveView view({folder / "a"});
  const uint64_t before = view.version();
  EXPECT_FALSE(view.refresh());
  EXPECT_EQ(view.version(), before);
  std::ofstream(folder / "a" / "metrics.jsonl", std::ios::app) << "\n";  // the made run ends within a line
  std::ofstream(folder / "a" / "run.json", std::ios::app) << " ";
  view.refresh();
  EXPECT_NE(part(view, "cards").find("metrics.jsonl:62"), std::string::npos) << part(view, "cards");
  for (const LivePart& one : view.parts()) {
    EXPECT_EQ(one.version > before, one.id == "cards") << one.id;
  }
}

TEST(LiveView, RunsOfAnExperimentAppear) {
  const testing::TempFolder folder;
  fs::create_directories(folder / "results" / "runs");
  LiveView view({folder / "results"});
  EXPECT_NE(part(view, "cards").find("no metrics.jsonl"), std::string::npos);
  MadeRun{.iterations = 30, .number = 0}.write(folder / "results" / "runs" / "first");
  MadeRun{.iterations = 30, .number = 1}.write(folder / "results" / "runs" / "second");
  EXPECT_TRUE(view.refresh());
  EXPECT_EQ(part(view, "cards").find("no metrics.jsonl"), std::string::npos);
  EXPECT_NE(part(view, "legend").find("second"), std::string::npos);
  EXPECT_NE(part(view, "cards").find("href=\"report/1\""), std::string::npos);
  ASSERT_TRUE(view.report(1));
  EXPECT_NE(view.report(1)->find("<h1>Run second</h1>"), std::string::npos);
  EXPECT_FALSE(view.report(2));
}

TEST(LiveView, ThirtyTwoAtMost) {
  const testing::TempFolder folder;
  for (int i = 0; i < 34; ++i) MadeRun{.iterations = 2}.write(folder / fmt::format("r{:02}", i));
  const LiveView view({folder.path()});
  EXPECT_NE(part(view, "cards").find("2 more runs are not shown"), std::string::npos);
}

TEST(LoopbackHost, NothingElse) {
  for (const char* good :
       {"localhost", "localhost:6006", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:65535", "[::1]", "[::1]:80"}) {
    EXPECT_TRUE(is_loopback_host(good)) << good;
  }
  for (const char* bad : {"", ":", "evil.example", "evil.example:6006", "localhost.evil.example", "127.0.0.1.evil",
                          "localhost:", "localhost:x", "localhost:123456", "::1", "127.0.0.1:80@evil", "[::1]x",
                          "127.0.0.2", "localhost:80:80"}) {
    EXPECT_FALSE(is_loopback_host(bad)) << bad;
  }
}

}  // namespace
}  // namespace adasample
