// SPDX-License-Identifier: Apache-2.0
// Which engine runs a network, and the commands about engines; with LibTorch and without.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/files/npy.h"
#include "adasample/model/calibration.h"
#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/program.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::Outcome;
using Names = std::vector<std::string>;

class Engines : public testing::ProgramTest {
 protected:
  Engines() { save_safetensors(random_weights(l2net(), 1), path("w.safetensors")); }
  // What the program says it has, all of it.
  const Names& there_ = what_is_there();
  const Names& what_is_there() {
    static const Names names = asked();
    return names;
  }
  Names asked() {
    Names names;
    const nlohmann::json engines = run("check -q --json --model untrained --count 2").json()["engines"];
    for (const auto& engine : engines) names.push_back(engine["engine"]);
    names.insert(names.begin(), "reference");
    return names;
  }
  bool has(const std::string& name) const { return std::find(there_.begin(), there_.end(), name) != there_.end(); }
};

TEST_F(Engines, DescribeTheSame) {
  store("s", 3, 2);
  std::vector<float> first;
  for (const std::string& engine : there_) {
    const std::string out = engine + ".npy";
    const Outcome made =
        run("describe -q --patches s --model w.safetensors --json --engine " + engine + " --out " + out);
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.json()["engine"], engine);
    const NpyFile file(path(out));
    const std::span<const float> rows = file.data<float>();
    ASSERT_EQ(rows.size(), 6u * 128);
    if (first.empty()) first.assign(rows.begin(), rows.end());
    // 8 bits turn a descriptor by a few degrees; fp32 differs by the order of its sums.
    const float bound = engine.ends_with("-int8") || engine == "cuda" ? 0.05f : 1e-5f;
    for (size_t i = 0; i < rows.size(); ++i) ASSERT_LE(std::abs(rows[i] - first[i]), bound) << engine;
  }
}

TEST_F(Engines, OnednnsInt8OnAnOlderCpuIsOurs) {
  if (!has("onednn")) GTEST_SKIP() << "built without oneDNN";
  store("s", 3, 2);
  Weights weights = random_weights(l2net(), 1);
  set_calibration(weights, assumed_calibration(l2net()));
  save_safetensors(weights, path("c.safetensors"));
  const Outcome made = run("describe -q --patches s --model c.safetensors --engine onednn-int8 --json --out d.npy",
                           "ONEDNN_MAX_CPU_ISA=AVX2");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["engine"], has("simd-int8") ? "simd-int8" : "onednn");
  EXPECT_NE(made.err.find("VNNI"), std::string::npos) << made.err;
  EXPECT_EQ(std::count(made.err.begin(), made.err.end(), '\n'), 1) << made.err;
}

TEST_F(Engines, InstructionSetsAreLimitedByTheEnvironment) {
  if (!has("simd")) GTEST_SKIP() << "built without Highway";
  const std::string check = "check -q --json --model untrained --count 4 --engine simd";
  EXPECT_EQ(run(check, "ADASAMPLE_MAX_ISA=sse4").code, 0);
  const Outcome wrong = run(check, "ADASAMPLE_MAX_ISA=fast");
  EXPECT_EQ(wrong.code, 0) << wrong.err;
  EXPECT_NE(wrong.err.find("ADASAMPLE_MAX_ISA = 'fast'"), std::string::npos) << wrong.err;
  EXPECT_EQ(std::count(wrong.err.begin(), wrong.err.end(), '\n'), 1) << wrong.err;
}

TEST_F(Engines, WeightsBeyondInt8RunInFp32) {
  if (!has("simd-int8")) GTEST_SKIP() << "built without Highway";
  store("s", 3, 2);
  Weights weights = random_weights(l2net(), 1);
  set_calibration(weights, assumed_calibration(l2net()));
  weights.arrays[l2net().conv_weight(l2net().layers[2])].values[3] = 1e30f;
  save_safetensors(weights, path("c.safetensors"));
  const Outcome made = run("describe -q --patches s --model c.safetensors --engine simd-int8 --json --out d.npy");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.err.find("features.6.weight is beyond what int8 can hold; fp32"), std::string::npos) << made.err;
  EXPECT_EQ(std::count(made.err.begin(), made.err.end(), '\n'), 1) << made.err;
}

TEST_F(Engines, ResultsSayWhichRan) {
  store("s", 4, 2);
  const Outcome scored = run("eval patches -q --data s --pairs 20 --model w.safetensors --json --device cpu");
  ASSERT_EQ(scored.code, 0) << scored.err;
  EXPECT_EQ(scored.json()["engine"], has("simd")     ? "simd"
                                     : has("onednn") ? "onednn"
                                     : has("torch")  ? "torch"
                                                     : "reference");
  EXPECT_EQ(scored.json()["model_sha256"].get<std::string>().size(), 64u);
  const std::string eval = "eval patches -q --data s --model w.safetensors ";
  run(eval + "--engine fast").expect_error(2, {"--engine", "fast", "reference", "onednn-int8"});
  run(eval + "--engine reference --device cuda").expect_error(2, {"--engine reference", "--device cuda"});
  if (!has("torch")) run(eval + "--engine torch").expect_error(2, {"LibTorch"});
  if (!has("cuda")) run(eval + "--engine cuda").expect_error(2, {"--engine cuda", "Hopper"});
  EXPECT_EQ(run("data info s --engine cuda").code, 0) << "no network, no question";
}

TEST_F(Engines, CheckComparesThem) {
  if (there_.size() < 2) GTEST_SKIP() << "one engine only";
  const Outcome all = run("check -q --model untrained --count 4 --json");
  ASSERT_EQ(all.code, 0) << all.out << all.err;
  EXPECT_EQ(all.json()["ok"], true);
  EXPECT_EQ(all.json()["engines"].size(), there_.size() - 1);
  store("s", 5, 2);
  const std::string check = "check -q --patches s --count 8 --model w.safetensors --json --engine " + there_[1];
  const nlohmann::json one = run(check).json()["engines"][0];
  EXPECT_EQ(one["engine"], there_[1]);
  EXPECT_EQ(run(check).json()["count"], 8);
  EXPECT_NEAR(one["fpr95_shift"], 0, 0.1);
  EXPECT_GT(one["largest_difference"], 0);
  EXPECT_EQ(run(check + " --max-error 0").code, 1) << "over the bound";
  EXPECT_EQ(run(check + " --max-error 0").json()["ok"], false);
  EXPECT_EQ(run(check + " --max-angle 0.01").json()["engines"][0]["max_error"], nullptr)
      << "one bound replaces another";
  run("check --model untrained --engine reference").expect_error(2, {"reference", "itself"});
  run("check --model untrained --count 1").expect_error(2, {"count = 1"});
  run("check --model untrained --max-angle 181").expect_error(2, {"max_angle = 181"});
  run("check --model nothing").expect_error(1, {"nothing"});
  run("check --model untrained --patches nothing.npy").expect_error(1, {"nothing.npy"});
}

TEST_F(Engines, CalibrateMeasuresRanges) {
  store("s", 20, 2);
  const std::string calibrate = "calibrate -q --model w.safetensors --patches s --json ";
  if (!has("onednn")) {
    run(calibrate + "--out c.safetensors").expect_error(1, {"oneDNN"});
    return;
  }
  const Outcome made = run(calibrate + "--count 16 --out c.safetensors");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["count"], 16);
  const Weights before = load_safetensors(path("w.safetensors")), after = load_safetensors(path("c.safetensors"));
  EXPECT_EQ(after.arrays, before.arrays);
  EXPECT_EQ(calibration_of(after, l2net()).ranges, made.json()["ranges"].get<std::vector<float>>());
  EXPECT_NE(calibration_of(after, l2net()), assumed_calibration(l2net()));
  if (has("onednn-int8")) {
    const auto warning_of = [&](const std::string& model, const std::string& out) {
      return run("describe -q --engine onednn-int8 --patches s --out " + out + " --model " + model).err;
    };
    EXPECT_NE(warning_of("w.safetensors", "w.npy").find("adasample calibrate"), std::string::npos);
    EXPECT_EQ(warning_of("c.safetensors", "c.npy"), "");
  }
  run(calibrate + "--out c.safetensors").expect_error(1, {"c.safetensors: already exists"});
  run(calibrate + "--out c.pt").expect_error(2, {"c.pt", ".safetensors"});
  run(calibrate + "--out d.safetensors --count 0").expect_error(2, {"count = 0"});
  run("calibrate --model s --patches s --out d.safetensors").expect_error(1, {"model.safetensors"});
  EXPECT_FALSE(std::filesystem::exists(path("d.safetensors")));
}

// Started by its bare name, from a folder that looks like the root of an installation.
TEST_F(Engines, DefaultWeightsAreNotTheCurrentFolders) {
  write_file_atomically(path("adasample"), "no program");
  std::filesystem::create_directories(path("share/adasample"));
  write_file_atomically(path("share/adasample/adasample-l2net.safetensors"), "rubbish");
  const std::string folder = std::filesystem::path(ADASAMPLE_BINARY).parent_path().string();
  run("--version",
      "unset ADASAMPLE_WEIGHTS; PATH='" + folder +
          "':$PATH adasample export --model default --to safetensors --out d.safetensors >/dev/null 2>bare.txt;");
  EXPECT_EQ(read_text(path("bare.txt")), "");
  EXPECT_EQ(load_safetensors(path("d.safetensors")),
            load_safetensors(ADASAMPLE_SOURCE_DIR "/weights/adasample-l2net.safetensors"));
}

TEST_F(Engines, OfCommonOptionsTheLastHolds) {
  run("check --model untrained --engine torch --engine reference").expect_error(2, {"reference", "itself"});
  const auto pixels = [&](const std::string& options, const std::string& out) {
    const Outcome made = run("data synth -q --classes 3 --views 2 --out " + out + options);
    EXPECT_EQ(made.code, 0) << made.err;
    return read_text(path(out + "/patches.npy"));
  };
  const std::string one = pixels(" --seed 1", "one"), two = pixels(" --seed 2", "two");
  EXPECT_NE(one, two);
  EXPECT_EQ(pixels(" --seed 1 --threads 1 --device cuda --seed 2 --threads 2 --device cpu", "last"), two);
}

TEST_F(Engines, Benches) {
  for (const std::string& engine : there_) {
    const Outcome timed = run("bench embed -q --patches 3 --rounds 1 --json --engine " + engine);
    ASSERT_EQ(timed.code, 0) << timed.err;
    EXPECT_EQ(timed.err, "");
    const nlohmann::json figures = timed.json();
    for (const char* key : {"patches_per_s", "gflops", "one_patch_ms", "first_descriptor_ms"}) {
      EXPECT_GT(figures[key], 0) << engine << " " << key;
    }
    EXPECT_EQ(figures.contains("share_of_fp32_peak"), figures["device"] == "cpu") << engine;
  }
  const nlohmann::json eval = run("bench eval -q --rows 60 --pairs 300 --rounds 1 --json").json();
  EXPECT_EQ(eval["verification"]["pairs"], 600);
  EXPECT_LT(eval["verification"]["fpr95"], 0.05) << "made-up views are some 40 degrees apart, strangers 90";
  EXPECT_GT(eval["matching"]["matches"], 50) << "most made-up views are nearest to their own";
  if (has("torch")) {
    ASSERT_EQ(run("data synth --out bs --classes 16 --views 4 -q").code, 0);
    const nlohmann::json step = run("bench step -q --data bs --device cpu --batch 8 --k 3 --rounds 1 --json").json();
    EXPECT_GT(step["forward_backward_pairs_per_s"], step["pairs_per_s"]) << "a part takes less time than the whole";
  }
  run("bench embed --rounds 0").expect_error(2, {"rounds = 0"});
  run("bench embed --patches -1").expect_error(2, {"patches = -1"});
  run("bench eval --rows 1").expect_error(2, {"rows = 1"});
  if (!has("torch")) run("bench step --data s").expect_error(1, {"LibTorch"});
}

}  // namespace
}  // namespace adasample
