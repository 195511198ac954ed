// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/training_run.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "adasample/train/device.h"
#include "tests/support/expect_error.h"
#include "tests/support/few_options.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

class TrainingRuns : public ::testing::Test {
 protected:
  TrainingRuns() : data_(testing::small_store(folder_ / "s", 20, 4)), val_(testing::small_store(folder_ / "v", 9, 3)) {}

  RunPlan plan_for(const std::string& out, int64_t iterations = 6) const {
    RunPlan plan{make_preset("robust", "cpu"), {{data_.folder().string()}, (folder_ / out).string(), "", "", {}}};
    plan.options.batch = 4;
    plan.options.k = 3;
    plan.options.iterations = iterations;
    plan.options.log_every = 2;
    return plan;
  }
  RunPlan validated_plan(const std::string& out) const {
    RunPlan with = plan_for(out);
    with.inputs.val = val_.folder().string();
    with.options.eval_every = 4;
    return with;
  }
  // From start to report.
  TrainResult run_through(const RunPlan& plan) const {
    TrainingRun run(plan, text_);
    EXPECT_TRUE(run.start());
    TrainResult result = run.train("test");
    run.write_report();
    return result;
  }

  testing::TempFolder folder_;
  PatchStore data_, val_;
  testing::FewOptions text_;
};

TEST_F(TrainingRuns, TrainAsTheTrainerDoes) {
  const RunPlan of_run = plan_for("run");
  const TrainResult result = run_through(of_run);
  MemorySink sink;
  EXPECT_EQ(result.end, TrainResult::End::kComplete);
  EXPECT_EQ(result.weights.arrays, Trainer(of_run.options, {&data_}).run(sink).weights.arrays);
  EXPECT_EQ(load_safetensors(folder_ / "run/model.safetensors").arrays, result.weights.arrays);
  EXPECT_EQ(read_text(folder_ / "run/config.toml"), text_.config(of_run));
  EXPECT_TRUE(fs::exists(folder_ / "run/report.html") && fs::exists(folder_ / "run/result.json"));
  EXPECT_FALSE(fs::exists(folder_ / "run/curves.json")) << "nothing to validate on";
  EXPECT_FALSE(result.best);
}

TEST_F(TrainingRuns, ValidateOnTheirStore) {
  const TrainResult result = run_through(validated_plan("run"));
  ASSERT_TRUE(result.best);
  const auto last = make_descriptor(result.weights, "last", "cpu");
  const HeldoutPairs pairs(val_, {.pairs = 5000, .seed = 1});
  EXPECT_EQ(read_text(folder_ / "run/curves.json"), pairs.score(*last, "validation").curves);
  EXPECT_EQ(result.best_score, Validation(val_).score(*make_descriptor(*result.best, "best", "cpu")));
  EXPECT_TRUE(fs::exists(folder_ / "run/best.safetensors"));
}

TEST_F(TrainingRuns, GoOnWhereTheirProcessDied) {
  const RunPlan same = validated_plan("run");
  run_through(same);
  const std::string curves = read_text(folder_ / "run/curves.json"),
                    weights = read_text(folder_ / "run/model.safetensors");
  for (const char* name : {"result.json", "curves.json", "model.safetensors"}) fs::remove(folder_ / "run" / name);
  TrainingRun again(same, text_, RunFolder::reopen(folder_ / "run"));
  ASSERT_TRUE(again.start());
  EXPECT_EQ(again.train("test").iterations, 6);
  EXPECT_EQ(read_text(folder_ / "run/curves.json"), curves);
  EXPECT_EQ(read_text(folder_ / "run/model.safetensors"), weights);
}

TEST_F(TrainingRuns, ThatAreCompleteStayAsTheyAre) {
  const RunPlan same = plan_for("run");
  run_through(same);
  fs::remove(folder_ / "run/report.html");
  const std::string result = read_text(folder_ / "run/result.json");
  TrainingRun again(same, text_, RunFolder::reopen(folder_ / "run"));
  EXPECT_FALSE(again.start());
  EXPECT_EQ(again.folder().start().state.iteration, 6);
  EXPECT_EQ(read_text(folder_ / "run/result.json"), result);
  EXPECT_FALSE(fs::exists(folder_ / "run/report.html"))
      << "who wants one writes it: the runs of an experiment have none";
}

TEST_F(TrainingRuns, ChangeOnlyWhereAllowed) {
  run_through(plan_for("run"));
  const RunPlan longer = plan_for("run", 8);
  expect_error([&] { TrainingRun(longer, text_, RunFolder::reopen(folder_ / "run")).start(); }, "iterations 6 -> 8",
               "--allow-changes");
  {
    TrainingRun run(longer, text_, RunFolder::reopen(folder_ / "run"));
    ASSERT_TRUE(run.start(/*allow_changes=*/true));
    EXPECT_EQ(run.train("test").iterations, 8);
  }
  const std::vector<std::string> warnings = testing::take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("changed at iteration 6: iterations 6 -> 8"), std::string::npos);
  const auto environment = nlohmann::json::parse(read_text(folder_ / "run/run.json"));
  EXPECT_EQ(environment["changes"][0]["iteration"], 6);
  expect_error([&] { TrainingRun(plan_for("run"), text_, RunFolder::reopen(folder_ / "run")).start(true); },
               "has done 8");
}

// What was learned on another validation store is no measure for this one.
TEST_F(TrainingRuns, ForgetTheBestOfAnotherValidation) {
  run_through(validated_plan("run"));
  testing::small_store(folder_ / "w", 11, 3);
  RunPlan other = validated_plan("run");
  other.inputs.val = (folder_ / "w").string();
  other.options.iterations = 7;
  TrainingRun run(other, text_, RunFolder::reopen(folder_ / "run"));
  ASSERT_TRUE(run.start(/*allow_changes=*/true));
  EXPECT_EQ(run.folder().start().state.best_iteration, -1);
  EXPECT_EQ(testing::take_warnings().size(), 1u);
}

// A run that was begun with another score on the same store.
TEST_F(TrainingRuns, ForgetTheBestByAnotherScore) {
  const RunPlan same = validated_plan("run");
  run_through(same);
  for (const char* name : {"result.json", "curves.json", "model.safetensors"}) fs::remove(folder_ / "run" / name);
  fs::path last;  // checkpoint
  for (const auto& entry : fs::directory_iterator(folder_ / "run/checkpoints")) last = std::max(last, entry.path());
  Checkpoint checkpoint = read_checkpoint(last);
  ASSERT_EQ(checkpoint.state.environment["val_score"], kValidationScore);
  EXPECT_GE(checkpoint.state.best_iteration, 0);
  checkpoint.state.environment.erase("val_score");
  fs::remove_all(last);
  write_checkpoint(checkpoint, last);
  TrainingRun run(same, text_, RunFolder::reopen(folder_ / "run"));
  ASSERT_TRUE(run.start()) << "needs no leave";
  EXPECT_EQ(run.folder().start().state.best_iteration, -1);
  const std::vector<std::string> warnings = testing::take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("the score on --val was FPR95 of 5000 pairs"), std::string::npos) << warnings[0];
  const auto environment = nlohmann::json::parse(read_text(folder_ / "run/run.json"));
  EXPECT_EQ(environment["val_score"], kValidationScore);
  EXPECT_EQ(environment["changes"].size(), 1u);
}

TEST_F(TrainingRuns, LeaveNothingWhereSomethingDoesNotFit) {
  const auto refused = [&](auto&& change, const auto&... parts) {
    RunPlan wrong = plan_for("run");
    change(wrong.inputs);
    expect_error([&] { TrainingRun(wrong, text_).start(); }, parts...);
    EXPECT_FALSE(fs::exists(folder_ / "run"));
  };
  refused([](RunInputs& inputs) { inputs.share = {1, 2}; }, "--share is given 2 times");
  refused([](RunInputs& inputs) { inputs.data.push_back("/nowhere"); }, "/nowhere");
  refused([](RunInputs& inputs) { inputs.val = inputs.data[0]; }, "same scenes");
  refused([](RunInputs& inputs) { inputs.init = "/nowhere.safetensors"; }, "/nowhere.safetensors");
}

// As they are before the first step.
TEST_F(TrainingRuns, StartFromGivenWeights) {
  const TrainResult first = run_through(plan_for("first"));
  RunPlan from = plan_for("second", 1);
  from.inputs.init = (folder_ / "first").string();
  TrainingRun run(from, text_);
  run.start();
  const Checkpoint begun = read_checkpoint(folder_ / "second/checkpoints/step_000000000");
  EXPECT_EQ(begun.weights().arrays, first.weights.arrays);
}

}  // namespace
}  // namespace adasample
