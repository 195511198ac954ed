// SPDX-License-Identifier: Apache-2.0
// The program as people use it: its output, its exit codes, what it says about bad input, what it leaves behind.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <CLI/Version.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adasample/base/files/file_io.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "adasample/model/weights.h"
#include "tests/support/golden.h"
#include "tests/support/made_run.h"
#include "tests/support/opencv.h"
#include "tests/support/phototour_set.h"
#include "tests/support/program.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

using testing::Outcome;

class Cli : public testing::ProgramTest {
 protected:
  std::string train(const std::string& more) const {
    return "train -q --device cpu --data s --batch 8 --k 4 --iterations 6 " + more;
  }
};

// Every command that the program's own help lists, "data synth" as well as "train".
std::vector<std::string> commands_in(const std::string& help, const std::string& parent) {
  std::vector<std::string> commands;
  std::istringstream lines(help.substr(std::min(help.size(), help.find("Subcommands:\n"))));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line.starts_with("  ")) {
    if (line[2] != ' ')
      commands.push_back(parent + line.substr(2, line.find(' ', 2) - 2));  // else a description goes on
  }
  return commands;
}

TEST_F(Cli, VersionHelpAndUsage) {
  EXPECT_EQ(run("--version").out, "adasample 0.1.0\n");
  const bool known_layout = std::string(CLI11_VERSION) == "2.1.2";  // others lay help out differently
  const std::string docs = read_text(std::string(ADASAMPLE_SOURCE_DIR) + "/docs/cli.md");
  std::vector<std::string> commands = {""};
  for (const std::string& command : commands_in(run("--help").out, "")) {
    commands.push_back(command);
    const std::vector<std::string> inside = commands_in(run(command + " --help").out, command + " ");
    commands.insert(commands.end(), inside.begin(), inside.end());
  }
  EXPECT_GT(commands.size(), 40u);
  for (const std::string& command : commands) {
    const Outcome help = run(command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("--help"), std::string::npos) << command;
    if (!commands_in(help.out, "").empty() && !command.empty()) continue;  // data, eval, bench: only what is in them
    if (known_layout) {
      EXPECT_NE(docs.find(help.out), std::string::npos)
          << "docs/cli.md is out of date for: " << command << "\nrun tools/make_cli_docs.sh";
    }
    if (command.empty()) continue;
    EXPECT_NE(help.out.find("Examples:\n  adasample "), std::string::npos) << command;
  }
  run("").expect_error(2, {"subcommand"});
  run("fly").expect_error(2, {"fly"});
  run("train --out x").expect_error(2, {"--data"});
  run("train --data s --out x --sampler hard").expect_error(2, {"hard"});
  run("train --data s --out x --speed 3").expect_error(2, {"--speed"});
}

TEST_F(Cli, SynthInfoShow) {
  const Outcome made = run("data synth -q --out s --classes 30 --views 4 --seed 3 --json");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(made.json()["classes"], 30);
  EXPECT_EQ(made.json()["patches"], 120);
  EXPECT_EQ(run("data info s --json").json()["sha256"], made.json()["sha256"]);
  EXPECT_EQ(run("data synth -q --out again --classes 30 --views 4 --seed 3 --threads 1 --json").json()["sha256"],
            made.json()["sha256"]);
  EXPECT_EQ(run("data show s --out sheet.png").code, 0);
  EXPECT_EQ(read_text(path("sheet.png")).substr(1, 3), "PNG");
  run("data show s --out sheet.tiff").expect_error(2, {"sheet.tiff", ".png"});
  run("data synth --out s").expect_error(1, {"s: already exists", "nothing was overwritten"});
  run("data synth --out t --views 1").expect_error(2, {"views = 1"});
  EXPECT_EQ(names(), (std::vector<std::string>{"again", "s", "sheet.png"}));
}

// Photographs with and without OpenCV: PGM files and a list of keypoints do for both.
TEST_F(Cli, PhotographsBecomeClasses) {
  fs::create_directories(path("in/sub"));
  for (const uint64_t i : {0, 1, 2}) {
    write_pgm(path(fmt::format("in/sub/{}.pgm", i)), dead_leaves_scene(RngKey(i, Draw::kScene)));
  }
  write_file_atomically(path("in/broken.pgm"), "P5 100 100 255 short");
  std::string list = "file,x,y,scale,angle\nsub/gone.pgm,1,2,3,4\nbroken.pgm,50,50,3,0\n";
  for (const char* file : {"sub/0.pgm", "sub/1.pgm", "sub/2.pgm"}) {
    for (int x = 60; x < 440; x += 60) list += fmt::format("{},{},160,3,{}\n", file, x, x / 2);
  }
  write_file_atomically(path("k.csv"), list);
  const std::string command = "data images --images in --keypoints k.csv --views 4 --holdout 0.34 --json --out ";
  const Outcome made = run(command + "s");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["photographs"], 2);
  EXPECT_EQ(made.json()["skipped"].size(), 2u);
  EXPECT_GT(made.json()["classes"], 6);
  EXPECT_EQ(made.json()["heldout"]["meta"]["part"], "heldout");
  EXPECT_NE(made.err.find("left out sub/gone.pgm: named in k.csv"), std::string::npos) << made.err;
  EXPECT_NE(made.err.find("left out broken.pgm"), std::string::npos) << made.err;
  EXPECT_EQ(run(command + "t --threads 1 -q").json()["sha256"], made.json()["sha256"]);
  run(command + "s").expect_error(1, {"s: already exists"});
  run("data images --images in --keypoints k.csv --out u --region wide").expect_error(2, {"--region"});
  run("data images --images nowhere --out u").expect_error(1, {"nowhere"});
  run(command + "u --contrast 0.1").expect_error(2, {"--contrast"});
  EXPECT_EQ(run(command + "slash/ -q").json()["heldout"]["folder"], "slash-heldout");
  write_file_atomically(path("twice.csv"), "file,x,y,scale,angle\nsub/0.jpg,240,160,3,0\nsub/0.jpg,241,160,3,9\n");
  const Outcome once = run("data images --images in --keypoints twice.csv --out once --json -q");
  ASSERT_EQ(once.code, 0) << once.err;
  EXPECT_EQ(once.json()["classes"], 1) << "one spot, one class; found as .pgm";
  run("train --data s --val s-heldout --out r --iterations 2 --batch 4 --k 3 --json -q");
  EXPECT_TRUE(fs::exists(path("r/model.safetensors")));
  run("train --data s --val s --out q --iterations 2 --batch 4").expect_error(1, {"the same scenes"});
  if (testing::have_opencv()) {
    const Outcome found = run("data keypoints --images in --out found.csv --json");
    ASSERT_EQ(found.code, 0) << found.err;
    EXPECT_EQ(found.json()["pictures"], 3);
    EXPECT_EQ(run("data images --images in --keypoints found.csv --views 3 --region hpatches --out v -q").code, 0);
    EXPECT_EQ(run("data images --images in --views 3 --region 5 --out w -q").code, 0);
  }
}

TEST_F(Cli, TheDoctorNamesWhatIsWrong) {
  store("s", 10);
  const Outcome sound = run("data check s --fingerprint --json");
  EXPECT_EQ(sound.code, 0) << sound.err;
  EXPECT_EQ(sound.json()["sound"], true);
  EXPECT_EQ(sound.json()["sha256"], run("data info s --json").json()["sha256"]);
  fs::create_directory(path("in"));
  write_pgm(path("in/a.pgm"), dead_leaves_scene(RngKey(1, Draw::kScene)));
  fs::copy(path("in/a.pgm"), path("in/b.pgm"));
  write_file_atomically(path("in/c.pgm"), "");
  const Outcome sick = run("data check in");
  EXPECT_EQ(sick.code, 1);
  EXPECT_NE(sick.out.find("the same bytes as in/a.pgm"), std::string::npos) << sick.out;
  EXPECT_NE(sick.out.find("problems found: 2"), std::string::npos) << sick.out;
  testing::write_golden_set(path("set"));
  fs::remove(path("set") / "patches0001.bmp");
  const Outcome short_set = run("data check set");
  EXPECT_EQ(short_set.code, 1);
  EXPECT_NE(short_set.out.find("PhotoTour"), std::string::npos) << short_set.out;
  EXPECT_NE(short_set.out.find("mend: "), std::string::npos) << short_set.out;
  fs::resize_file(path("s/patches.npy"), 5000);
  const Outcome cut = run("data check s --fingerprint");
  EXPECT_EQ(cut.code, 1);
  EXPECT_NE(cut.out.find("truncated"), std::string::npos) << cut.out;
  run("data check nowhere").expect_error(1, {"nowhere: is no folder"});
}

TEST_F(Cli, TrainThenEvaluate) {
  store("s", 40);
  const Outcome trained = run(train("--out r --json"));
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_EQ(trained.json()["end"], "complete");
  EXPECT_EQ(trained.json()["pairs"], 48);
  for (const char* file : {"config.toml", "metrics.jsonl", "model.safetensors", "result.json"})
    EXPECT_TRUE(fs::exists(path("r") / file));
  std::vector<std::string> models = {"r", "r/model.safetensors"};
  if (testing::have_opencv()) models.push_back("rootsift");
  for (const std::string& model : models) {
    const Outcome scored = run("eval patches -q --data s --pairs 200 --json --model " + model);
    ASSERT_EQ(scored.code, 0) << scored.err;
    const double fpr = scored.json()["fpr95"];
    EXPECT_TRUE(fpr >= 0 && fpr <= 1) << "a fraction";
    EXPECT_EQ(scored.json()["positives"], 200);
    EXPECT_EQ(scored.json()["protocol"].get<std::string>(), "pairs drawn from a patch store");
    EXPECT_EQ(scored.json()["model_sha256"].get<std::string>().empty(), model.ends_with("sift"));
  }
  run(train("--out r")).expect_error(1, {"r: already exists"});
  for (const std::string init : {"r", "r/model.safetensors", "default"}) {
    const Outcome again = run(train("--out again --init " + init));
    EXPECT_EQ(again.code, 0) << init << ": " << again.err;
    fs::remove_all(path("again"));
  }
}

TEST_F(Cli, BenchLoad) {
  store("s", 10, 3);
  const Outcome filled = run("bench load -q --data s --batch 8 --k 2 --rounds 3 --json");
  ASSERT_EQ(filled.code, 0) << filled.err;
  const double batches = filled.json()["batches_per_s"], patches = filled.json()["patches_per_s"];
  EXPECT_NEAR(patches / batches, 16, 1e-6);
  run("bench load --data s --batch 8 --k 1").expect_error(2, {"k = 1"});
  run("bench load --data s --batch 64 --k 2").expect_error(1, {"64", "10"});
}

TEST_F(Cli, ConfigurationFilesRepeatARun) {
  if (!ADASAMPLE_TEST_TOML) GTEST_SKIP() << "built without toml++";
  store("s", 40);
  ASSERT_EQ(run(train("--out a --seed 4 --lambda 3 --no-flips")).code, 0);
  ASSERT_EQ(run("train -q --config a/config.toml --out b").code, 0);
  EXPECT_EQ(load_safetensors(path("a/model.safetensors")).arrays, load_safetensors(path("b/model.safetensors")).arrays);
  ASSERT_EQ(run("train -q --config a/config.toml --seed 5 --out c").code, 0) << "flags win";
  EXPECT_NE(load_safetensors(path("a/model.safetensors")).arrays, load_safetensors(path("c/model.safetensors")).arrays);
  std::ofstream(path("bad.toml")) << "batch = 8\nlamda = 3\n";
  run("train --data s --out d --config bad.toml").expect_error(2, {"bad.toml: train.lamda: no such option"});
  std::ofstream(path("broken.toml")) << "batch = 8\nlambda = = 3\n";
  run("train --data s --out d --config broken.toml").expect_error(2, {"broken.toml:2"});
  run("train --data s --out d --config missing.toml").expect_error(2, {"missing.toml"});
  EXPECT_FALSE(fs::exists(path("d")));
}

TEST_F(Cli, BadOptionsAreUsageErrors) {
  store("s");
  run(train("--out r --k 1")).expect_error(2, {"k = 1", ">= 2"});
  run(train("--out r --batch 1")).expect_error(2, {"batch = 1"});
  run(train("--out r --lambda -1")).expect_error(2, {"lambda = -1"});
  run(train("--out r --lambda nan")).expect_error(2, {"lambda = nan"});
  run(train("--out r --threads 0")).expect_error(2, {"--threads"});
  run("train --data s --out r --batch 64 --device cpu").expect_error(1, {"--batch 64", "20"});
  EXPECT_EQ(names(), std::vector<std::string>{"s"}) << "nothing was made";
  EXPECT_EQ(run(train("--out r --lambda inf")).code, 0);
}

TEST_F(Cli, DamagedStoresAreNamed) {
  run("data info nothing").expect_error(1, {"nothing"});
  store("s");
  fs::resize_file(path("s/patches.npy"), 5000);
  run(train("--out r")).expect_error(1, {"patches.npy"});
  fs::resize_file(path("s/patches.npy"), 3);
  run("eval patches --data s --model sift").expect_error(1, {"patches.npy"});
  fs::remove(path("s/classes.npy"));
  run("data info s").expect_error(1, {"s"});
  store("t");
  std::ofstream(path("t/meta.json")) << "{";
  run("data info t").expect_error(1, {"meta.json"});
  EXPECT_FALSE(fs::exists(path("r")));
}

TEST_F(Cli, DamagedWeightsAreNamed) {
  store("s");
  std::ofstream(path("w.safetensors")) << "not weights";
  run("eval patches --data s --model w.safetensors").expect_error(1, {"w.safetensors"});
  run(train("--out r --init w.safetensors")).expect_error(1, {"w.safetensors"});
  run("eval patches --data s --model nowhere").expect_error(1, {"nowhere"});
  run("eval patches --data s --model s").expect_error(1, {"model.safetensors"});
  EXPECT_FALSE(fs::exists(path("r")));
}

// A file-size limit stands for a full disk: the same failing write, without a disk of our own.
TEST_F(Cli, FullDisk) {
  store("s", 40);
  const std::string limit = "ulimit -f 8;";  // 8 blocks
  run("data synth -q --out big --classes 200 --views 8", limit).expect_error(1, {"patches.npy"});
  EXPECT_FALSE(fs::exists(path("big")));
  run(train("--out r"), limit).expect_error(1, {"network.safetensors", "File too large"});
  EXPECT_EQ(names(), (std::vector<std::string>{"s"})) << "a run that cannot write its first checkpoint does not begin";
}

TEST_F(Cli, InterruptSavesAndExits130) {
  store("s", 40);
  // The shell waits for the program, which gets the signal once its first lines are written.
  const Outcome stopped =
      run("train -q --device cpu --data s --batch 8 --k 4 --iterations 100000 --log-every 2 --out r &"
          " pid=$!; while [ ! -s r/metrics.jsonl ] && kill -0 $pid; do sleep 0.1; done; kill -INT $pid; wait $pid; "
          "exit $?",
          "");
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_NO_THROW(load_safetensors(path("r/model.safetensors")));
  EXPECT_EQ(nlohmann::json::parse(read_text(path("r/result.json")))["end"], "stopped");
}

TEST_F(Cli, ValidationMustBeHeldOut) {
  ASSERT_EQ(run("data synth -q --out s --classes 30 --views 4").code, 0);
  ASSERT_EQ(run("data synth -q --out h --classes 30 --views 4 --part heldout").code, 0);
  run(train("--out r --val s")).expect_error(1, {"same scenes", "heldout"});
  const Outcome fine = run(train("--out r --val h --eval-every 3 --json"));
  ASSERT_EQ(fine.code, 0) << fine.err;
  EXPECT_TRUE(fine.json().contains("best_val_score"));
  EXPECT_TRUE(fs::exists(path("r/best.safetensors")));
}

TEST_F(Cli, Report) {
  testing::MadeRun{}.write(path("a"));
  testing::MadeRun{.number = 1}.write(path("b/a"));
  EXPECT_EQ(run("report -q a").code, 0);
  EXPECT_TRUE(fs::exists(path("a/report.html")));
  const Outcome both = run("report -q a b/a --out both.html --json");
  ASSERT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(both.json()["out"], "both.html");
  EXPECT_EQ(both.json()["runs"], 2);
  EXPECT_EQ(both.json()["bytes"], fs::file_size(path("both.html")));
  EXPECT_NE(read_text(path("both.html")).find("</i>b/a</span>"), std::string::npos);  // same names: paths instead
  EXPECT_EQ(run("report -q a b/a --out both.html").code, 0);                          // replaces it
  run("report").expect_error(2, {"runs"});
  run("report a b/a").expect_error(2, {"--out is needed for the report of 2 runs"});
  run("report none").expect_error(1, {"[report] none: expected a run folder, found nothing there"});
  run("report b").expect_error(1, {"[report] b: ", "metrics.jsonl"});
  write_file_atomically(path("a/result.json"), "{");
  run("report a --out x.html").expect_error(1, {"a/result.json: expected a JSON object"});
  EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "both.html"}));
}

}  // namespace
}  // namespace adasample
