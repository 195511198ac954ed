// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/live/run_tail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "tests/support/made_run.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::MadeRun;
namespace fs = std::filesystem;

void append(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::app) << text; }

void expect_same(const std::vector<Series>& a, const std::vector<Series>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].name, b[i].name);
    EXPECT_EQ(a[i].iterations, b[i].iterations) << a[i].name;
    ASSERT_EQ(a[i].values.size(), b[i].values.size());
    for (size_t v = 0; v < a[i].values.size(); ++v) {
      if (std::isnan(b[i].values[v])) continue;
      EXPECT_EQ(a[i].values[v], b[i].values[v]);
    }
  }
}

// Byte by byte or in pieces of any length, at the end it has read what read_run reads at once.
TEST(RunTail, ReadsWhatReportReads) {
  const testing::TempFolder folder;
  const MadeRun made{.iterations = 120};
  made.write(folder / "whole");
  const RunData whole = read_run(folder / "whole");
  fs::create_directories(folder / "run");
  RunTail tail(folder / "run");
  tail.refresh();
  const std::string metrics = made.metrics_text(), snapshots = made.snapshots_text();
  size_t read = 0, at_snapshots = 0, changes = 0;
  for (size_t piece = 1; read < metrics.size(); piece = piece * 7 % 5000 + 1) {
    append(folder / "run" / "metrics.jsonl", metrics.substr(read, piece));
    append(folder / "run" / "snapshots.jsonl", snapshots.substr(std::min(at_snapshots, snapshots.size()), 3 * piece));
    read += piece;
    at_snapshots += 3 * piece;
    changes += tail.refresh();
  }
  if (at_snapshots < snapshots.size()) append(folder / "run" / "snapshots.jsonl", snapshots.substr(at_snapshots));
  tail.refresh();
  EXPECT_GT(changes, 20u);
  expect_same(tail.data().metrics, whole.metrics);
  EXPECT_EQ(tail.data().snapshots.size(), whole.snapshots.size());
  EXPECT_FALSE(tail.data().result);
  EXPECT_FALSE(tail.refresh()) << "nothing is new";
}

// A line is shown when it is complete: the half of one says nothing.
TEST(RunTail, WaitsForTheEndOfALine) {
  const testing::TempFolder folder;
  RunTail tail(folder / "run");
  tail.refresh();
  EXPECT_EQ(tail.data().notes, std::vector<std::string>{"There is no such folder yet."});
  fs::create_directories(folder / "run");
  EXPECT_TRUE(tail.refresh());
  EXPECT_EQ(tail.data().notes, std::vector<std::string>{"There is no metrics.jsonl in it yet."});
  append(folder / "run" / "metrics.jsonl", "{\"iteration\":0,\"loss\":1}\n{\"iteration\":1,\"lo");
  EXPECT_TRUE(tail.refresh());
  EXPECT_EQ(tail.data().metric("loss")->values, std::vector<double>{1});
  EXPECT_TRUE(tail.data().notes.empty());
  EXPECT_FALSE(tail.refresh());
  append(folder / "run" / "metrics.jsonl", "ss\":0.5}\n");
  EXPECT_TRUE(tail.refresh());
  EXPECT_EQ(tail.data().metric("loss")->values, (std::vector<double>{1, 0.5}));
}

// A resumed run cuts its log and goes on; if it has grown past the old length meanwhile, that is noticed too.
TEST(RunTail, FollowsAResumedRun) {
  const testing::TempFolder folder;
  const fs::path log = folder / "metrics.jsonl";
  const auto line = [](int t, double loss) {
    return "{\"iteration\":" + std::to_string(t) + ",\"loss\":" + std::to_string(loss) + "}\n";
  };
  append(log, line(0, 1) + line(1, 0.9) + line(2, 0.8));
  RunTail tail(folder.path());
  tail.refresh();
  fs::resize_file(log, line(0, 1).size());
  append(log, line(1, 0.7) + line(2, 0.6) + line(3, 0.5));
  EXPECT_TRUE(tail.refresh());
  EXPECT_EQ(tail.data().metric("loss")->values, (std::vector<double>{1, 0.7, 0.6, 0.5}));
}

TEST(RunTail, TellsWhatIsWrongAndGoesOn) {
  const testing::TempFolder folder;
  append(folder / "metrics.jsonl", "{\"iteration\":0,\"loss\":1}\nrubbish\n{\"iteration\":1,\"loss\":0.5}\n");
  append(folder / "result.json", "{\"end\":");
  RunTail tail(folder.path());
  tail.refresh();
  ASSERT_EQ(tail.data().notes.size(), 2u);
  EXPECT_NE(tail.data().notes[0].find("metrics.jsonl:2"), std::string::npos) << tail.data().notes[0];
  EXPECT_NE(tail.data().notes[1].find("result.json"), std::string::npos) << tail.data().notes[1];
  EXPECT_EQ(tail.data().metric("loss")->values, (std::vector<double>{1, 0.5}));
  EXPECT_FALSE(tail.refresh()) << "the same trouble is told once";
  fs::remove(folder / "result.json");
  append(folder / "result.json", R"({"end":"complete","iterations":1,"pairs":2,"seconds":3,"pairs_per_s":4})");
  EXPECT_TRUE(tail.refresh());
  ASSERT_TRUE(tail.data().result);
  EXPECT_EQ(tail.data().result->end, "complete");
}

}  // namespace
}  // namespace adasample
