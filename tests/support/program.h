// SPDX-License-Identifier: Apache-2.0
// The program as people use it, for tests: run in a folder of its own, its output, its exit code, what it leaves.
// ADASAMPLE_BINARY is its path.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample::testing {

struct Outcome {
  int code;
  std::string out, err;
  nlohmann::json json() const {
    const size_t end = out.find_last_not_of('\n'), begin = out.rfind('\n', end);
    return nlohmann::json::parse(out.substr(begin == std::string::npos ? 0 : begin + 1, end + 1));
  }
  // The error is one line that holds every part.
  void expect_error(int expected_code, const std::vector<std::string>& parts) const {
    EXPECT_EQ(code, expected_code) << err;
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << err;
    EXPECT_TRUE(err.starts_with("adasample: ")) << err;
    for (const std::string& part : parts)
      EXPECT_NE(err.find(part), std::string::npos) << "'" << part << "' not in: " << err;
  }
};

class ProgramTest : public ::testing::Test {
 protected:
  // Runs in the folder of this test; `prefix` goes before the program ("ulimit -f 8;").
  Outcome run(const std::string& arguments, const std::string& prefix = "") const {
    const std::string command = "cd '" + folder_.path().string() + "'; " + prefix + " '" ADASAMPLE_BINARY "' " +
                                arguments + " >out.txt 2>err.txt </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), read_text(path("out.txt")),
            read_text(path("err.txt"))};
  }
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  void store(const std::string& name, int64_t classes = 20, int views = 4) const {
    small_store(path(name), classes, views);
  }

  // Names left in the folder, hidden ones too.
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename();
      if (name != "out.txt" && name != "err.txt") all.push_back(name);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  TempFolder folder_;
};

}  // namespace adasample::testing
