// SPDX-License-Identifier: Apache-2.0
// What `cmake --install` leaves is enough for a program of somebody else's: examples/consumer, built outside this tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "adasample/base/files/npy.h"
#include "adasample/image/files/png.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "tests/support/installed_tree.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using namespace std::string_literals;

const std::string kExample = "'" ADASAMPLE_SOURCE_DIR "/examples/consumer";
const std::string kCompile = ADASAMPLE_CXX " -std=c++20 -Wall -Wextra -Werror ";
const std::string kPython = "/usr/bin/python3";  // the one that Debian's python3-numpy is for
const std::string kCompileC = ADASAMPLE_C " -std=c99 -pedantic -Wall -Wextra -Werror ";

class Consumer : public testing::InstalledTree {
 protected:
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
};

TEST_F(Consumer, BuildsByFindPackage) {
  build_example("consumer", "build");
  expect_works("build/consumer", "");
  expect_works("build/consumer_c", "");
}

// Beside the moved library and the moved program, and nowhere else.
TEST_F(Consumer, DefaultWeightsMoveWithTheTree) {
  const std::string unset = "ADASAMPLE_WEIGHTS=",
                    program = "prefix/bin/adasample export --model default --to safetensors --out ";
  build_example("consumer", "default-build");
  for (const std::string& command :
       {"default-build/consumer default"s, "default-build/consumer_c default"s, program + "default.safetensors"}) {
    const Outcome fine = here(command, unset);
    EXPECT_EQ(fine.code, 0) << command << ": " << fine.err;
  }
  EXPECT_EQ(load_safetensors(*folder_ / "default.safetensors"),
            load_safetensors(ADASAMPLE_SOURCE_DIR "/weights/adasample-l2net.safetensors"));
  EXPECT_EQ(here("sha256sum --check --quiet SHA256SUMS", "-C prefix/share/adasample").code, 0);

  fs::rename(prefix() / "share", prefix() / "aside");
  for (const std::string& command :
       {"default-build/consumer default"s, "default-build/consumer_c default"s, program + "none.safetensors"}) {
    const Outcome missing = here(command, unset);
    EXPECT_EQ(missing.code, 1) << command;
    EXPECT_NE(missing.err.find((prefix() / "share/adasample").string()), std::string::npos) << missing.err;
  }
  fs::rename(prefix() / "aside", prefix() / "share");
}

TEST_F(Consumer, BuildsByPkgConfig) {
  if (!have_pkg_config()) GTEST_SKIP() << "no pkg-config on this machine";
  const std::string libraries = "LD_LIBRARY_PATH=" + below_prefix("libadasample_engine.so").parent_path().string();
  for (const std::string& compile : {kCompile + kExample + "/main.cpp' ", kCompileC + kExample + "/main.c' -lm "}) {
    const Outcome built = here(compile + "-o by-hand " + flags_of("adasample-engine"));
    ASSERT_EQ(built.code, 0) << built.err;
    expect_works("./by-hand", libraries);
  }
}

// examples/describe.py: numpy in, numpy out, as the program itself describes.
TEST_F(Consumer, DescribesFromPython) {
  if (here(kPython + " -c 'import numpy'").code != 0) GTEST_SKIP() << "no /usr/bin/python3 with numpy on this machine";
  std::vector<uint8_t> patches(5 * 32 * 32);
  for (size_t i = 0; i < patches.size(); ++i) patches[i] = static_cast<uint8_t>((i * 37 + i / 100 * 11) % 251);
  write_npy(*folder_ / "patches.npy", patches, std::vector<int64_t>{5, 32, 32});
  const std::string script = kPython + " '" ADASAMPLE_SOURCE_DIR "/examples/describe.py' ",
                    library = "ADASAMPLE_LIBRARY=" + below_prefix("libadasample_engine.so.0.1").string();
  const Outcome fine = here(script + "patches.npy python.npy weights.safetensors", library);
  ASSERT_EQ(fine.code, 0) << fine.err;
  EXPECT_EQ(fine.out, "5 descriptors of 128 numbers, norm 1\n");
  const Outcome program =
      here("prefix/bin/adasample describe --model weights.safetensors --patches patches.npy --out program.npy");
  ASSERT_EQ(program.code, 0) << program.err;
  EXPECT_EQ(
      here(kPython + " -c 'import numpy; assert (numpy.load(\"python.npy\") == numpy.load(\"program.npy\")).all()'")
          .code,
      0);
  EXPECT_NE(here(script + "python.npy x.npy weights.safetensors", library)
                .err.find("expected uint8 [n, 32, 32], found float32"),
            std::string::npos);
  EXPECT_NE(here(script + "patches.npy x.npy none.safetensors", library).err.find("none.safetensors"),
            std::string::npos);
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
  const Outcome missing = look_for("REQUIRED COMPONENTS engine"), bare = look_for("REQUIRED");
  fs::rename(aside, targets);
  EXPECT_NE(bare.code, 0);
  EXPECT_NE(bare.err.find("'engine'"), std::string::npos) << bare.err;
  EXPECT_NE(missing.code, 0);
  EXPECT_NE(missing.err.find("'engine'"), std::string::npos) << missing.err;
}

// What stands in include/ and nothing else; so nobody depends by accident on what may change.
TEST_F(Consumer, InstallsThePublicHeaders) {
  const auto below = [](const fs::path& root, const std::vector<fs::path>& files) {
    std::set<std::string> names;
    for (const fs::path& file : files) names.insert(file.lexically_relative(root).string());
    return names;
  };
  std::vector<fs::path> in_tree;
  for (const auto& entry : fs::recursive_directory_iterator(ADASAMPLE_SOURCE_DIR "/include")) {
    if (entry.is_regular_file()) in_tree.push_back(entry.path());
  }
  const std::set<std::string> expected = below(ADASAMPLE_SOURCE_DIR "/include", in_tree);
  const std::set<std::string> installed = below(include(), headers());
  if (!fs::exists(prefix() / "include/adasample/train") || !fs::exists(prefix() / "include/adasample/integrate")) {
    EXPECT_TRUE(
        std::includes(expected.begin(), expected.end(), installed.begin(), installed.end()));  // of what is built
  } else {
    EXPECT_EQ(installed, expected);
  }
}

TEST_F(Consumer, EveryHeaderStandsAlone) {
  EXPECT_GE(headers("engine").size(), 6u);
  for (const fs::path& header : headers("engine")) {  // without even this machine's fmt, spdlog or JSON library
    EXPECT_FALSE(std::regex_search(read_text(header), std::regex("#include <[a-z]+/"))) << header;
  }
  for (const fs::path& header : headers()) {
    const Outcome compiled =
        here(kCompile + "-I" + include() + " -isystem '" ADASAMPLE_OPENCV_INCLUDE "' -fsyntax-only " + "-include '" +
             header.string() + "' -x c++ /dev/null");
    EXPECT_EQ(compiled.code, 0) << compiled.err;
  }
}

TEST_F(Consumer, HeaderForCIsC) {
  const Outcome compiled =
      here(kCompileC + "-I" + include() + " -fsyntax-only -include adasample/engine/c_api.h -x c /dev/null");
  EXPECT_EQ(compiled.code, 0) << compiled.err;
}

TEST_F(Consumer, ExportsWhatTheHeadersDeclare) {
  std::set<std::string> declared, exported;
  for (const fs::path& header : headers("engine")) {
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
    static const std::regex function(".* T (?:adasample::(\\w+)[(\\[].*|(adasample_\\w+)@.*)"),
        ours(".*\\badasample(::|_).*|.* A ADASAMPLE_.*");
    std::smatch match;
    EXPECT_TRUE(std::regex_match(line, ours)) << "exports " << line;
    if (std::regex_match(line, match, function)) exported.insert(match[1].matched ? match[1] : match[2]);
  }
  EXPECT_TRUE(declared.contains("make_engine"));
  EXPECT_EQ(declared, exported) << "cmake/adasample_engine.map.in must name what the installed headers declare";
}

// examples/opencv_match.cpp on two windows onto one scene: a shift that OpenCV's MAGSAC must find.
TEST_F(Consumer, MatchesWithOpenCv) {
  if (!fs::exists(prefix() / "include/adasample/integrate")) GTEST_SKIP() << "built without OpenCV";
  const GrayImage scene = dead_leaves_scene(RngKey(3, Draw::kScene));
  for (const int left : {0, 80}) {
    GrayImage window(400, scene.height);
    for (int y = 0; y < window.height; ++y) std::copy_n(scene.row(y) + left, window.width, window.row(y));
    write_png(*folder_ / ("at" + std::to_string(left) + ".png"), window);
  }
  const auto expect_matches = [&](const std::string& program, const std::string& environment) {
    const Outcome matched = here(program + " at0.png at80.png matches.png weights.safetensors", environment);
    ASSERT_EQ(matched.code, 0) << matched.err;
    std::smatch figures;
    ASSERT_TRUE(std::regex_search(matched.out, figures, std::regex("([0-9]+) matches, ([0-9]+) inliers")))
        << matched.out;
    EXPECT_GT(std::stoi(figures[2]), 50) << matched.out;
    EXPECT_TRUE(fs::exists(*folder_ / "matches.png"));
    EXPECT_EQ(here(program + " at0.png at80.png x.png none.safetensors", environment).code, 2);
  };
  build_example("opencv_consumer", "opencv-build");
  expect_matches("opencv-build/opencv_match", "");
  if (!have_pkg_config()) return;
  // OpenCV 4.6 adds up enumerations, which C++20 frowns at.
  const Outcome built = here(kCompile +
                             "-Wno-deprecated-enum-enum-conversion '" ADASAMPLE_SOURCE_DIR
                             "/examples/opencv_match.cpp' -o opencv-by-hand " +
                             flags_of("adasample-opencv"));
  ASSERT_EQ(built.code, 0) << built.err;
  expect_matches("./opencv-by-hand",
                 "LD_LIBRARY_PATH=" + below_prefix("libadasample_opencv.so").parent_path().string());
}

// examples/match_photographs.cpp: the same two windows, without OpenCV's types.
TEST_F(Consumer, MatchesPhotographs) {
  const GrayImage scene = dead_leaves_scene(RngKey(3, Draw::kScene));
  for (const int left : {0, 80}) {
    GrayImage window(400, scene.height);
    for (int y = 0; y < window.height; ++y) std::copy_n(scene.row(y) + left, window.width, window.row(y));
    write_png(*folder_ / ("p" + std::to_string(left) + ".png"), window);
  }
  for (const fs::path& header : headers("pictures")) {
    EXPECT_EQ(read_text(header).find("opencv2/"), std::string::npos) << header;
  }
  build_example("pictures_consumer", "pictures-build");
  const Outcome matched = here("pictures-build/match_photographs p0.png p80.png weights.safetensors");
  if (!fs::exists(prefix() / "include/adasample/integrate")) {  // built without OpenCV
    EXPECT_EQ(matched.code, 1);
    EXPECT_NE(matched.err.find("built without OpenCV"), std::string::npos) << matched.err;
    return;
  }
  ASSERT_EQ(matched.code, 0) << matched.err;
  std::smatch figures;
  ASSERT_TRUE(std::regex_search(matched.out, figures, std::regex("([0-9]+) matches, ([0-9]+) inliers"))) << matched.out;
  EXPECT_GT(std::stoi(figures[2]), 20) << matched.out;
  EXPECT_EQ(here("pictures-build/match_photographs p0.png none.png").code, 1);
}

// examples/train_consumer: LibTorch is inside the library, not in the headers.
TEST_F(Consumer, Trains) {
  if (!fs::exists(prefix() / "include/adasample/train")) GTEST_SKIP() << "built without LibTorch";
  for (const fs::path& header : headers("train")) {
    EXPECT_FALSE(std::regex_search(read_text(header), std::regex("#include <(torch|ATen|c10|fmt|spdlog)"))) << header;
  }
  const std::string symbols =
      here("nm -DC --defined-only '" + below_prefix("libadasample_train.so").string() + "'").out;
  EXPECT_NE(symbols.find("adasample::Trainer::run"), std::string::npos);
  EXPECT_EQ(symbols.find("adasample::registered_descriptors"), std::string::npos) << "one registry, the engine's";
  build_example("train_consumer", "train-build");
  const Outcome trained = here("train-build/train_consumer trained");
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_NE(trained.out.find("20 iterations, complete"), std::string::npos) << trained.out;
  EXPECT_EQ(here("prefix/bin/adasample eval patches --data trained/store --model trained").code, 0);
  EXPECT_EQ(here("train-build/train_consumer trained").code, 1);  // whose store exists by now
}

TEST_F(Consumer, NoPathOfThisMachine) {
  for (const auto& entry : fs::recursive_directory_iterator(prefix())) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(read_text(entry.path()).find(ADASAMPLE_SOURCE_DIR), std::string::npos) << entry.path();
  }
  const Outcome program = here("prefix/bin/adasample --version");
  EXPECT_EQ(program.code, 0) << program.err;
}

}  // namespace
}  // namespace adasample
