// SPDX-License-Identifier: Apache-2.0
// The program as people use it: its output, its exit codes, what it says about bad input, what it leaves behind.
#include <gtest/gtest.h>
#include <signal.h>

#include <CLI/Version.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/files/png.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "adasample/model/weights.h"
#include "tests/support/golden.h"
#include "tests/support/made_run.h"
#include "tests/support/opencv.h"
#include "tests/support/phototour_set.h"
#include "tests/support/program.h"
#include "tests/support/sequence_set.h"

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

const std::vector<std::string> kCommands = {"",
                                            "train",
                                            "experiment",
                                            "demo",
                                            "data",
                                            "data synth",
                                            "data keypoints",
                                            "data images",
                                            "data phototour",
                                            "data hpatches",
                                            "data sequences",
                                            "data redetected",
                                            "data colmap",
                                            "colmap",
                                            "data check",
                                            "data info",
                                            "data show",
                                            "describe",
                                            "match",
                                            "eval",
                                            "eval patches",
                                            "eval pairs",
                                            "eval phototour",
                                            "eval hpatches",
                                            "eval brown-revisited",
                                            "eval sequences",
                                            "eval tracks",
                                            "eval compare",
                                            "check",
                                            "calibrate",
                                            "export",
                                            "import",
                                            "methods",
                                            "report",
                                            "bench",
                                            "bench embed",
                                            "bench pictures",
                                            "bench eval",
                                            "bench step",
                                            "bench load"};

TEST_F(Cli, VersionHelpAndUsage) {
  EXPECT_EQ(run("--version").out, "adasample 0.1.0\n");
  const bool known_layout = std::string(CLI11_VERSION) == "2.1.2";  // others lay help out differently
  const std::string docs = read_text(std::string(ADASAMPLE_SOURCE_DIR) + "/docs/cli.md");
  for (const std::string& command : kCommands) {
    const Outcome help = run(command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_NE(help.out.find("--help"), std::string::npos) << command;
    if (command == "data" || command == "eval" || command == "bench") continue;
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

TEST_F(Cli, PhotoTourIsReadAndEvaluated) {
  testing::write_golden_set(path("set"));
  const Outcome made = run("data phototour -q --root set --out s --positives 5 --seed 3 --json");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["classes"], 97);
  EXPECT_EQ(made.json()["patches"], 485);
  EXPECT_EQ(made.json()["meta"]["generated_patches"], 185);
  EXPECT_EQ(run("data phototour -q --root set --out t --positives 5 --seed 3 --threads 1 --json").json()["sha256"],
            made.json()["sha256"]);
  run("data phototour --root set --out s").expect_error(1, {"s: already exists"});
  run("data phototour --root set --out u --angle 200").expect_error(2, {"angle = 200"});
  if (testing::have_opencv()) {
    const Outcome scored = run("eval phototour -q --root set --model sift --json");
    ASSERT_EQ(scored.code, 0) << scored.err;
    EXPECT_EQ(scored.json()["positives"], 20);
    EXPECT_EQ(scored.json()["list"], "m50_100000_100000_0.txt");
    EXPECT_GE(scored.json()["fpr99"], scored.json()["fpr95"]);
  }
  std::string rows, photographs;
  for (int i = 0; i < 300; ++i) {
    rows += std::to_string(i % 7) + "," + std::to_string(i % 11) + "\n";
    photographs += std::to_string(i / 100) + " 0 0 0 0\n";
  }
  testing::put_file(path("rows.csv"), rows);
  run("eval brown-revisited --root set --descriptors rows.csv").expect_error(1, {"interest.txt", "which photograph"});
  testing::put_file(path("set") / "interest.txt", photographs);
  const Outcome revisited = run("eval brown-revisited --root set --descriptors rows.csv --out r.json --json");
  ASSERT_EQ(revisited.code, 0) << revisited.err;
  EXPECT_EQ(revisited.json()["sequences"].size(), revisited.json()["photographs"]);
  EXPECT_EQ(nlohmann::json::parse(read_text(path("r.json"))), revisited.json());
  run("eval brown-revisited --root set --descriptors rows.csv --model sift").expect_error(2, {"either", "both"});
  run("eval phototour --root set --descriptors rows.csv --out r.json").expect_error(1, {"r.json", "exists"});
  EXPECT_EQ(run("eval compare --a r.json --b r.json --value intended --json").json()["bootstrap"]["high"], 0.0);
  fs::remove(path("set") / "interest.txt");
  fs::remove(path("rows.csv"));
  fs::remove(path("r.json"));
  run("eval phototour --root set --model sift --list none.txt")
      .expect_error(1, {"none.txt", "m50_100000_100000_0.txt"});
  fs::remove(path("set") / "m50_100000_100000_0.txt");
  run("eval phototour --root set --model sift").expect_error(1, {"fetch m50_100000_100000_0.txt"});
  const Outcome unlisted = run("data phototour --root set --out w");
  EXPECT_EQ(unlisted.code, 0);
  EXPECT_NE(unlisted.err.find("trained on but not evaluated"), std::string::npos) << unlisted.err;
  fs::remove(path("set") / "patches0001.bmp");
  run("data phototour --root set --out v").expect_error(1, {"patches0001.bmp is missing", "truncated download?"});
  EXPECT_EQ(names(), (std::vector<std::string>{"s", "set", "t", "w"}));
}

// What `describe` writes is what `eval` computes: the same scores, digit for digit, from either format.
TEST_F(Cli, DescribedPatchesScoreAsTheModelDoes) {
  store("s");
  const std::string describe = "describe -q --json --model sift --patches ";
  run(describe + "s --out d.txt").expect_error(2, {"d.txt", ".npy", ".csv"});
  run(describe + "s --out no/d.npy").expect_error(2, {"--out no/d.npy", "no folder no"});
  run(describe + "nowhere.npy --out d.npy").expect_error(1, {"nowhere.npy", "No such file"});
  run("describe --model nothing --patches s --out d.npy")
      .expect_error(1, {"nothing: no such weights file or run folder"});
  EXPECT_EQ(names(), (std::vector<std::string>{"s"}));
  if (!testing::have_opencv()) return;
  const Outcome done = run(describe + "s --out d.npy");
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(done.json()["patches"], 80);
  EXPECT_EQ(done.json()["dimension"], 128);
  EXPECT_EQ(done.json()["out"], "d.npy");
  EXPECT_GT(done.json()["patches_per_s"], 0.0);
  run(describe + "s --out d.npy").expect_error(1, {"d.npy: already exists"});

  testing::write_golden_set(path("set"));
  std::vector<uint8_t> pixels;
  for (int64_t i = 0; i < 300 * 64 * 64; ++i) {
    pixels.push_back(testing::golden_pixel(i / 4096, static_cast<int>(i % 64), static_cast<int>(i / 64 % 64)));
  }
  write_npy(path("p.npy"), pixels, std::vector<int64_t>{300, 64, 64});
  const std::string eval = "eval phototour -q --json --root set --size 64 ";
  nlohmann::json expected = run(eval + "--model sift").json();
  for (const std::string rows : {"r.npy", "r.csv"}) {
    ASSERT_EQ(run(describe + "p.npy --out " + rows).code, 0);
    const nlohmann::json scores = run("eval phototour -q --json --root set --descriptors " + rows).json();
    for (const char* figure : {"fpr95", "fpr95_low", "fpr95_high", "ap", "auc"}) {
      EXPECT_EQ(scores[figure], expected[figure]) << rows << ' ' << figure;
    }
  }
}

TEST_F(Cli, CompareTellsBetterFromChance) {
  const Outcome better = run("eval compare --a 1,2,3,4,5 --b 6,7,8,9,10 --json");
  ASSERT_EQ(better.code, 0) << better.err;
  EXPECT_EQ(better.json()["values"]["of"], "numbers");
  EXPECT_EQ(better.json()["paired"], false);
  EXPECT_EQ(better.json()["u"], 0.0);
  EXPECT_NEAR(better.json()["p_exact"].get<double>(), 1.0 / 252, 1e-12);
  EXPECT_NEAR(better.json()["p_two_sided"].get<double>(), 2.0 / 252, 1e-12);
  EXPECT_EQ(better.json()["cliffs_delta"], -1.0);
  EXPECT_TRUE(better.json()["bootstrap"].is_null());
  const Outcome worse = run("eval compare --a 1,2,3,4,5 --b 6,7,8,9,10 --alternative greater --json");
  EXPECT_EQ(worse.json()["p_exact"], 1.0);
  const Outcome paired = run("eval compare --a 1,2,3,4,5 --b 6,7,8,9,10 --paired --json");
  EXPECT_EQ(paired.json()["pairing"], "in the order given");
  EXPECT_EQ(paired.json()["p_one_sided"], 1.0 / 32);
  EXPECT_EQ(paired.json()["can_reach_005"], false);
  EXPECT_EQ(paired.json()["bootstrap"]["high"], -5.0);
  EXPECT_TRUE(paired.json()["p_exact"].is_null()) << "no Mann-Whitney of pairs";
  run("eval compare --a 1,2 --b 3,x").expect_error(2, {"both"});
  run("eval compare --a 1,2 --b 3 --paired").expect_error(2, {"2, 1"});
  run("eval compare --a 1,2 --b 3,4 --paired --unpaired").expect_error(2, {"--unpaired"});
  run("eval compare --a no.json --b no.json").expect_error(2, {"--value"});
  run("eval compare --a no.json --b no.json --value fpr95").expect_error(1, {"no.json"});
  const Outcome single = run("eval compare --a 1 --b 2 --paired");
  EXPECT_EQ(single.code, 0);
  EXPECT_NE(single.out.find("one pair has no interval"), std::string::npos) << single.out;
  EXPECT_TRUE(run("eval compare --a 1 --b 2 --paired --json").json()["bootstrap"].is_null());
}

// Three seeds, given in another order on the other side.
TEST_F(Cli, ComparePairsRunsOfOneSeed) {
  const auto write = [&](const std::string& name, int seed, double fpr95) {
    const nlohmann::json result = {{"model_seed", seed},
                                   {"fpr95", fpr95},
                                   {"sequences", {{"x", {{"fpr95", fpr95 - 1}}}, {"y", {{"fpr95", fpr95 + 1}}}}}};
    write_file_atomically(path(name), result.dump());
  };
  write("a0.json", 0, 10), write("a1.json", 1, 20), write("a2.json", 2, 30);
  write("b0.json", 0, 11), write("b1.json", 1, 22), write("b2.json", 2, 33);
  const std::string compare = "eval compare --a a0.json,a1.json,a2.json --value fpr95 ";
  const Outcome paired = run(compare + "--b b2.json,b0.json,b1.json --json");
  ASSERT_EQ(paired.code, 0) << paired.err;
  EXPECT_EQ(paired.json()["pairing"], "both sides have the seeds 0, 1, 2");
  EXPECT_EQ(paired.json()["values"]["b"], nlohmann::json({11.0, 22.0, 33.0}));
  EXPECT_EQ(paired.json()["p_two_sided"], 0.25);
  EXPECT_EQ(paired.json()["bootstrap"]["of"], "sequences");
  const Outcome told = run(compare + "--b b2.json,b0.json,b1.json");
  EXPECT_NE(told.out.find("3 pairs of runs cannot reach p = 0.05"), std::string::npos) << told.out;
  EXPECT_EQ(run(compare + "--b b2.json,b0.json,b1.json --unpaired --json").json()["u"], 3.0);
  const Outcome fewer = run(compare + "--b b2.json,b0.json --json");
  EXPECT_EQ(fewer.json()["paired"], false);
  EXPECT_EQ(fewer.json()["pairing"], "one side has 3, the other 2");
}

TEST_F(Cli, CompareSaysWhatElseDiffers) {
  write_file_atomically(path("a.json"), R"({"protocol": "PhotoTour", "list": "m50_1.txt", "fpr95": 0.1})");
  write_file_atomically(path("b.json"), R"({"protocol": "PhotoTour", "list": "m50_2.txt", "fpr95": 0.2})");
  const Outcome compared = run("eval compare --a a.json,a.json --b b.json --value fpr95 --json");
  ASSERT_EQ(compared.code, 0) << compared.err;
  EXPECT_NE(compared.err.find("list differs: 'm50_1.txt' in a.json, 'm50_2.txt' in b.json"), std::string::npos)
      << compared.err;
  EXPECT_EQ(compared.json()["files"]["a"].size(), 2u);
  EXPECT_EQ(compared.json()["files"]["b"][0]["file"], "b.json");
  EXPECT_EQ(compared.json()["files"]["b"][0]["sha256"], sha256_of_file(path("b.json")));
}

TEST_F(Cli, SequencesBecomeStrips) {
  testing::write_small_sequence(path("in/v_small"));
  const Outcome made = run("data sequences -q --images in --out d --max 12 --detectors dog,harris --json");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(made.json()["out"], "d");
  EXPECT_EQ(made.json()["sequences"][0]["patches"], 12);
  EXPECT_EQ(made.json()["options"]["detectors"], (std::vector<std::string>{"dog", "harris"}));
  EXPECT_EQ(read_text(path("d/v_small/t2.png")).substr(1, 3), "PNG");
  run("data sequences --images in --out d").expect_error(1, {"d: already exists"});
  run("data sequences --images in --out e --detectors mser").expect_error(2, {"mser"});
  run("data sequences --images in --out e --max 0").expect_error(2, {"max_patches = 0"});
  run("data sequences --images nowhere --out e").expect_error(1, {"nowhere", "cannot be listed"});
  EXPECT_EQ(names(), (std::vector<std::string>{"d", "in"}));
  if (testing::have_opencv()) {
    const Outcome matched = run("eval sequences -q --images in --model sift --max-keypoints 300 --out m.json --json");
    ASSERT_EQ(matched.code, 0) << matched.err;
    EXPECT_GT(matched.json()["mma"]["3"], 0.5);
    EXPECT_EQ(matched.json()["sequences"]["v_small"]["keypoints"].size(), 3u);
    EXPECT_EQ(nlohmann::json::parse(read_text(path("m.json"))), matched.json());
  }
  run("eval sequences --images in --model sift --max-keypoints 2").expect_error(2, {"max_keypoints = 2"});
}

// What a detector found again becomes a store, and any descriptor is scored on it.
TEST_F(Cli, PointsFoundAgainAreEvaluated) {
  testing::write_small_sequence(path("in/v_small"));
  const Outcome made = run("data redetected -q --images in --out d --json");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.err, "");
  EXPECT_EQ(made.json()["out"], "d");
  EXPECT_EQ(made.json()["pictures"].size(), 3u);
  EXPECT_GT(made.json()["sequences"][0]["classes"], 10);
  run("data redetected --images in --out d").expect_error(1, {"d: already exists"});
  run("data redetected --images in --out e --overlap 2").expect_error(2, {"min_overlap = 2"});
  const std::string eval = "eval tracks -q --data d ", few = "--min-shared 5 ";
  const Outcome scored = run(eval + few + "--model default --out r.json --json");
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_EQ(scored.json()["protocol"], "tracks");
  EXPECT_GT(scored.json()["top1"], 0.5);
  EXPECT_EQ(scored.json()["sequences"]["v_small"]["pairs"].size(), 2u);
  EXPECT_EQ(nlohmann::json::parse(read_text(path("r.json"))), scored.json());
  const Outcome compared = run("eval compare --a r.json --b r.json --value matching --json");
  EXPECT_EQ(compared.code, 0) << compared.err;
  run(eval + few + "--model default --trained-on d").expect_error(1, {"a scene trained on never judges"});
  run(eval + "--model default --min-shared 100000").expect_error(1, {"lower --min-shared"});
  ASSERT_EQ(run("data synth -q --out plain --classes 10").code, 0);
  run("eval tracks --data plain --model default").expect_error(1, {"plain", "'adasample data redetected'"});
}

// Sequences of one's own are a benchmark, from two of them on: one alone has no distractors.
TEST_F(Cli, SequencesOfOnesOwnAreEvaluated) {
  for (const char* name : {"v_one", "v_two"}) testing::write_small_sequence(path("in") / name);
  ASSERT_EQ(run("data sequences -q --images in --out d --max 12").code, 0);
  const std::string eval = "eval hpatches -q --root d --model sift --split full ";
  run(eval + "--tasks in").expect_error(1, {"in: expected verif_pos_split-full.csv"});
  run(eval + "--out no/r.json").expect_error(2, {"--out no/r.json", "no folder no"});
  if (testing::have_opencv()) {
    const Outcome scored = run(eval + "--corrected --json --out r.json");
    ASSERT_EQ(scored.code, 0) << scored.err;
    EXPECT_EQ(scored.err, "");
    EXPECT_EQ(scored.json()["sequences"]["v_two"]["images"], 3);
    EXPECT_TRUE(scored.json()["sequences"]["v_two"]["corrected"]["verification"]["step"].is_number());
    EXPECT_LT(scored.json()["retrieval"]["trapezoid"], 1.0);  // both show the same scene
    EXPECT_EQ(nlohmann::json::parse(read_text(path("r.json"))), scored.json());
  }
  remove_tree(path("d/v_two"));
  run(eval).expect_error(1, {"at least two sequences, found 1"});
}

// Decoders complain on stderr themselves; the user sees our one line.
TEST_F(Cli, SequencesKeepCodecsQuiet) {
  testing::write_small_sequence(path("in/v_small"));
  testing::write_small_sequence(path("in/v_torn"));
  fs::remove(path("in/v_torn/2.pgm"));
  const std::string whole = encode_png(GrayImage(64, 64, 9.0f));
  write_file_atomically(path("in/v_torn/2.png"), whole.substr(0, whole.size() - 20));
  const Outcome made = run("data sequences -q --images in --out d --max 5 --skip-bad");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.err.find("2.png"), std::string::npos) << made.err;
  EXPECT_EQ(std::count(made.err.begin(), made.err.end(), '\n'), 1) << made.err;
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

TEST_F(Cli, EvalPairs) {
  const std::string csv = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/fpr95/cases/gauss2000_q25.csv";
  const Outcome scored = run("eval pairs --json --out scores.json --csv " + csv);
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_EQ(nlohmann::json::parse(read_text(path("scores.json"))), scored.json());
  run("eval pairs --out scores.json --csv " + csv).expect_error(1, {"scores.json: already exists"});
  EXPECT_NEAR(scored.json()["fpr95_low"].get<double>(), 0.10141987829614604, 1e-9);
  EXPECT_NEAR(scored.json()["fpr95_high"].get<double>(), 0.40466531440162273, 1e-9);
  const Outcome unwritten = run("eval pairs --json --out /proc/scores.json --csv " + csv);  // nobody writes there
  unwritten.expect_error(1, {"/proc", "scores.json"});
  EXPECT_EQ(unwritten.json()["fpr95"], scored.json()["fpr95"]) << "the figures are shown first";
  std::ofstream(path("bad.csv")) << "1,0.5\n0,abc\n";
  run("eval pairs --csv bad.csv").expect_error(1, {"bad.csv:2"});
  const std::string full = "eval pairs --json --csv " + csv + " >/dev/full; exit $?;";
  EXPECT_EQ(run(full).code, 1) << "a result that cannot be written is a failure";
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

TEST_F(Cli, Hpatches) {
  const std::string golden = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches";
  const std::string hpatches = "data hpatches -q --root " + golden + "/patches ";
  const std::string fakea = hpatches + "--splits " + golden + "/splits.json --split fakea ";
  const Outcome made = run(fakea + "--out s --json");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["classes"], 48);
  EXPECT_EQ(made.json()["largest_class"], 16);
  EXPECT_EQ(made.json()["meta"]["scenes"], nlohmann::json({"i_bb", "v_ee"}));
  EXPECT_EQ(run(hpatches + "--split full --part test --size 64 --out all").code, 0);
  run(fakea + "--out s").expect_error(1, {"s: already exists"});
  run(fakea + "--out t --size 65").expect_error(2, {"patch_size = 65"});
  run(fakea + "--out t --part val").expect_error(2, {"val"});
  run(hpatches + "--out t --split full").expect_error(2, {"split full has no train part"});
  run(hpatches + "--out t --allow-missing").expect_error(1, {"none of the 76 sequences of split a"});
  EXPECT_EQ(names(), (std::vector<std::string>{"all", "s"}));
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

TEST_F(Cli, HpatchesTasks) {
  const std::string golden = std::string(ADASAMPLE_SOURCE_DIR) + "/tests/golden/hpatches";
  const std::string fake = " --splits " + golden + "/splits.json --split fake --tasks " + golden + "/tasks ";
  const std::string eval = "eval hpatches -q --descriptors " + golden + "/descr/noisy" + fake;
  const Outcome scored = run(eval + "--json --out r.json");
  ASSERT_EQ(scored.code, 0) << scored.err;
  const nlohmann::json expected = testing::golden("hpatches/expected_tasks/noisy_fake_L2.json").at("summary");
  EXPECT_NEAR(scored.json()["verification"]["trapezoid"], expected["verification_mean_of_6_imbalanced_ap"], 1e-9);
  EXPECT_NEAR(scored.json()["matching"]["trapezoid"], expected["matching_mean"], 1e-9);
  EXPECT_NEAR(scored.json()["retrieval"]["trapezoid"], expected["retrieval_mean_k20000"], 1e-9);
  EXPECT_EQ(scored.json()["data_sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(nlohmann::json::parse(read_text(path("r.json"))), scored.json());
  run(eval + "--out r.json").expect_error(1, {"r.json: already exists"});
  if (testing::have_opencv()) {
    const Outcome described =
        run("eval hpatches -q --root " + golden + "/patches --model sift --size 65 --json" + fake);
    ASSERT_EQ(described.code, 0) << described.err;
    EXPECT_EQ(described.json()["model"], "sift");
    EXPECT_EQ(described.json()["sequences"].size(), 6u);
  }
  run("eval hpatches").expect_error(2, {"either --root with --model, or --descriptors"});
  run("eval hpatches --root x").expect_error(2, {"--root and --model belong together"});
  run(eval + "--dist l3").expect_error(2, {"l3"});
  run(eval + "--delimiter ab").expect_error(2, {"--delimiter = \"ab\""});
  run(eval + "--delimiter ';'").expect_error(1, {"ref.csv:1", "another --delimiter?"});
  run("eval hpatches --descriptors " + golden + "/descr/noisy")
      .expect_error(1, {"none of the 40 sequences of split a"});
}

}  // namespace
}  // namespace adasample
