// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/run_changes.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

using nlohmann::json;
using testing::expect_error;
using Lines = std::vector<std::string>;

json store_called(const std::string& path, int patches) {
  return {{"path", path},     {"patches", patches}, {"classes", 5},
          {"patch_size", 32}, {"sha256", "a"},      {"sample_sha256", "b"}};
}

json environment_with(const std::vector<json>& data) {
  return {{"data", data}, {"architecture", "l2net"}, {"threads", 2}};
}

TEST(RunChanges, OfTheConfiguration) {
  const json before = {{"k", "6"}, {"lambda", "10"}, {"keep-last", "2"}};
  EXPECT_EQ(configuration_changes(before, before), Lines());
  EXPECT_EQ(configuration_changes(before, {{"k", "6"}, {"lambda", "5"}}), Lines{"lambda 10 -> 5"});
  EXPECT_EQ(configuration_changes(before, {{"keep-last", "9"}}), Lines()) << "free to change";
  EXPECT_EQ(configuration_changes(before, {{"new", "1"}}), Lines{"new null -> 1"});
}

TEST(RunChanges, OfTheArithmetic) {
  const json before = {{"threads", 2}, {"engine", "onednn"}, {"instructions", "avx512"}};
  EXPECT_EQ(arithmetic_changes(before, before), Lines());
  json now = before;
  now["instructions"] = "avx2";
  EXPECT_EQ(arithmetic_changes(before, now), Lines{"instructions avx512 -> avx2"});
}

TEST(RunChanges, OfTheStores) {
  const json before = environment_with({store_called("s", 120)});
  EXPECT_EQ(data_changes(before, environment_with({store_called("moved", 120)})), Lines());
  EXPECT_EQ(data_changes(before, environment_with({store_called("s", 130)})), Lines{"data s: patches 120 -> 130"});
  EXPECT_EQ(data_changes(before, environment_with({store_called("s", 120), store_called("t", 1)})),
            Lines{"1 stores -> 2"});
  json other = before;
  other["architecture"] = "tfeat";
  EXPECT_EQ(data_changes(before, other), Lines{"architecture l2net -> tfeat"});
}

TEST(RunChanges, OfTheValidation) {
  const json without = environment_with({store_called("s", 120)});
  json with = without, changed = without;
  with["val"] = store_called("v", 10);
  changed["val"] = store_called("v", 11);
  EXPECT_FALSE(val_changed(with, with) || val_changed(without, without));
  EXPECT_TRUE(val_changed(with, changed) && val_changed(with, without) && val_changed(without, with));
  EXPECT_EQ(data_changes(without, with), Lines{"validation where there was none"});
  EXPECT_EQ(data_changes(with, without), Lines{"no validation where there was one"});
  EXPECT_EQ(data_changes(with, changed), Lines{"val v: patches 10 -> 11"});
}

// A run begun by a program that scored otherwise, or did not yet say how: it goes on, but its best is none.
TEST(RunChanges, OfTheScoreOnTheValidation) {
  const json without = environment_with({store_called("s", 120)});
  json unnamed = without, one = without, other = without;
  for (json* with : {&unnamed, &one, &other}) (*with)["val"] = store_called("v", 10);
  one["val_score"] = "one";
  other["val_score"] = "other";
  EXPECT_EQ(score_changes(one, one), Lines());
  EXPECT_EQ(score_changes(one, other), Lines{"the score on --val was one, is other; the best so far is forgotten"});
  EXPECT_EQ(score_changes(unnamed, one),
            Lines{"the score on --val was FPR95 of 5000 pairs of each kind, is one; the best so far is forgotten"});
  EXPECT_EQ(score_changes(without, one), Lines()) << "a validation where there was none is another change";
  EXPECT_TRUE(val_changed(one, other) && val_changed(unnamed, one));
  EXPECT_FALSE(val_changed(one, one));
  EXPECT_EQ(data_changes(unnamed, one), Lines()) << "needs no leave";
}

TEST(RunChanges, AreRefusedUnlessAllowedAndThenRecorded) {
  CheckpointState state;
  state.iteration = 40;
  state.configuration = {{"lambda", "10"}};
  state.environment = environment_with({store_called("s", 120)});
  RunDescription now{"", {{"lambda", "5"}}, environment_with({store_called("s", 120)})};
  expect_error([&] { allowed_changes("runs/a", state, now, false); }, "runs/a", "lambda 10 -> 5", "--allow-changes");
  const Lines changes = allowed_changes("runs/a", state, now, true);
  EXPECT_EQ(changes, Lines{"lambda 10 -> 5"});
  EXPECT_EQ(allowed_changes("runs/a", state, {"", state.configuration, state.environment}, false), Lines());

  now.environment["threads"] = 3;
  state.environment["changes"] = json::array({"earlier"});
  record_changes(changes, state, now);
  EXPECT_EQ(now.environment["changes"][0], "earlier");
  EXPECT_EQ(now.environment["changes"][1], (json{{"iteration", 40}, {"what", changes}}));
  const Lines warnings = testing::take_warnings();
  ASSERT_EQ(warnings.size(), 2u);
  EXPECT_NE(warnings[0].find("changed at iteration 40: lambda 10 -> 5"), std::string::npos);
  EXPECT_NE(warnings[1].find("threads 2 -> 3"), std::string::npos);

  state.environment["changes"] = "edited";
  expect_error([&] { record_changes({}, state, now); }, "are no list");
}

// A run of 6 iterations that ended with `result`.
RunFolder ended_run(const std::filesystem::path& folder, const json& result) {
  Checkpoint last;
  last.state.iteration = 6;
  RunFolder::create(folder, {}, {}).save_checkpoint(last);
  write_file_atomically(folder / "result.json", result.dump());
  return RunFolder::reopen(folder);
}

TEST(RunChanges, ACompleteRunHasNothingLeftToDo) {
  const testing::TempFolder folder;
  const RunFolder run = ended_run(folder / "run", {{"end", "complete"}});
  EXPECT_TRUE(is_complete(run, 6, false));
  EXPECT_FALSE(is_complete(run, 8, true)) << "longer than before";
  expect_error([&] { is_complete(run, 6, true); }, "is complete", "--iterations");
  expect_error([&] { is_complete(run, 5, true); }, "iterations = 5", "done 6");
}

TEST(RunChanges, ABrokenRunGoesOnOnlyChanged) {
  const testing::TempFolder folder;
  for (const char* end : {"collapsed", "not finite"}) {
    const RunFolder run = ended_run(folder / end, {{"end", end}, {"reason", "as it was"}});
    expect_error([&] { is_complete(run, 6, false); }, "broke down", "as it was");
    EXPECT_FALSE(is_complete(run, 6, true));
  }
  EXPECT_FALSE(is_complete(ended_run(folder / "stopped", {{"end", "stopped"}}), 6, false));
}

}  // namespace
}  // namespace adasample
