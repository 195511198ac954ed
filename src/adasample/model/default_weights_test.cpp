// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/default_weights.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>
#include <sstream>

#include "adasample/base/bytes/sha256.h"
#include "adasample/model/calibration.h"
#include "adasample/model/weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

class DefaultWeights : public ::testing::Test {
 protected:
  ~DefaultWeights() override { unsetenv("ADASAMPLE_WEIGHTS"); }
};

TEST_F(DefaultWeights, EnvironmentNamesThem) {
  const TempFolder folder;
  const std::string file = folder / "w.safetensors";
  write_file_atomically(file, "x");
  setenv("ADASAMPLE_WEIGHTS", file.c_str(), 1);
  EXPECT_EQ(default_weights_file(), file);
  setenv("ADASAMPLE_WEIGHTS", (file + "x").c_str(), 1);
  expect_error([] { default_weights_file(); }, "no such file");
}

// The tests' programs lie where an installed one would.
TEST_F(DefaultWeights, AreThoseOfTheRepository) {
  const std::filesystem::path folder = std::filesystem::path(ADASAMPLE_SOURCE_DIR) / "weights";
  const std::string expected = sha256_of_file(folder / kDefaultWeights);
  std::istringstream sums(read_text(folder / "SHA256SUMS"));
  std::string sum, name;
  std::set<std::string> listed;
  while (sums >> sum >> name) {
    EXPECT_EQ(sum, sha256_of_file(folder / name)) << name;
    listed.insert(name);
  }
  EXPECT_TRUE(listed.contains(kDefaultWeights) && listed.contains(kFreeWeights));
  EXPECT_EQ(sha256_of_file(default_weights_file()), expected);
  EXPECT_LE(std::filesystem::file_size(default_weights_file()), 6'000'000u);

  EXPECT_EQ(sha256_of_file(free_weights_file()), sha256_of_file(folder / kFreeWeights));
  for (const std::string& shipped : shipped_weights()) {
    const Weights weights = load_safetensors(weights_file(shipped));
    weights.check_against(l2net());
    EXPECT_TRUE(is_calibrated(weights)) << shipped;
    EXPECT_FALSE(weights.metadata.at("licence").empty()) << shipped;
  }
}

TEST_F(DefaultWeights, AFileARunFolderOrTheNameMeanAFile) {
  const TempFolder folder;
  const std::string run = folder.path(), file = folder / "model.safetensors";
  expect_error([&] { weights_file(file); }, "model.safetensors", "no such weights file or run folder");
  expect_error([&] { weights_file(run); }, "holds no model.safetensors");
  write_file_atomically(file, "x");
  setenv("ADASAMPLE_WEIGHTS", file.c_str(), 1);
  for (const std::string& model : {file, run, std::string("default")}) EXPECT_EQ(weights_file(model), file) << model;
  EXPECT_EQ(weights_file("free"), free_weights_file()) << "ADASAMPLE_WEIGHTS names the default ones alone";
}

}  // namespace
}  // namespace adasample
