// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/c_api.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include "adasample/engine/engine.h"
#include "adasample/model/random_weights.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

constexpr size_t kArea = 32 * 32, kDimension = 128;

std::vector<uint8_t> some_patches(size_t count) {
  std::vector<uint8_t> patches(count * kArea);
  for (size_t i = 0; i < patches.size(); ++i) patches[i] = static_cast<uint8_t>((i * 37 + i / 100 * 11) % 251);
  return patches;
}

class CApi : public ::testing::Test {
 protected:
  CApi() : file_(folder_ / "w.safetensors") { save_safetensors(weights_, file_); }
  ~CApi() override { adasample_destroy(engine_); }

  void create() { ASSERT_EQ(adasample_create(file_.c_str(), "reference", 1, &engine_), ADASAMPLE_OK) << error(); }
  static std::string error() { return adasample_last_error(); }
  static void expect_usage(adasample_status status, const std::string& part) {
    EXPECT_EQ(status, ADASAMPLE_USAGE);
    EXPECT_NE(error().find(part), std::string::npos) << error();
  }

  const testing::TempFolder folder_;
  const Weights weights_ = random_weights(l2net(), 1);
  const std::string file_;
  adasample_engine* engine_ = nullptr;
};

TEST_F(CApi, DescribesAsTheEngineDoes) {
  create();
  EXPECT_EQ(adasample_dimension(engine_), 128);
  EXPECT_EQ(adasample_patch_size(engine_), 32);
  constexpr size_t kCount = 3;
  const std::vector<uint8_t> patches = some_patches(kCount);
  std::vector<float> here(kCount * kDimension), there(here.size());
  EXPECT_EQ(adasample_describe(engine_, patches.data(), kCount, here.data()), ADASAMPLE_OK) << error();
  make_engine("reference", weights_, "w", {.threads = 1})->describe(patches, kCount, 32, there);
  EXPECT_EQ(here, there);
  EXPECT_EQ(adasample_describe(engine_, nullptr, 0, nullptr), ADASAMPLE_OK);
}

TEST_F(CApi, OptionsCarryTheirSize) {
  EXPECT_EQ(adasample_api_version(), ADASAMPLE_API_VERSION);
  adasample_options options = ADASAMPLE_OPTIONS_INIT;
  options.engine = "reference";
  options.threads = 1;
  ASSERT_EQ(adasample_create_with(file_.c_str(), &options, &engine_), ADASAMPLE_OK) << error();
  EXPECT_EQ(adasample_dimension(engine_), 128);
  const auto refused = [&](const adasample_options* given, const std::string& part) {
    adasample_engine* none = engine_;
    expect_usage(adasample_create_with(file_.c_str(), given, &none), part);
    EXPECT_EQ(none, nullptr);
  };
  options.threads = -1;
  refused(&options, "threads = -1");
  options.size = 0;
  refused(&options, "options->size = 0");
  options.size = 1 << 20;
  refused(&options, "options->size = 1048576");

  struct Larger {  // of a later header
    adasample_options known = ADASAMPLE_OPTIONS_INIT;
    int64_t later = 0;
  } larger;
  larger.known.size = sizeof larger;
  larger.known.engine = "reference";
  adasample_engine* other = nullptr;
  EXPECT_EQ(adasample_create_with(file_.c_str(), &larger.known, &other), ADASAMPLE_OK) << error();
  adasample_destroy(other);
  larger.later = 1;
  refused(&larger.known, "of the options is set");
  adasample_options cut = ADASAMPLE_OPTIONS_INIT;  // in the middle of a member
  for (const size_t size : {sizeof(size_t), sizeof(size_t) + 1, sizeof cut - 1}) {
    cut.size = size;
    refused(&cut, "options->size = " + std::to_string(size));
  }
}

TEST_F(CApi, EveryEngineOfThisMachineAndTheDefault) {
  std::vector<std::string> names = engine_names();
  for (const std::string& name : names) {
    adasample_engine* engine = nullptr;
    EXPECT_EQ(adasample_create(file_.c_str(), name.c_str(), 0, &engine), ADASAMPLE_OK) << name << ": " << error();
    adasample_destroy(engine);
  }
  EXPECT_EQ(adasample_create(file_.c_str(), nullptr, 0, &engine_), ADASAMPLE_OK) << error();
}

TEST_F(CApi, BadArgumentsAreRefused) {
  create();
  const std::vector<uint8_t> patches = some_patches(1);
  std::vector<float> row(kDimension, 7);
  adasample_engine* none = engine_;
  expect_usage(adasample_create(nullptr, nullptr, 0, &none), "weights = NULL");
  EXPECT_EQ(none, nullptr);
  expect_usage(adasample_create(file_.c_str(), nullptr, 0, nullptr), "created = NULL");
  expect_usage(adasample_create(file_.c_str(), "abacus", 0, &none), "'abacus', must be one of reference");
  expect_usage(adasample_create(file_.c_str(), nullptr, -1, &none), "threads = -1");
  expect_usage(adasample_create(file_.c_str(), nullptr, 1 << 30, &none), "must be 0 to 4096");
  expect_usage(adasample_describe(nullptr, patches.data(), 1, row.data()), "engine = NULL");
  expect_usage(adasample_describe(engine_, nullptr, 1, row.data()), "patches = NULL");
  expect_usage(adasample_describe(engine_, patches.data(), 1, nullptr), "descriptors = NULL");
  expect_usage(adasample_describe(engine_, patches.data(), std::numeric_limits<size_t>::max(), row.data()), "count = ");
  EXPECT_EQ(row, std::vector<float>(kDimension, 7));
  EXPECT_EQ(adasample_dimension(nullptr), 0);
  EXPECT_EQ(adasample_patch_size(nullptr), 0);
  adasample_destroy(nullptr);
}

TEST_F(CApi, FilesThatAreMissingOrNoWeights) {
  EXPECT_EQ(adasample_create("none.safetensors", nullptr, 0, &engine_), ADASAMPLE_FAILED);
  EXPECT_NE(error().find("none.safetensors"), std::string::npos) << error();
  EXPECT_EQ(engine_, nullptr);
  write_file_atomically(folder_ / "text", "not weights at all");
  EXPECT_EQ(adasample_create((folder_ / "text").c_str(), nullptr, 0, &engine_), ADASAMPLE_FAILED);
  EXPECT_NE(error().find("text"), std::string::npos) << error();
  const std::string far_too_long(5000, 'x');  // the message is cut, not overrun
  EXPECT_NE(adasample_create(far_too_long.c_str(), nullptr, 0, &engine_), ADASAMPLE_OK);
  EXPECT_LT(error().size(), 1024u);
}

TEST_F(CApi, AnErrorBelongsToItsThread) {
  expect_usage(adasample_describe(nullptr, nullptr, 1, nullptr), "engine = NULL");
  std::string before = "?", after;
  std::thread([&] {
    before = error();
    adasample_create(nullptr, nullptr, 0, nullptr);
    after = error();
  }).join();
  EXPECT_EQ(before, "");
  EXPECT_NE(after.find("created = NULL"), std::string::npos);
  EXPECT_NE(error().find("engine = NULL"), std::string::npos);
}

TEST_F(CApi, HasAVersion) {
  EXPECT_TRUE(std::regex_match(adasample_version(), std::regex("[0-9]+\\.[0-9]+\\.[0-9]+")));
}

}  // namespace
}  // namespace adasample
