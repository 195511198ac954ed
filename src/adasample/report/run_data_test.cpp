// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/run_data.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/expect_error.h"
#include "tests/support/made_run.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::MadeRun;

std::vector<Series> metrics(const std::string& text, bool* cut_off = nullptr) {
  bool cut = false;
  auto result = parse_metrics(text, "m.jsonl", cut);
  if (cut_off != nullptr) *cut_off = cut;
  return result;
}
std::vector<Snapshot> snapshots(const std::string& text) {
  bool cut = false;
  return parse_snapshots(text, "s.jsonl", cut);
}

TEST(RunData, AWholeFolderIsRead) {
  const testing::TempFolder folder;
  const MadeRun made;
  made.write(folder / "a");
  const RunData run = read_run(folder / "a/");
  EXPECT_EQ(run.name, "a");
  EXPECT_EQ(run.config, made.config);
  ASSERT_EQ(run.metrics.size(), MadeRun::kMetrics.size() + 1);  // and val_score
  for (size_t m = 0; m < MadeRun::kMetrics.size(); ++m) EXPECT_EQ(run.metrics[m].name, MadeRun::kMetrics[m]);
  const Series& loss = *run.metric("loss");
  ASSERT_EQ(loss.values.size(), 400u);
  EXPECT_TRUE(std::isnan(loss.values[MadeRun::kFirstNull]));
  EXPECT_EQ(loss.values[399], made.value("loss", 399));
  EXPECT_EQ(run.metric("val_score")->iterations, (std::vector<int64_t>{50, 100, 150, 200, 250, 300, 350}));
  EXPECT_EQ(run.metric("fame"), nullptr);
  ASSERT_EQ(run.snapshots.size(), 20u);
  const Pick& pick = run.snapshots[3].picks.at(1);
  EXPECT_EQ(pick.class_id, 41);
  EXPECT_EQ(pick.drawn, 5u);
  EXPECT_EQ(pick.patches[2].width, 32);
  EXPECT_EQ(base64_encode(pick.patches[2].pixels), MadeRun::patch_base64(41, 2));
  EXPECT_TRUE(std::isnan(pick.distances[0]));
  EXPECT_EQ(pick.chances[1], 3 / 28.0);
  EXPECT_EQ(run.curves->roc.size(), 501u);
  EXPECT_EQ(run.result->pairs, 102400);
  EXPECT_EQ(run.stores.at(1).role, "validation");
  EXPECT_EQ(run.facts.at(1), (std::pair<std::string, std::string>{"device", "cpu"}));
  EXPECT_EQ(run.notes, std::vector<std::string>{"The last line of metrics.jsonl is cut off and was left out."});
}

TEST(RunData, MetricsAloneAreEnough) {
  const testing::TempFolder folder;
  write_file_atomically(folder / "metrics.jsonl", "");
  const RunData run = read_run(folder.path());
  EXPECT_TRUE(run.metrics.empty());
  EXPECT_EQ(run.notes.size(), 6u);  // five files, and no iteration yet
  EXPECT_FALSE(run.result);
}

TEST(RunData, WhatIsNoRunFolderIsRefused) {
  const testing::TempFolder folder;
  write_file_atomically(folder / "file", "");
  expect_error([&] { read_run(folder / "none"); }, "[report] ", "none: expected a run folder, found nothing there");
  expect_error([&] { read_run(folder / "file"); }, "expected a run folder, found a file");
  expect_error([&] { read_run(folder.path()); }, "metrics.jsonl", "train --out");
}

TEST(RunData, OnlyAnUnendedLastLineMayBeCut) {
  bool cut = false;
  const std::string good = "{\"iteration\":0,\"loss\":1}\n";
  EXPECT_EQ(metrics(good + "{\"iteration\":1,\"lo", &cut)[0].values.size(), 1u);
  EXPECT_TRUE(cut);
  EXPECT_EQ(metrics(good + "{\"iteration\":1,\"loss\":2}", &cut)[0].values.size(), 2u);
  EXPECT_FALSE(cut);
  metrics(good, &cut);
  EXPECT_FALSE(cut);
  EXPECT_TRUE(metrics("{", &cut).empty());
  EXPECT_TRUE(cut);
  expect_error([&] { metrics(good + "{\"iteration\":1,\"lo\n"); }, "[report] m.jsonl:2: expected a JSON object",
               "'{\"iteration\":1,\"lo'");
  expect_error([&] { metrics("{\"iter\n" + good); }, "m.jsonl:1: ");
}

TEST(RunData, AResumedRunReplacesWhatItRepeats) {
  const auto series = metrics(
      "{\"iteration\":0,\"loss\":1}\n{\"iteration\":1,\"loss\":2}\n{\"iteration\":2,\"loss\":3}\n{\"iteration\":1,"
      "\"loss\":7}\n");
  EXPECT_EQ(series[0].iterations, (std::vector<int64_t>{0, 1}));
  EXPECT_EQ(series[0].values, (std::vector<double>{1, 7}));
}

TEST(RunData, BadMetricsAreRefusedWithTheirLine) {
  const auto refuses = [](const std::string& line, const std::string& what) {
    expect_error([&] { metrics("{\"iteration\":0}\n" + line + "\n{\"iteration\":9}\n"); },
                 "[report] m.jsonl:2: ", what);
  };
  refuses("", "found nothing");
  refuses("[1]", "expected a JSON object, found array");
  refuses("loss 3", "'loss 3'");
  refuses("{\"loss\":1}", "expected an object with \"iteration\", found one without");
  refuses("{\"iteration\":-1}", "iteration: expected a whole number from 0 to");
  refuses("{\"iteration\":1.5}", "found number");
  refuses("{\"iteration\":18446744073709551615}", "found 18446744073709551615");
  refuses("{\"iteration\":1,\"loss\":\"low\"}", "'loss': expected a number or null, found string");
  refuses("{\"iteration\":1,\"loss\":1e999}", "expected a JSON object");
  std::string many = "{\"iteration\":1";
  for (int i = 0; i < 300; ++i) many += fmt::format(",\"m{}\":0", i);
  refuses(many + "}", "at most 256 metrics, found another, 'm256'");
}

TEST(RunData, RanksAndHowLongTheyWaited) {
  const std::string text = R"({"end":"complete","iterations":1,"pairs":2,"seconds":3,"pairs_per_s":4)";
  EXPECT_TRUE(parse_run_result(text + "}", "r.json").ranks.empty());
  const RunResult result = parse_run_result(
      text + R"(,"ranks":[{"place":"a, process 1","waited_s":0.5},{"place":"b","waited_s":2}]})", "r.json");
  ASSERT_EQ(result.ranks.size(), 2u);
  EXPECT_EQ(result.ranks[0].place, "a, process 1");
  EXPECT_EQ(result.ranks[1].waited, 2);
  testing::expect_error([&] { parse_run_result(text + R"(,"ranks":[1]})", "r.json"); }, "r.json", "ranks");
}

TEST(RunData, AMillionKeysAreRefusedBeforeTheyAreRead) {
  std::string text = R"({"end": "complete")";
  for (int i = 0; i < 1'000'000; ++i) text += fmt::format(R"(,"k{}":1)", i);
  testing::expect_error([&] { parse_run_result(text + "}", "result.json"); }, "result.json",
                        "at most 8192 members, found 1000001");
}

TEST(RunData, BadSnapshotsAreRefusedWithTheirPlace) {
  const auto refuses = [](const std::string& rest, const std::string& what) {
    expect_error([&] { snapshots("{\"iteration\":3," + rest + "}\n"); }, "[report] s.jsonl:1: ", what);
  };
  const auto histogram = [](const std::string& rest) { return "\"histograms\":[{\"name\":\"d\"," + rest + "}]"; };
  EXPECT_EQ(snapshots("{\"iteration\":3," + histogram("\"low\":0,\"high\":1,\"counts\":[1]") + "}\n").size(), 1u);
  refuses("\"histograms\":7", "histograms: expected a list, found number");
  refuses("\"histograms\":[7]", "histograms[0]: expected an object, found number");
  refuses(histogram("\"low\":0,\"high\":0,\"counts\":[1]"), "histograms[0]: expected low < high");
  refuses(histogram("\"low\":0,\"high\":1"), "with \"counts\"");
  refuses(histogram("\"low\":0,\"high\":1,\"counts\":[]"), "counts: expected at least one bin, found none");
  refuses(histogram("\"low\":0,\"high\":1,\"counts\":[-1]"), "counts[0]: expected a whole number from 0");
  refuses(histogram("\"low\":0,\"high\":1,\"counts\":[\"1\"]"), "counts[0]");
  expect_error(
      [&] {
        snapshots("{\"iteration\":3," + histogram("\"low\":0,\"high\":1,\"counts\":[1]") + "}\n{\"iteration\":4," +
                  histogram("\"low\":0,\"high\":1,\"counts\":[1,2]") + "}\n");
      },
      "s.jsonl:2: histograms[0]: expected 1 bins from 0 to 1 as in earlier lines, found 2 from 0 to 1");

  const auto pick = [](const std::string& patches, const std::string& rest) {
    return "\"picks\":[{\"class\":1,\"patches\":" + patches + "," + rest + "}]";
  };
  const std::string chosen = "\"anchor\":0,\"drawn\":1", two = "[\"/w==\",\"AA==\"]";  // of one pixel each
  EXPECT_EQ(snapshots("{\"iteration\":3," + pick(two, chosen) + "}\n")[0].picks[0].distances.size(), 2u);
  refuses(pick("[]", chosen), "patches: expected at least one patch, found none");
  refuses(pick("[\"/w=\"]", chosen), "patches[0]: expected base64 of a square picture");
  refuses(pick("[\"AAA=\"]", chosen), "found 2 bytes");
  refuses(pick("[\"\"]", chosen), "found 0 bytes");
  refuses(pick("[\"" + base64_encode(std::vector<uint8_t>(65 * 65)) + "\"]", chosen), "found 4225 bytes");
  refuses(pick(two, "\"anchor\":0,\"drawn\":2"), "picks[0].drawn: expected a whole number from 0 to 1, found 2");
  refuses(pick(two, "\"drawn\":1"), "with \"anchor\"");
  refuses(pick(two, chosen + ",\"d\":[1]"), "picks[0].d: expected 2 values, one a patch, found 1");
  refuses(pick(two, chosen + ",\"p\":[1,\"x\"]"), "picks[0].p[1]: expected a number or null, found string");
}

TEST(RunData, BadFilesAreRefusedByName) {
  RunData run;
  expect_error([] { parse_run_result("", "result.json"); },
               "[report] result.json: expected a JSON object, found nothing");
  expect_error([] { parse_run_result("{}", "result.json"); }, "with \"end\"");
  expect_error([] { parse_run_result(R"({"end":"complete","iterations":"many"})", "r.json"); },
               "iterations: ", "found string");
  expect_error([] { parse_curves(R"({"fpr95":2})", "curves.json"); }, "fpr95: expected a share from 0 to 1, found 2");
  expect_error([] { parse_curves(R"({"fpr95":0,"ap":1,"auc":1,"roc":[[0,1,2]]})", "c.json"); },
               "roc[0]: expected at most 2");
  expect_error([] { parse_curves(R"({"fpr95":0,"ap":1,"auc":1,"roc":[[0]]})", "c.json"); },
               "roc[0]: expected two numbers, found 1");
  expect_error([] { parse_curves(R"({"fpr95":0,"ap":1,"auc":1,"roc":[[0,null]]})", "c.json"); },
               "roc[0][1]: expected a number, found null");
  expect_error([&] { parse_run_info(R"({"data":[{}]})", "run.json", run); },
               "data[0]: expected an object with \"path\"");
  expect_error([&] { parse_run_info(R"({"data":{}})", "run.json", run); }, "data: expected a list, found object");
}

TEST(RunData, ChangesMadeMidwayAreNoted) {
  RunData run;
  parse_run_info(R"({"changes":[{"iteration":24,"what":["lambda 10 -> 5","seed 0 -> 3"]}]})", "run.json", run);
  ASSERT_EQ(run.notes.size(), 1u);
  EXPECT_EQ(run.notes[0], "Changed at iteration 24: lambda 10 -> 5; seed 0 -> 3.");
}

}  // namespace
}  // namespace adasample
