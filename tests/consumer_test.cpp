// SPDX-License-Identifier: Apache-2.0
// What `cmake --install` leaves is enough for a program of somebody else's: examples/consumer, built outside this tree.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

#include "adasample/base/file_io.h"
#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

const std::string kExample = ADASAMPLE_SOURCE_DIR "/examples/consumer";
const std::string kCompile = ADASAMPLE_CXX " -std=c++20 -Wall -Wextra -Werror ";

struct Outcome {
  int code;
  std::string out, err;
};

Outcome run(const fs::path& folder, const std::string& command, const std::string& environment = "") {
  const int code = testing::Process(folder, command, environment).wait();
  return {code, read_text(folder / "out.txt"), read_text(folder / "err.txt")};
}

// Installed once for all tests, then moved: nothing may remember where it was put first.
class Consumer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<testing::TempFolder>();
    const fs::path first = *folder_ / "first";
    const Outcome installed =
        run(folder_->path(),
            "'" ADASAMPLE_CMAKE "' --install '" ADASAMPLE_BUILD_DIR "' --strip --prefix " + first.string());
    ASSERT_EQ(installed.code, 0) << installed.err;
    fs::rename(first, prefix());
    save_safetensors(random_weights(l2net(), 1), *folder_ / "weights.safetensors");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static fs::path prefix() { return *folder_ / "prefix"; }
  static std::string include() { return (prefix() / "include").string(); }
  static fs::path below_prefix(const std::string& name) {
    for (const auto& entry : fs::recursive_directory_iterator(prefix())) {
      if (entry.path().filename() == name) return entry.path();
    }
    ADD_FAILURE() << name << " is not installed";
    return {};
  }
  static std::vector<fs::path> headers() {
    std::vector<fs::path> found;
    for (const auto& entry : fs::recursive_directory_iterator(include())) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }
  static Outcome here(const std::string& command, const std::string& environment = "") {
    return run(folder_->path(), command, environment);
  }
  static Outcome configure(const std::string& source, const std::string& build) {
    return here("'" ADASAMPLE_CMAKE "' -G '" ADASAMPLE_GENERATOR "' -DCMAKE_CXX_COMPILER='" ADASAMPLE_CXX "' -S '" +
                source + "' -B " + build + " -DCMAKE_PREFIX_PATH=" + prefix().string());
  }
  // A project of one line that looks for the package.
  static Outcome look_for(const std::string& what) {
    fs::create_directories(*folder_ / "asking");
    write_file_atomically(
        *folder_ / "asking/CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.16)\nproject(asking LANGUAGES CXX)\nfind_package(adasample " + what + ")\n");
    remove_tree(*folder_ / "asking-build");
    return configure("asking", "asking-build");
  }
  // Describes as it should, and complains as it should.
  static void expect_works(const std::string& program, const std::string& environment) {
    const Outcome fine = here(program + " weights.safetensors", environment);
    EXPECT_EQ(fine.code, 0) << fine.err;
    std::smatch same, other;
    ASSERT_TRUE(std::regex_search(fine.out, same, std::regex("half the contrast: ([0-9.]+)\n"))) << fine.out;
    ASSERT_TRUE(std::regex_search(fine.out, other, std::regex("another patch: ([0-9.]+)\n"))) << fine.out;
    EXPECT_GT(std::stod(other[1]), 0.1);
    EXPECT_LT(std::stod(same[1]), 0.2 * std::stod(other[1]));  // a network sees patches normalised; bytes are rounded

    const Outcome missing = here(program + " none.safetensors", environment);
    EXPECT_EQ(missing.code, 1) << missing.err;  // adasample::Error, caught by its type across the library's border
    EXPECT_NE(missing.err.find("none.safetensors"), std::string::npos) << missing.err;
    const Outcome unknown = here(program + " weights.safetensors abacus", environment);
    EXPECT_EQ(unknown.code, 2) << unknown.err;
    EXPECT_NE(unknown.err.find("'abacus', must be one of reference"), std::string::npos) << unknown.err;

    const std::string libraries = here("ldd " + program, environment).out;
    EXPECT_NE(libraries.find("libadasample_engine.so.0.1 => " + prefix().string()), std::string::npos) << libraries;
    EXPECT_EQ(libraries.find("torch"), std::string::npos) << libraries;
    EXPECT_EQ(libraries.find("not found"), std::string::npos) << libraries;
  }

  static std::unique_ptr<testing::TempFolder> folder_;
};
std::unique_ptr<testing::TempFolder> Consumer::folder_;

TEST_F(Consumer, BuildsByFindPackage) {
  const Outcome configured = configure(kExample, "build");
  ASSERT_EQ(configured.code, 0) << configured.err;
  const Outcome built = here("'" ADASAMPLE_CMAKE "' --build build");
  ASSERT_EQ(built.code, 0) << built.out << built.err;
  expect_works("build/consumer", "");
}

TEST_F(Consumer, BuildsByPkgConfig) {
  if (std::string(ADASAMPLE_PKG_CONFIG).empty()) GTEST_SKIP() << "no pkg-config on this machine";
  const std::string folder = below_prefix("adasample-engine.pc").parent_path().string();
  const Outcome flags =
      here("'" ADASAMPLE_PKG_CONFIG "' --cflags --libs adasample-engine", "PKG_CONFIG_PATH=" + folder);
  ASSERT_EQ(flags.code, 0) << flags.err;
  const Outcome built =
      here(kCompile + "'" + kExample + "/main.cpp' -o by-hand " + std::regex_replace(flags.out, std::regex("\n"), " "));
  ASSERT_EQ(built.code, 0) << built.err;
  expect_works("./by-hand", "LD_LIBRARY_PATH=" + below_prefix("libadasample_engine.so").parent_path().string());
}

TEST_F(Consumer, PackageSaysWhatItLacks) {
  EXPECT_EQ(look_for("REQUIRED").code, 0);
  EXPECT_EQ(look_for("0.1 REQUIRED COMPONENTS engine").code, 0);
  EXPECT_EQ(look_for("COMPONENTS engine OPTIONAL_COMPONENTS abacus").code, 0);
  const Outcome unknown = look_for("REQUIRED COMPONENTS engine abacus");
  EXPECT_NE(unknown.code, 0);
  const std::string words = std::regex_replace(unknown.err, std::regex("\\s+"), " ");
  EXPECT_NE(words.find("has no component 'abacus'; it has: engine"), std::string::npos) << unknown.err;
  EXPECT_NE(look_for("0.2 REQUIRED").code, 0);

  const fs::path targets = below_prefix("adasample-engine.cmake"), aside = *folder_ / "aside.cmake";
  fs::rename(targets, aside);
  const Outcome missing = look_for("REQUIRED COMPONENTS engine");
  fs::rename(aside, targets);
  EXPECT_NE(missing.code, 0);
  EXPECT_NE(missing.err.find("'engine'"), std::string::npos) << missing.err;
}

TEST_F(Consumer, EveryHeaderStandsAlone) {
  EXPECT_GE(headers().size(), 6u);
  for (const fs::path& header : headers()) {
    const Outcome compiled =
        here(kCompile + "-I" + include() + " -fsyntax-only -include '" + header.string() + "' -x c++ /dev/null");
    EXPECT_EQ(compiled.code, 0) << compiled.err;
    // Not even on this machine's fmt, spdlog or JSON library.
    EXPECT_FALSE(std::regex_search(read_text(header), std::regex("#include <(fmt|spdlog|nlohmann|dnnl|oneapi)")))
        << header;
  }
}

TEST_F(Consumer, ExportsWhatTheHeadersDeclare) {
  std::set<std::string> declared, exported;
  for (const fs::path& header : headers()) {
    std::istringstream lines(read_text(header));
    for (std::string line; std::getline(lines, line);) {
      static const std::regex function("^[A-Za-z][^(/]*?(\\w+)\\(.*");  // begins in the first column: no member
      std::smatch match;
      if (std::regex_match(line, match, function)) declared.insert(match[1]);
    }
  }
  const std::string library = below_prefix("libadasample_engine.so").string();
  std::istringstream lines(here("nm -DC --defined-only '" + library + "'").out);
  for (std::string line; std::getline(lines, line);) {
    static const std::regex function(".* T adasample::(\\w+)[(\\[].*"), ours(".*\\badasample::.*|.* A ADASAMPLE_.*");
    std::smatch match;
    EXPECT_TRUE(std::regex_match(line, ours)) << "exports " << line;
    if (std::regex_match(line, match, function)) exported.insert(match[1]);
  }
  EXPECT_TRUE(declared.contains("make_engine"));
  EXPECT_EQ(declared, exported) << "cmake/adasample_engine.map.in must name what the installed headers declare";
}

TEST_F(Consumer, NoPathOfThisMachine) {
  for (const auto& entry : fs::recursive_directory_iterator(prefix())) {
    if (!entry.is_regular_file() || entry.path().filename() == "adasample")
      continue;  // which is not for others to link
    EXPECT_EQ(read_text(entry.path()).find(ADASAMPLE_SOURCE_DIR), std::string::npos) << entry.path();
  }
  const Outcome program = here("prefix/bin/adasample --version");
  EXPECT_EQ(program.code, 0) << program.err;
}

}  // namespace
}  // namespace adasample
