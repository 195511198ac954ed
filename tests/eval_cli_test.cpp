// SPDX-License-Identifier: Apache-2.0
// `eval`, and the sets it reads, as people use them.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "adasample/image/files/png.h"
#include "tests/support/golden.h"
#include "tests/support/opencv.h"
#include "tests/support/phototour_set.h"
#include "tests/support/program.h"
#include "tests/support/sequence_set.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

using testing::Outcome;

using Eval = testing::ProgramTest;

TEST_F(Eval, PhotoTourIsReadAndEvaluated) {
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
TEST_F(Eval, DescribedPatchesScoreAsTheModelDoes) {
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

TEST_F(Eval, CompareTellsBetterFromChance) {
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
TEST_F(Eval, ComparePairsRunsOfOneSeed) {
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

TEST_F(Eval, CompareSaysWhatElseDiffers) {
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

TEST_F(Eval, SequencesBecomeStrips) {
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
TEST_F(Eval, PointsFoundAgainAreEvaluated) {
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
TEST_F(Eval, SequencesOfOnesOwnAreEvaluated) {
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
TEST_F(Eval, SequencesKeepCodecsQuiet) {
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

TEST_F(Eval, EvalPairs) {
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

TEST_F(Eval, Hpatches) {
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

TEST_F(Eval, HpatchesTasks) {
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
