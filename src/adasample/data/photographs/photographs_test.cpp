// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/photographs/photographs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
#include "adasample/features/detect/blob_detector.h"
#include "adasample/image/files/pgm.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

// Scenes as PGM files p0.pgm, p1.pgm, .., with blobs for keypoints.
class Photographs : public ::testing::Test {
 protected:
  void SetUp() override {
    source.folder = folder.path() / "pictures";
    fs::create_directory(source.folder);
    source.read = read_pgm;
    source.keypoints = [](const std::string&, const GrayImage& picture, double) {
      return detect_blobs(ScalePyramid(picture), {.max_count = 30});
    };
    options.cut.views = 4;
    options.per_image = 10;
  }
  void add_scenes(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("p{}.pgm", i);
      write_pgm(source.folder / name, dead_leaves_scene(RngKey(3, Draw::kScene).at(static_cast<uint64_t>(i))));
      source.files.push_back(name);
    }
  }
  PhotographReport make(const std::string& name) {
    return make_photograph_stores(source, options, folder / name, folder / (name + "-heldout"));
  }

  const TempFolder folder;
  PhotographSource source;
  PhotographOptions options;
};

std::set<std::string> scenes(const PatchStore& store) { return store.meta().at("scenes").get<std::set<std::string>>(); }

TEST_F(Photographs, TheBytesDoNotDependOnTheThreads) {
  add_scenes(3);
  const int before = thread_count();
  set_thread_count(1);
  const PhotographReport report = make("one");
  set_thread_count(3);
  make("three");
  set_thread_count(before);
  EXPECT_EQ(report.used, 3);
  EXPECT_TRUE(report.skipped.empty());
  const PatchStore one = PatchStore::open(folder / "one");
  EXPECT_EQ(one.fingerprint(), PatchStore::open(folder / "three").fingerprint());
  EXPECT_EQ(one.class_size(0), 4);
  EXPECT_GT(one.class_count(), 10);
  EXPECT_LE(one.class_count(), 30);
  options.seed = 1;
  make("seed");
  EXPECT_NE(one.fingerprint(), PatchStore::open(folder / "seed").fingerprint());
}

TEST_F(Photographs, HoldsOutWholePhotographs) {
  add_scenes(5);
  options.holdout = 0.4;
  const PhotographReport report = make("s");
  EXPECT_EQ(report.used, 3);
  EXPECT_EQ(report.heldout, 2);
  const PatchStore train = PatchStore::open(folder / "s"), heldout = PatchStore::open(folder / "s-heldout");
  std::set<std::string> all = scenes(train);
  EXPECT_EQ(all.size(), 3u);
  all.merge(scenes(heldout));
  EXPECT_EQ(all.size(), 5u);  // none in both
  EXPECT_EQ(train.meta().at("part"), "train");
  EXPECT_EQ(heldout.meta().at("part"), "heldout");
}

TEST_F(Photographs, NamesWhatItLeavesOut) {
  add_scenes(2);
  fs::copy(source.folder / "p0.pgm", source.folder / "q.pgm");
  write_file_atomically(source.folder / "bad.pgm", "no picture");
  write_pgm(source.folder / "tiny.pgm", GrayImage(3, 3, 100));
  for (const char* name : {"q.pgm", "bad.pgm", "tiny.pgm", "gone.pgm"}) source.files.push_back(name);
  const PhotographReport report = make("s");
  EXPECT_EQ(report.used, 2);
  std::map<std::string, std::string> why;
  for (const SkippedPhotograph& s : report.skipped) why[s.file] = s.why;
  ASSERT_EQ(why.size(), 4u);
  EXPECT_NE(why["q.pgm"].find("the same picture as p0.pgm"), std::string::npos);
  EXPECT_NE(why["bad.pgm"].find("[pgm]"), std::string::npos);
  EXPECT_NE(why["tiny.pgm"].find("none of its 0 keypoints"), std::string::npos);
  EXPECT_NE(why["gone.pgm"].find("gone.pgm"), std::string::npos);
}

TEST_F(Photographs, LargePicturesAreReducedAndSaySo) {
  add_scenes(1);
  options.max_side = 300;  // the scene is 481 wide
  double seen = 0;
  source.keypoints = [&, inner = source.keypoints](const std::string& f, const GrayImage& picture, double reduction) {
    EXPECT_LE(std::max(picture.width, picture.height), 300);
    seen = reduction;
    return inner(f, picture, reduction);
  };
  make("s");
  EXPECT_EQ(seen, 2);
}

TEST_F(Photographs, RefusesWhatCannotBe) {
  add_scenes(1);
  options.holdout = 0.5;
  expect_error([&] { make("s"); }, "one photograph cannot be split");
  options.holdout = 1;
  expect_error([&] { make("s"); }, "holdout = 1");
  options.holdout = 0;
  source.keypoints = [](const std::string&, const GrayImage&, double) { return std::vector<Keypoint>(); };
  expect_error([&] { make("s"); }, "none of 1 pictures is usable", "0 keypoints");
  EXPECT_FALSE(fs::exists(folder / "s"));
}

}  // namespace
}  // namespace adasample
