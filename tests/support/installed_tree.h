// SPDX-License-Identifier: Apache-2.0
// What `cmake --install` leaves, for tests of it: installed once for all, then moved, so that nothing may remember
// where it was put first.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace adasample::testing {

class InstalledTree : public ::testing::Test {
 protected:
  struct Outcome {
    int code;
    std::string out, err;
  };

  static void SetUpTestSuite() {
    folder_ = std::make_unique<TempFolder>();
    install("first", "--strip");
    std::filesystem::rename(*folder_ / "first", prefix());
    save_safetensors(random_weights(l2net(), 1), *folder_ / "weights.safetensors");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static void install(const std::string& to, const std::string& options) {
    const Outcome installed = here("'" ADASAMPLE_CMAKE "' --install '" ADASAMPLE_BUILD_DIR "' " + options +
                                   " --prefix " + (*folder_ / to).string());
    ASSERT_EQ(installed.code, 0) << installed.err;
  }

  static std::filesystem::path prefix() { return *folder_ / "prefix"; }
  static std::string include() { return (prefix() / "include").string(); }
  static std::filesystem::path below_prefix(const std::string& name) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(prefix())) {
      if (entry.path().filename() == name) return entry.path();
    }
    ADD_FAILURE() << name << " is not installed";
    return {};
  }
  // Of all libraries, or of one.
  static std::vector<std::filesystem::path> headers(const std::string& library = "") {
    std::filesystem::path root = prefix();
    if (!library.empty()) {
      root = *folder_ / (library + "-dev");
      if (!std::filesystem::exists(root)) install(root.filename(), "--component " + root.filename().string());
    }
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / "include")) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }

  // In the folder of these tests.
  static Outcome here(const std::string& command, const std::string& environment = "") {
    const int code = Process(folder_->path(), command, environment).wait();
    return {code, read_text(*folder_ / "out.txt"), read_text(*folder_ / "err.txt")};
  }
  static Outcome configure(const std::string& source, const std::string& build) {
    return here("'" ADASAMPLE_CMAKE "' -G '" ADASAMPLE_GENERATOR "' -DCMAKE_CXX_COMPILER='" ADASAMPLE_CXX "' -S '" +
                source + "' -B " + build + " -DCMAKE_PREFIX_PATH=" + prefix().string());
  }
  // A project among the examples, as somebody else would build it.
  static void build_example(const std::string& name, const std::string& build) {
    const Outcome configured = configure(ADASAMPLE_SOURCE_DIR "/examples/" + name, build);
    ASSERT_EQ(configured.code, 0) << configured.err;
    const Outcome built = here("'" ADASAMPLE_CMAKE "' --build " + build);
    ASSERT_EQ(built.code, 0) << built.out << built.err;
  }
  // What the compiler is told by pkg-config, in one line.
  static std::string flags_of(const std::string& module) {
    const std::string folder = below_prefix(module + ".pc").parent_path().string();
    const Outcome flags =
        here("'" ADASAMPLE_PKG_CONFIG "' --cflags --libs " + module, "PKG_CONFIG_PATH=" + folder + ":$PKG_CONFIG_PATH");
    EXPECT_EQ(flags.code, 0) << flags.err;
    return flags.out.substr(0, flags.out.find('\n')) + ' ';
  }
  static bool have_pkg_config() { return !std::string(ADASAMPLE_PKG_CONFIG).empty(); }

  static inline std::unique_ptr<TempFolder> folder_;
};

}  // namespace adasample::testing
