// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/run_plan.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "adasample/experiment/validation.h"
#include "adasample/train/pass/kernels.h"
#include "tests/support/expect_error.h"
#include "tests/support/few_options.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using nlohmann::json;
using testing::expect_error;

const testing::FewOptions kText{};

TEST(RunPlan, ComesBackFromItsDescription) {
  const testing::TempFolder folder;
  const PatchStore a = testing::small_store(folder / "a", 4, 2), b = testing::small_store(folder / "b", 5, 2);
  const PatchStore val = testing::small_store(folder / "val", 6, 2);
  RunPlan plan;
  plan.options.k = 7;
  plan.options.iterations = 12;
  plan.options.seed = std::numeric_limits<uint64_t>::max();
  plan.options.device = "cpu";
  plan.inputs = {
      {(folder / "a").string(), (folder / "b").string()}, "run", "default", (folder / "val").string(), {2, 1}};
  const RunDescription description = describe_run(plan, kText, {&a, &b}, &val);
  EXPECT_EQ(description.config_toml, kText.config(plan));
  EXPECT_EQ(description.environment["data"][1]["sha256"], b.fingerprint());
  EXPECT_EQ(description.environment["val"]["classes"], 6);
  EXPECT_EQ(description.environment["val_score"], kValidationScore);
  for (const char* key : {"val", "val_score"}) {
    EXPECT_FALSE(describe_run(plan, kText, {&a}, nullptr).environment.contains(key));
  }

  const RunPlan restored = restore_plan(description.configuration, description.environment, kText);
  EXPECT_EQ(restored.options.k, 7);
  EXPECT_EQ(restored.options.iterations, 12);
  EXPECT_EQ(restored.options.seed, plan.options.seed);
  EXPECT_EQ(restored.options.device, "cpu");
  EXPECT_EQ(restored.inputs.data, plan.inputs.data);
  EXPECT_EQ(restored.inputs.init, "default");
  EXPECT_EQ(restored.inputs.val, plan.inputs.val);
  EXPECT_EQ(restored.inputs.share, plan.inputs.share);
}

// Own kernels have other last bits on another instruction set: the run says which it had.
TEST(RunPlan, SaysWithWhichInstructionsItLearns) {
  const testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "a", 4, 2);
  RunPlan plan;
  plan.options.training_engine = "simd";
  EXPECT_EQ(describe_run(plan, kText, {&store}, nullptr).environment["instructions"],
            pass::to_string(pass::machine_here()));
  plan.options.training_engine = "torch";
  EXPECT_FALSE(describe_run(plan, kText, {&store}, nullptr).environment.contains("instructions"));
}

TEST(RunPlan, AnEditedDescriptionIsRefused) {
  const json environment = {{"data", json::array({json{{"path", "s"}}})}};
  EXPECT_EQ(restore_plan({{"k", "3"}}, environment, kText).options.k, 3);
  expect_error([&] { restore_plan({{"k", "many"}}, environment, kText); }, "its checkpoint says k = \"many\"");
  expect_error([&] { restore_plan({{"speed", "3"}}, environment, kText); }, "speed");
  for (const json& configuration : {json{{"k", 3}}, json{{"seed", "x"}}, json{{"share", "half"}}}) {
    expect_error([&] { restore_plan(configuration, environment, kText); }, "not one that this program writes");
  }
  expect_error([&] { restore_plan({{"k", "3"}}, json::object(), kText); }, "not one that this program writes");
}

TEST(RunPlan, SharesGoWithTheStores) {
  RunPlan plan{make_preset("robust", "cpu"), {{"a", "b"}, "run", "", "", {3, 1}}};
  plan.complete();
  EXPECT_EQ(plan.options.shares, (std::vector<double>{3, 1}));
  plan.inputs.share = {1};
  expect_error([&] { plan.complete(); }, "--share is given 1 times", "2");
  plan.inputs.share = {0, 0};
  expect_error([&] { plan.complete(); }, "share = 0 for every store");
}

}  // namespace
}  // namespace adasample
