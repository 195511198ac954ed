// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/photographs/photographs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
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
    fs::create_directory(pictures);
    options.keypoints = {.detector = "hessian", .max_keypoints = 30, .max_overlap = 0.1};
    options.cut.views = 4;
    options.per_image = 10;
  }
  void add_scenes(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("p{}.pgm", i);
      write_pgm(pictures / name, dead_leaves_scene(RngKey(3, Draw::kScene).at(static_cast<uint64_t>(i))));
    }
  }
  PhotographReport make(const std::string& name) {
    return make_photograph_stores(pictures, options, folder / name, folder / (name + "-heldout"));
  }

  const TempFolder folder;
  const fs::path pictures = folder / "pictures";
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

TEST_F(Photographs, StoresKnowTheStrengthOfEachView) {
  add_scenes(1);
  make("s");
  const PatchStore store = PatchStore::open(folder / "s");
  ASSERT_TRUE(store.has_strengths());
  EXPECT_FLOAT_EQ(store.strength(0), 0.15f);
  EXPECT_FLOAT_EQ(store.strength(3), 1.2f);
  EXPECT_FLOAT_EQ(store.strength(4), 0.15f);
}

TEST_F(Photographs, FoundAgainTheBytesDoNotDependOnTheThreadsEither) {
  add_scenes(2);
  options.redetect.on = true;
  options.cut.difficulty = parse_difficulty("real");
  const int before = thread_count();
  set_thread_count(1);
  make("one");
  set_thread_count(3);
  make("three");
  set_thread_count(before);
  const PatchStore one = PatchStore::open(folder / "one");
  EXPECT_EQ(one.fingerprint(), PatchStore::open(folder / "three").fingerprint());
  EXPECT_EQ(read_text(folder / "one/strengths.npy"), read_text(folder / "three/strengths.npy"));
  EXPECT_EQ(one.meta()["options"]["redetect"]["min_overlap"], 0.5);
  EXPECT_EQ(one.meta()["options"]["hard"]["occlusion"], 1);
  EXPECT_EQ(one.strength(0), 0);
  EXPECT_GT(one.strength(1), 0);
  EXPECT_LE(one.strength(1), 0.5f);
  options.list = folder / "list.csv";
  expect_error([&] { make("listed"); }, "keypoints of a list cannot be detected again");
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
  fs::copy(pictures / "p0.pgm", pictures / "q.pgm");
  write_file_atomically(pictures / "bad.pgm", "no picture");
  write_pgm(pictures / "tiny.pgm", GrayImage(3, 3, 100));
  fs::create_symlink("nowhere", pictures / "gone.pgm");
  const PhotographReport report = make("s");
  EXPECT_EQ(report.used, 2);
  std::map<std::string, std::string> why;
  for (const SkippedPhotograph& s : report.skipped) why[s.file] = s.why;
  ASSERT_EQ(why.size(), 4u);
  EXPECT_NE(why["q.pgm"].find("the same picture as p0.pgm"), std::string::npos);
  EXPECT_NE(why["bad.pgm"].find("not a JPEG, PNG, PGM"), std::string::npos);
  EXPECT_NE(why["tiny.pgm"].find("none of its 0 keypoints"), std::string::npos);
  EXPECT_NE(why["gone.pgm"].find("gone.pgm"), std::string::npos);
}

TEST_F(Photographs, ListsNameWhatIsMissing) {
  add_scenes(1);
  write_file_atomically(folder / "list.csv", "file,x,y,scale,angle\np0.jpg,100,100,4,0\np9.jpg,100,100,4,0\n");
  options.list = folder / "list.csv";
  const PhotographReport report = make("s");
  EXPECT_EQ(report.used, 1) << "p0.pgm in place of p0.jpg";
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_EQ(report.skipped[0].file, "p9.jpg");
  write_file_atomically(folder / "list.csv", "file,x,y,scale,angle\np0.jpg,100,100,4,0\n../p0.pgm,100,100,4,0\n");
  EXPECT_NE(make("inside").skipped.at(0).why.find("leads out of"), std::string::npos);
  write_file_atomically(folder / "list.csv", "file,x,y,scale,angle\np9.jpg,100,100,4,0\n");
  expect_error([&] { make("t"); }, "none of the 1 pictures it names");
}

TEST_F(Photographs, LargePicturesAreReducedAndKeypointsAreInPixelsOfTheFile) {
  add_scenes(1);
  const FoundKeypoints whole = find_photograph_keypoints(pictures, options.keypoints, 3000);
  const FoundKeypoints halved = find_photograph_keypoints(pictures, options.keypoints, 300);  // the scene is 481 wide
  const auto least = [](const FoundKeypoints& found) {
    double sigma = 1e9, right = 0;
    for (const Keypoint& k : found.list.at("p0.pgm")) {
      sigma = std::min(sigma, k.sigma);
      right = std::max(right, k.x);
    }
    return std::pair(sigma, right);
  };
  EXPECT_GE(least(whole).first, 1.8);
  EXPECT_GE(least(halved).first, 3.6) << "1.8 pixels of the halved picture, in pixels of the file";
  EXPECT_GT(least(halved).second, 260);
  // Cut at a list made from the file, the halved picture shows the same spots.
  write_file_atomically(folder / "list.csv", format_keypoint_list(halved.list));
  options.list = folder / "list.csv";
  options.max_side = 300;
  EXPECT_EQ(make("s").used, 1);
  EXPECT_EQ(PatchStore::open(folder / "s").meta()["options"]["keypoints"], "listed");
}

TEST_F(Photographs, RefusesWhatCannotBe) {
  add_scenes(1);
  options.holdout = 0.5;
  expect_error([&] { make("s"); }, "one photograph cannot be split");
  options.holdout = 1;
  expect_error([&] { make("s"); }, "holdout = 1");
  options.holdout = 0;
  write_pgm(pictures / "p0.pgm", GrayImage(100, 100, 7));
  expect_error([&] { make("s"); }, "none of 1 pictures is usable", "0 keypoints");
  EXPECT_FALSE(fs::exists(folder / "s"));
}

}  // namespace
}  // namespace adasample
