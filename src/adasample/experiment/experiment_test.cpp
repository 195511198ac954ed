// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/experiment.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "tests/support/few_options.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What these grids vary, beside what FewOptions has.
class GridOptions : public testing::FewOptions {
 public:
  std::map<std::string, std::string> values(const TrainOptions& options) const override {
    std::map<std::string, std::string> all = FewOptions::values(options);
    all["sampler"] = options.sampler;
    all["lr"] = fmt::format("{}", options.learning_rate);
    all["batch"] = fmt::format("{}", options.batch);
    return all;
  }
  bool set(TrainOptions& options, const std::string& name, const std::string& value) const override {
    if (name == "sampler") {
      options.sampler = value;
    } else if (name == "lr") {
      options.learning_rate = std::stod(value);
    } else if (name == "batch") {
      options.batch = std::stoll(value);
    } else {
      return FewOptions::set(options, name, value);
    }
    return true;
  }
};

class Experiments : public ::testing::Test {
 protected:
  Experiments() {
    text_ = {{"seeds", 2},
             {"train", {{"iterations", 4}, {"batch", 4}, {"k", 3}}},
             {"data", {{"leaves", {{"classes", 12}, {"views", 4}}}}},
             {"heldout", {{"others", {{"classes", 12}, {"views", 3}}}}},
             {"arm", json::array({{{"sampler", "random"}}, {{"sampler", "adasample"}}})},
             {"judge", {{"kind", "patches"}, {"data", "others"}}}};
  }
  ExperimentEnd run(ExperimentPart part = ExperimentPart::kAll) {
    return run_experiment(parse_grid(text_, "g"), {folder_ / "out", "cpu", part}, options_);
  }
  std::string problems(const ExperimentEnd& end) {
    std::string all;
    for (const std::string& problem : end.problems) all += problem + "\n";
    testing::take_warnings();
    return all;
  }
  std::string score(const std::string& trial) const { return read_text(folder_ / ("out/scores/" + trial)); }

  testing::TempFolder folder_;
  GridOptions options_;
  json text_;
};

TEST_F(Experiments, TrainScoreCompareAndNothingTwice) {
  const ExperimentEnd end = run();
  EXPECT_EQ(problems(end), "");
  ASSERT_EQ(end.results.tables.size(), 1u);
  ASSERT_EQ(end.results.tables[0].rows.size(), 2u);
  EXPECT_EQ(end.results.tables[0].rows[1].figures.at("fpr95").values.size(), 2u);
  EXPECT_EQ(end.results.tables[0].rows[1].iterations, 4);
  EXPECT_EQ(json::parse(score("random-seed1/patches.json"))["model_seed"], 1);
  for (const char* file : {"table.txt", "table.md", "result.json", "report.html", "stores/leaves/meta.json",
                           "runs/random-seed1/model.safetensors", "scores/adasample-seed0/patches.json"}) {
    EXPECT_TRUE(fs::exists(folder_ / "out" / file)) << file;
  }
  EXPECT_FALSE(fs::exists(folder_ / "out/runs/random-seed1/checkpoints")) << "complete: nothing to resume";
  const auto trained = fs::last_write_time(folder_ / "out/runs/random-seed0/model.safetensors");
  const auto scored = fs::last_write_time(folder_ / "out/scores/random-seed0/patches.json");
  const std::string table = read_text(folder_ / "out/table.txt");
  fs::create_directories(folder_ / "out/runs/random-seed0/checkpoints/step_000000004");  // killed while it removed them
  run();
  EXPECT_FALSE(fs::exists(folder_ / "out/runs/random-seed0/checkpoints"));
  EXPECT_EQ(fs::last_write_time(folder_ / "out/runs/random-seed0/model.safetensors"), trained);
  EXPECT_EQ(fs::last_write_time(folder_ / "out/scores/random-seed0/patches.json"), scored);
  EXPECT_EQ(read_text(folder_ / "out/table.txt"), table);
}

// Trained in one place, scored in another that has the scores only, or the runs only.
TEST_F(Experiments, GoOnWithoutWhatIsNotNeeded) {
  run(ExperimentPart::kTrain);
  EXPECT_FALSE(fs::exists(folder_ / "out/table.txt"));
  EXPECT_FALSE(fs::exists(folder_ / "out/scores/random-seed0/patches.json"));
  EXPECT_EQ(problems(run(ExperimentPart::kScore)), "");
  const std::string first = score("random-seed0/patches.json");
  fs::remove_all(folder_ / "out/runs");
  text_["seeds"] = 3;
  const ExperimentEnd end = run();
  EXPECT_EQ(problems(end), "");
  EXPECT_EQ(end.results.tables[0].rows[0].seeds, 3);
  EXPECT_FALSE(fs::exists(folder_ / "out/runs/random-seed0")) << "its scores are all that is needed";
  EXPECT_EQ(score("random-seed0/patches.json"), first);
}

TEST_F(Experiments, WhatFailsIsToldAndTheRestGoesOn) {
  text_["arm"].push_back({{"sampler", "adasample"}, {"lamda", 3}});
  text_["arm"].push_back({{"sampler", "nearest"}});
  text_["arm"].push_back({{"sampler", "adasample"}, {"k", 3}, {"data", "gone"}});
  text_["data"]["gone"] = (folder_ / "nowhere").string();
  text_["judge"] = json::array({text_["judge"], {{"kind", "tracks"}, {"data", (folder_ / "none").string()}},
                                {{"kind", "patches"}, {"name", "cheat"}, {"data", "leaves"}}});
  text_["arm"][0]["data"] = text_["arm"][1]["data"] = "leaves";
  const ExperimentEnd end = run();
  const std::string all = problems(end);
  for (const char* part :
       {"lamda = '3': no such option", "sampler = 'nearest'", "nowhere", "judge tracks: ", "cheat leaves out what"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  }
  EXPECT_EQ(end.results.tables[0].rows.size(), 2u);
  EXPECT_EQ(end.results.tables[0].rows[0].figures.at("fpr95").values.size(), 2u);
}

TEST_F(Experiments, BrokenRunsAreCountedAndNotTriedAgain) {
  text_["arm"].push_back({{"sampler", "adasample"}, {"lr", 1e38}, {"iterations", 40}});
  const ExperimentEnd end = run();
  EXPECT_NE(problems(end).find("not finite"), std::string::npos);
  ASSERT_EQ(end.results.tables[0].rows.size(), 3u);
  EXPECT_EQ(end.results.tables[0].rows[2].broken.size(), 2u);
  const auto ended = fs::last_write_time(folder_ / "out/scores/adasample-iterations-40-lr-1e-38-seed0/run.json");
  problems(run());
  EXPECT_EQ(fs::last_write_time(folder_ / "out/scores/adasample-iterations-40-lr-1e-38-seed0/run.json"), ended);
}

TEST_F(Experiments, AChangedGridIsNoticed) {
  run();
  text_["train"]["k"] = 2;
  const std::string all = problems(run());
  EXPECT_NE(all.find("trained with k = \"3\", the grid says \"2\""), std::string::npos) << all;
  EXPECT_TRUE(run(ExperimentPart::kReport).results.tables.empty()) << "what belongs to another grid is in no table";
  testing::take_warnings();
  text_["data"]["leaves"]["classes"] = 14;
  EXPECT_NE(problems(run()).find("12 classes"), std::string::npos);
}

TEST_F(Experiments, OtherDataOfTheSameNameAreNoticed) {
  testing::small_store(folder_ / "a", 12, 4);
  testing::small_store(folder_ / "b", 14, 4);
  text_["data"]["leaves"] = (folder_ / "a").string();
  text_["heldout"]["others"] = (folder_ / "b").string();
  text_["seeds"] = 1;
  EXPECT_EQ(problems(run()), "");
  text_["data"]["leaves"] = (folder_ / "b").string();
  text_["heldout"]["others"] = (folder_ / "a").string();
  const ExperimentEnd end = run();
  EXPECT_NE(problems(end).find("trained on other data than leaves"), std::string::npos);
  EXPECT_TRUE(end.results.tables.empty());
  text_["data"]["leaves"] = (folder_ / "a").string();  // as it was, but other data to judge on
  testing::small_store(folder_ / "c", 15, 4);
  text_["heldout"]["others"] = (folder_ / "c").string();
  const ExperimentEnd judged = run();
  EXPECT_NE(problems(judged).find("scores were given on other data"), std::string::npos);
  EXPECT_TRUE(judged.results.tables[0].rows[0].figures.empty());
}

// A damaged file costs its trial, not the table.
TEST_F(Experiments, DamagedScoresAreTold) {
  run();
  write_file_atomically(folder_ / "out/scores/random-seed0/patches.json", "{");
  write_file_atomically(folder_ / "out/scores/random-seed1/run.json", "[]");
  const ExperimentEnd end = run(ExperimentPart::kReport);
  const std::string all = problems(end);
  EXPECT_NE(all.find("random-seed0/patches.json"), std::string::npos) << all;
  EXPECT_NE(all.find("random-seed1"), std::string::npos) << all;
  ASSERT_EQ(end.results.tables.size(), 1u);
  EXPECT_EQ(end.results.tables[0].rows[1].figures.at("fpr95").values.size(), 2u);
}

TEST_F(Experiments, EqualSecondsGiveTheFasterArmMoreIterations) {
  text_["budget"] = {"pairs", "seconds"};
  run(ExperimentPart::kScore);
  EXPECT_FALSE(fs::exists(folder_ / "out/lengths.json")) << "nothing has been measured yet";
  const ExperimentEnd end = run();
  EXPECT_EQ(problems(end), "");
  ASSERT_EQ(end.results.tables.size(), 2u);
  const json lengths = json::parse(read_text(folder_ / "out/lengths.json"));
  const int64_t uniform = lengths["random on leaves"], adaptive = lengths["adasample on leaves"];
  EXPECT_EQ(std::min(uniform, adaptive), 4) << "the slowest has its own length";
  EXPECT_EQ(end.results.tables[1].rows[0].iterations, uniform);
  EXPECT_EQ(end.results.tables[1].rows[1].iterations, adaptive);
  EXPECT_EQ(problems(run()), "") << "the slowest arm's run stands for both budgets, again and again";
  // Kept, whatever the machine that goes on measures.
  write_file_atomically(folder_ / "out/lengths.json", R"({"random on leaves": 7, "adasample on leaves": 4})");
  fs::remove_all(folder_ / "out/scores/random-seconds-seed1");
  fs::remove_all(folder_ / "out/runs/random-seconds-seed1");
  problems(run());
  EXPECT_EQ(json::parse(score("random-seconds-seed1/run.json"))["iterations"], 7);
}

TEST(IterationsInEqualTime, ByTheRatioOfSeconds) {
  EXPECT_EQ(iterations_in_equal_time(1000, 16.3, 10), 1630);
  EXPECT_EQ(iterations_in_equal_time(1000, 10, 10), 1000);
  EXPECT_EQ(iterations_in_equal_time(1000, 10.1, 10), 1000) << "within what seconds vary";
}

}  // namespace
}  // namespace adasample
