// SPDX-License-Identifier: Apache-2.0
// adasample experiment as people use it: a small grid, bad input, and an experiment that is killed and goes on.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "tests/support/process.h"
#include "tests/support/program.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Outcome;
using testing::Process;

class ExperimentCli : public testing::ProgramTest {
 protected:
  static json small_grid() {
    return {{"title", "Small"},
            {"seeds", 2},
            {"train", {{"iterations", 8}, {"batch", 6}, {"k", 3}, {"checkpoint-every", 2}, {"log-every", 2}}},
            {"data", {{"leaves", {{"classes", 40}, {"views", 4}}}}},
            {"heldout", {{"others", {{"classes", 40}, {"views", 3}}}}},
            {"arm", json::array({{{"sampler", "random"}, {"weights", "none"}},
                                 {{"sampler", "adasample"}, {"weights", {"none", "class"}}}})},
            {"judge", {{"kind", "patches"}, {"data", "others"}}}};
  }
  void write(const std::string& name, const json& grid) const { write_file_atomically(path(name), grid.dump()); }

  // What was found out, without what a clock decides.
  json found(const std::string& out) const {
    json result = json::parse(read_text(path(out + "/result.json")));
    for (json& table : result["tables"]) {
      for (json& row : table["rows"]) row.erase("seconds");
    }
    return result;
  }
};

TEST_F(ExperimentCli, TableAndPage) {
  write("g.json", small_grid());
  const Outcome done = run("experiment g.json --out r -q --device cpu --threads 2");
  EXPECT_EQ(done.code, 0) << done.err;
  for (const char* part :
       {"Small", "random weights=none", "adasample weights=class", "fpr95", "minus random", "cannot reach p = 0.05"}) {
    EXPECT_NE(done.out.find(part), std::string::npos) << part << "\n" << done.out;
  }
  EXPECT_NE(read_text(path("r/report.html")).find("data-metric=\"fpr95\""), std::string::npos);
  EXPECT_NE(read_text(path("r/table.md")).find("| adasample weights=none |"), std::string::npos);
  const Outcome again = run("experiment g.json --out r -q --json --part report");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["tables"][0]["rows"].size(), 3u);
}

// Killed in the midst of its second run, then with what is left of the time: the same figures as without.
TEST_F(ExperimentCli, GoesOnAfterBeingKilled) {
  json grid = small_grid();
  grid["seeds"] = 1;
  write("g.json", grid);
  const std::string command = std::string("'") + ADASAMPLE_BINARY + "' experiment g.json -q --device cpu --threads 2";
  ASSERT_EQ(Process(path("."), command + " --out whole").wait(), 0);
  {
    Process process(path("."), command + " --out cut");
    const fs::path second = path("cut/runs/adasample-weights-none-seed0/checkpoints/step_000000002");
    ASSERT_TRUE(process.wait_until([&] { return fs::exists(second); }));
    process.kill();
    EXPECT_EQ(process.wait(), -SIGKILL);
  }
  ASSERT_EQ(Process(path("."), command + " --out cut").wait(), 0) << read_text(path("err.txt"));
  EXPECT_EQ(found("cut"), found("whole"));
}

TEST_F(ExperimentCli, BadInputIsToldAndTheRestGoesOn) {
  json grid = small_grid();
  grid["sede"] = 3;
  grid["arm"].push_back({{"lamda", 3}});
  grid["judge"] = json::array({grid["judge"], {{"kind", "tracks"}, {"data", "nowhere"}}});
  grid["seeds"] = 1;
  write("g.json", grid);
  const Outcome done = run("experiment g.json --out r --device cpu --threads 2");
  EXPECT_EQ(done.code, 1);
  for (const char* part : {"sede: no such key", "lamda = '3': no such option", "judge tracks: ", "nowhere"}) {
    EXPECT_NE(done.err.find(part), std::string::npos) << part << "\n" << done.err;
  }
  EXPECT_NE(done.out.find("adasample weights=class"), std::string::npos) << "the rest went on";
  EXPECT_NE(done.err.find("3 left out or broken down"), std::string::npos) << done.err;

  run("experiment nowhere.toml --out x").expect_error(1, {"nowhere.toml"});
  run("experiment g.json --out x --part dance").expect_error(2, {"--part"});
  run("experiment g.json").expect_error(2, {"--out"});
  write_file_atomically(path("bad.json"), "{\"arm\": ");
  run("experiment bad.json --out x").expect_error(1, {"bad.json"});
  write_file_atomically(path("bad.toml"), "seeds = 3\n[[arm]\n");
  run("experiment bad.toml --out x").expect_error(2, {ADASAMPLE_TEST_TOML ? "bad.toml:2" : "toml++"});
  write_file_atomically(path("date.toml"), "title = 1979-05-27\n");
  run("experiment date.toml --out x").expect_error(2, {ADASAMPLE_TEST_TOML ? "date" : "toml++"});
  EXPECT_FALSE(fs::exists(path("x")));
}

// Learned with its network, kept with its weights, scored by where pairs are told apart.
TEST_F(ExperimentCli, ALearnedMetricScoresPairs) {
  ASSERT_EQ(run("data synth --classes 12 --views 3 --size 64 --out s -q --threads 2").code, 0);
  ASSERT_EQ(run("data synth --classes 6 --views 2 --size 64 --part heldout --out v -q --threads 2").code, 0);
  const Outcome trained = run(
      "train --preset matchnet --data s --val v --out m --batch 4 --k 2 --iterations 2 -q --device cpu --threads 2");
  ASSERT_EQ(trained.code, 0) << trained.err;
  const std::string eval = "eval patches --data s --pairs 40 --json -q --threads 2 ";
  const json learned = run(eval + "--model m").json(), asked = run(eval + "--model m --metric learned").json(),
             euclidean = run(eval + "--model m --metric euclidean").json(),
             plain = run(eval + "--model m --engine reference").json();
  EXPECT_EQ(learned["metric"], "learned");
  EXPECT_EQ(asked["auc"], learned["auc"]);
  EXPECT_EQ(euclidean["metric"], "euclidean");
  EXPECT_NE(euclidean["auc"], learned["auc"]);
  EXPECT_NEAR(plain["auc"].get<double>(), learned["auc"].get<double>(), 0.01) << "the same metric by plain loops";
  run(eval + "--model default --metric learned").expect_error(1, {"expected a learned metric", "without one"});
  run("train --loss matchnet --data s --out x --batch 4 --iterations 1 --device cpu")
      .expect_error(2, {"loss = matchnet", "--network l2net has none"});
  EXPECT_FALSE(fs::exists(path("x")));
}

TEST_F(ExperimentCli, TomlIsTheSameAsJson) {
  if (!ADASAMPLE_TEST_TOML) GTEST_SKIP() << "built without toml++";
  write_file_atomically(path("g.toml"), R"(
title = "Small"
seeds = 1
train = { iterations = 8, batch = 6, k = 3, checkpoint-every = 2, log-every = 2 }
data.leaves = { classes = 40, views = 4 }
heldout.others = { classes = 40, views = 3 }
[[arm]]
sampler = "random"
weights = "none"
[[judge]]
kind = "patches"
data = "others"
)");
  json grid = small_grid();
  grid["arm"] = grid["arm"][0];
  grid["seeds"] = 1;
  write("g.json", grid);
  EXPECT_EQ(run("experiment g.json --out r -q --device cpu --threads 2 --part train").code, 0);
  const Outcome toml = run("experiment g.toml --out r -q --device cpu --threads 2");
  EXPECT_EQ(toml.code, 0) << toml.err << " the trials of one are the trials of the other";
}

}  // namespace
}  // namespace adasample
