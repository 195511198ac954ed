// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/default_weights.h"

#include <gtest/gtest.h>

#include <cstdlib>

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

TEST_F(DefaultWeights, AFileARunFolderOrTheNameMeanAFile) {
  const TempFolder folder;
  const std::string run = folder.path(), file = folder / "model.safetensors";
  expect_error([&] { weights_file(file); }, "model.safetensors", "no such weights file or run folder");
  expect_error([&] { weights_file(run); }, "holds no model.safetensors");
  write_file_atomically(file, "x");
  setenv("ADASAMPLE_WEIGHTS", file.c_str(), 1);
  for (const std::string& model : {file, run, std::string("default")}) EXPECT_EQ(weights_file(model), file) << model;
}

}  // namespace
}  // namespace adasample
