// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/open_model.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "adasample/engine/engine.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using Kinds = std::vector<DescriptorKind>;
using Names = std::vector<std::string>;

// Kinds as they are registered; those of `there` run, torch on a GPU too where there is one.
Kinds machine(const Names& there, bool gpu = false) {
  const auto kind = [&](const char* name, Names devices, int preference, bool exact, const char* needs,
                        const char* stand_in = "") {
    const bool here = std::find(there.begin(), there.end(), name) != there.end();
    return DescriptorKind{.name = name,
                          .architecture = "net",
                          .devices = std::move(devices),
                          .preference = preference,
                          .exact = exact,
                          .needs = needs,
                          .stand_in = stand_in,
                          .problem = [here, gpu, name = std::string(name)](const std::string& device) -> std::string {
                            if (!here) return name + " is missing";
                            return device == "cuda" && name == "torch" && !gpu ? "no GPU for torch" : "";
                          },
                          .make = {}};
  };
  return {kind("reference", {"cpu"}, 10, true, "nothing"), kind("onednn", {"cpu"}, 30, true, "oneDNN"),
          kind("onednn-int8", {"cpu"}, 0, false, "VNNI", "onednn"), kind("cuda", {"cuda"}, 5, false, "Hopper"),
          kind("torch", {"cpu", "cuda"}, 20, true, "LibTorch")};
}

EngineChoice choose(const std::string& engine, const std::string& device, const Kinds& kinds) {
  return choose_engine(engine, device, "net", kinds);
}

TEST(EngineChoice, AutoIsTheFastestInFp32) {
  const auto choice = [](const Names& there, bool gpu, const std::string& device = "auto") {
    return choose("auto", device, machine(there, gpu));
  };
  EXPECT_EQ(choice({"reference", "onednn", "onednn-int8", "torch"}, false), (EngineChoice{"onednn", "cpu"}));
  EXPECT_EQ(choice({"reference", "onednn", "onednn-int8"}, false), (EngineChoice{"onednn", "cpu"}));
  EXPECT_EQ(choice({"reference", "torch"}, false), (EngineChoice{"torch", "cpu"}));
  EXPECT_EQ(choice({"reference"}, false), (EngineChoice{"reference", "cpu"}));
  EXPECT_EQ(choice({"reference", "onednn", "cuda", "torch"}, true), (EngineChoice{"torch", "cuda"}));
  EXPECT_EQ(choice({"reference", "onednn", "cuda", "torch"}, true, "cpu"), (EngineChoice{"onednn", "cpu"}));
  EXPECT_EQ(choice({"reference", "onednn", "cuda"}, true), (EngineChoice{"onednn", "cpu"})) << "bf16 is asked for";
  EXPECT_EQ(choice({"reference", "onednn", "cuda"}, false, "cuda"), (EngineChoice{"cuda", "cuda"}));
  expect_error(
      [&] {
        choice({"reference", "torch"}, false, "cuda");
      },
      "--device cuda: no GPU for torch", "--device cpu");
  expect_error([&] { choice({"reference"}, false, "cuda"); }, "--device cuda: torch is missing", "--device cpu");
}

TEST(EngineChoice, TheOneAskedForAndItsDevice) {
  const Kinds all = machine({"reference", "onednn", "onednn-int8", "cuda", "torch"}, true);
  EXPECT_EQ(choose("onednn", "auto", all), (EngineChoice{"onednn", "cpu"}));
  EXPECT_EQ(choose("onednn-int8", "cpu", all), (EngineChoice{"onednn-int8", "cpu"}));
  EXPECT_EQ(choose("cuda", "auto", all), (EngineChoice{"cuda", "cuda"}));
  EXPECT_EQ(choose("torch", "auto", all), (EngineChoice{"torch", "cuda"}));
  EXPECT_EQ(choose("torch", "cpu", all), (EngineChoice{"torch", "cpu"}));
  for (const char* engine : {"reference", "onednn", "onednn-int8"}) {
    expect_error([&] { choose(engine, "cuda", all); }, engine, "--device cuda");
  }
  expect_error([&] { choose("cuda", "cpu", all); }, "cuda", "--device cpu");
  expect_error([&] { choose("torch", "gpu", all); }, "device = 'gpu', must be auto, cpu or cuda");
  expect_error([&] { choose("torch", "cuda", machine({"torch"})); }, "--device cuda: no GPU for torch");
}

TEST(EngineChoice, WhatIsNotThere) {
  const Kinds few = machine({"reference", "onednn"}), one = machine({"reference", "torch"});
  expect_error([&] { choose("torch", "auto", few); }, "--engine torch: it needs LibTorch", "has reference, onednn");
  expect_error([&] { choose("cuda", "auto", few); }, "cuda", "Hopper", "reference, onednn");
  expect_error([&] { choose("onednn", "auto", one); }, "oneDNN", "reference, torch");
  expect_error([&] { choose("onednn-int8", "auto", one); }, "VNNI", "reference, torch");
  expect_error([&] { choose("fast", "auto", one); }, "'fast'", "reference, torch");
  const EngineChoice other = choose("onednn-int8", "auto", few);
  EXPECT_EQ(other.engine, "onednn");
  EXPECT_EQ(other.note, "[engine] onednn-int8 is missing; onednn takes its place");
}

TEST(OpenModel, FilesRunFoldersAndNames) {
  const testing::TempFolder folder;
  const Weights weights = random_weights(l2net(), 1);
  std::filesystem::create_directory(folder / "run");
  save_safetensors(weights, folder / "run" / "model.safetensors");
  const OpenedModel run = open_model((folder / "run").string(), {.device = "cpu"});
  EXPECT_EQ(run.engine, default_engine());
  EXPECT_EQ(run.file, (folder / "run" / "model.safetensors").string());
  EXPECT_EQ(run.descriptor->dimension(), 128);
  EXPECT_TRUE(run.warnings.empty());
  EXPECT_EQ(open_model(run.file, {.engine = "reference"}).engine, "reference");
  EXPECT_EQ(open_model("default", {.device = "cpu"}).descriptor->dimension(), 128);
  expect_error([] { open_model("nothing"); }, "nothing: no such weights file or run folder", "known here: default");

  register_descriptor(
      {.name = "zeros",
       .architecture = "",
       .devices = {"cpu"},
       .needs = "nothing",
       .engine = "by hand",
       .problem = [](const std::string&) { return std::string(); },
       .make =
           [](const Weights&, const std::string&, const RunOptions&) {
             return open_weights(random_weights(l2net(), 2), "zeros", {.engine = "reference"}).descriptor;
           }});
  const OpenedModel named = open_model("zeros");
  EXPECT_EQ(named.engine, "by hand");
  EXPECT_TRUE(named.file.empty());
  const Names choices = engine_choices();
  EXPECT_EQ(choices.front(), "auto");
  EXPECT_EQ(std::count(choices.begin(), choices.end(), "zeros"), 0) << "it runs no weights";
  expect_error([&] { open_model(run.file, {.engine = "zeros"}); }, "'zeros'", "reference");
}

TEST(OpenModel, WeightsChooseWhatRunsThem) {
  Weights weights = random_weights(l2net(), 1);
  weights.metadata["architecture"] = "tfeat";
  expect_error([&] { open_weights(weights, "w"); }, "features.");  // who runs TFeat has looked at the arrays
  const Weights tfeat = random_weights(find_network("tfeat"), 1);
  EXPECT_EQ(open_weights(tfeat, "w").engine, "reference");
  const OpenedModel asked = open_weights(tfeat, "w", {.engine = "simd"});
  EXPECT_EQ(asked.engine, "reference");
  ASSERT_EQ(asked.warnings.size(), 1u);
  EXPECT_EQ(asked.warnings[0], "[engine] simd runs l2net only; reference takes its place for tfeat");
  expect_error([&] { open_weights(tfeat, "w", {.device = "cuda"}); }, "--device cuda", "--device cpu");
  weights.metadata["architecture"] = "of a later day";
  expect_error([&] { open_weights(weights, "w"); }, "of a later day");
}

TEST(OpenModel, Int8WithoutMeasuredRangesSaysSo) {
  const Names here = engine_names();
  if (std::find(here.begin(), here.end(), "onednn-int8") == here.end()) GTEST_SKIP() << "no int8 here";
  const OpenedModel opened = open_weights(random_weights(l2net(), 1), "w", {.engine = "onednn-int8"});
  ASSERT_EQ(opened.warnings.size(), 1u);
  EXPECT_NE(opened.warnings[0].find("w: no measured ranges for int8"), std::string::npos);
}

}  // namespace
}  // namespace adasample
