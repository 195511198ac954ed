// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_classes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
#include "tests/support/colmap_scene.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using namespace testing;

class ColmapClasses : public ::testing::Test {
 protected:
  ColmapClasses() { write_photographs(); }
  ~ColmapClasses() override { set_thread_count(threads_); }

  // With 16 bits, so that what is read is what the scene has, but for a 257th of a grey level.
  void write_photographs() {
    for (const auto& [name, photograph] : scene_.photographs) {
      std::string file = fmt::format("P5\n{} {}\n65535\n", photograph.width, photograph.height);
      for (const float pixel : photograph.pixels) {
        const auto value = static_cast<int>(std::lround(257 * pixel));
        file += {static_cast<char>(value >> 8), static_cast<char>(value & 255)};
      }
      write_file_atomically(folder_ / name, file);
    }
  }
  ColmapTally make(const std::string& name, const ColmapOptions& options = {}) {
    return make_colmap_store(scene_.model, scene_.sources(folder_.path()), options, folder_ / name);
  }
  PatchStore open(const std::string& name) { return PatchStore::open(folder_ / name); }

  const int threads_ = thread_count();
  ColmapScene scene_ = colmap_scene();
  TempFolder folder_;
};

TEST_F(ColmapClasses, PatchesKnowTheirPhotographs) {
  make("store", {.scene = "garden"});
  const PatchStore store = open("store");
  ASSERT_TRUE(store.has_pictures());
  ASSERT_EQ(store.picture_names().size(), scene_.model.images.size());
  EXPECT_EQ(store.picture_names()[1], scene_.model.images[1].name);
  EXPECT_EQ(store.picture_scenes()[1], "garden");
  for (int64_t c = 0; c < store.class_count(); ++c) {
    for (int64_t i = store.class_begin(c) + 1; i < store.class_begin(c) + store.class_size(c); ++i) {
      EXPECT_GT(store.picture(i), store.picture(i - 1));
    }
  }
}

// For training: the real patches first, then turned copies. Patches that are copies are of no photograph.
TEST_F(ColmapClasses, ClassesAreFilledUpWithTurnedCopies) {
  make("real");
  make("filled", {.copies = {.positives = 9, .angle = 15}});
  const PatchStore real = open("real"), filled = open("filled");
  ASSERT_EQ(filled.class_count(), real.class_count());
  EXPECT_EQ(filled.patch_size(), 32);
  EXPECT_FALSE(filled.has_pictures());
  EXPECT_FALSE(filled.meta().contains("pictures"));
  EXPECT_EQ(filled.meta()["options"]["positives"], 9);
  EXPECT_EQ(filled.meta()["real_patches"], real.patch_count());
  EXPECT_EQ(filled.meta()["scenes"], real.meta()["scenes"]);
  const auto difference = [](std::span<const uint8_t> a, std::span<const uint8_t> b) {
    double sum = 0;
    for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
    return sum / static_cast<double>(a.size());
  };
  for (int64_t c = 0; c < real.class_count(); ++c) {
    ASSERT_EQ(filled.class_size(c), 9);
    const auto first = filled.patch(filled.class_begin(c));
    EXPECT_LT(difference(first, real.patch(real.class_begin(c))), 6) << "the same, cut at twice the width and halved";
    double turned = 0;
    for (int64_t i = real.class_size(c); i < 9; ++i)
      turned += difference(first, filled.patch(filled.class_begin(c) + i));
    EXPECT_GT(turned, 0);
  }
  make("again", {.copies = {.positives = 9, .angle = 15}});
  make("seed", {.copies = {.positives = 9, .angle = 15}, .seed = 1});
  EXPECT_EQ(open("again").fingerprint(), filled.fingerprint());
  EXPECT_NE(open("seed").fingerprint(), filled.fingerprint());
  expect_error([&] { make("bad", {.copies = {.positives = -1}}); }, "positives = -1, must be 0 to 4096");
}

TEST(ColmapScenes, AreNamedByTheFolderTheModelIsOf) {
  EXPECT_EQ(scene_of_model("/data/fountain/sparse/0"), "fountain");
  EXPECT_EQ(scene_of_model("/data/fountain/sparse/0/"), "fountain");
  EXPECT_EQ(scene_of_model("/data/fountain/sparse/../dense/1"), "fountain");
  EXPECT_EQ(scene_of_model("/data/fountain"), "fountain");
  EXPECT_EQ(scene_of_model("/sparse/0"), "scene");
}

// Photographs are shifts of one another by whole pixels: the patches of a class are equal but for the rounding of
// floats, and those of two classes are not.
TEST_F(ColmapClasses, AClassHoldsOneSpot) {
  const ColmapTally tally = make("store");
  const PatchStore store = open("store");
  EXPECT_EQ(store.class_count(), tally.classes);
  EXPECT_GT(store.class_count(), 15);
  EXPECT_EQ(tally.points, tally.short_track + tally.large_error + tally.small_angle + tally.held_out +
                              tally.out_of_image + tally.same_spot + tally.flat + tally.classes);
  const auto difference = [&](int64_t a, int64_t b) {
    int largest = 0;
    for (size_t i = 0; i < 1024; ++i) largest = std::max(largest, std::abs(store.patch(a)[i] - store.patch(b)[i]));
    return largest;
  };
  for (int64_t c = 0; c < store.class_count(); ++c) {
    EXPECT_GE(store.class_size(c), 2);
    for (int64_t i = 1; i < store.class_size(c); ++i) {
      EXPECT_LE(difference(store.class_begin(c), store.class_begin(c) + i), 1);
    }
    if (c == 0) continue;
    EXPECT_GT(difference(store.class_begin(c - 1), store.class_begin(c)), 10);
  }
}

// The first class's first patch, by hand: its centre lies between the four middle pixels.
TEST_F(ColmapClasses, ThePatchIsCutAtTheKeypoint) {
  for (auto& [name, keypoints] : scene_.keypoints) {
    for (Keypoint& k : keypoints) k.angle = 0;
  }
  make("store", {.region = 8});  // 32 pixels wide: a patch pixel is an image pixel, half a pixel off the grid
  const PatchStore store = open("store");
  ColmapTally tally;
  auto tracks = select_tracks(scene_.model, {.region = 8}, tally);
  locate_tracks(scene_.model, scene_.sources("").keypoints, {.region = 8}, tracks, tally);
  const ColmapView& view = tracks.front().views.front();
  const GrayImage& photograph = scene_.photographs[scene_.model.images[view.image].name];
  const int x = static_cast<int>(view.keypoint.x), y = static_cast<int>(view.keypoint.y);
  for (const int v : {0, 15, 31}) {
    for (const int u : {0, 15, 31}) {
      const int left = x + u - 16, top = y + v - 16;
      const float mean = (photograph.at(left, top) + photograph.at(left + 1, top) + photograph.at(left, top + 1) +
                          photograph.at(left + 1, top + 1)) /
                         4;
      EXPECT_NEAR(store.patch(0)[static_cast<size_t>(32 * v + u)], mean, 0.51) << u << " " << v;
    }
  }
}

TEST_F(ColmapClasses, TheMetaSaysWhereThePatchesCameFrom) {
  scene_.model.sha256 = "abc";
  make("store", {.min_track = 2, .max_overlap = 0.25, .holdout = {"photo4.pgm"}, .seed = 3});
  const nlohmann::json meta = open("store").meta();
  EXPECT_EQ(meta["source"], "COLMAP model");
  EXPECT_EQ(meta["seed"], 3);
  // Whatever photograph 3 shows with room around it, photograph 4 sees too.
  EXPECT_EQ(meta["photographs"], nlohmann::json({"photo1.pgm", "photo2.pgm"}));
  std::vector<std::string> scenes;  // the first digits of their hashes
  for (const char* name : {"photo1.pgm", "photo2.pgm"}) {
    scenes.push_back(sha256_of_file(folder_ / name).substr(0, 16));
  }
  EXPECT_EQ(meta["scenes"], nlohmann::json(scenes));
  EXPECT_EQ(meta["model"]["images"], 4);
  EXPECT_EQ(meta["model"]["points"], scene_.model.points.size());
  EXPECT_EQ(meta["model"]["sha256"], "abc");
  EXPECT_EQ(meta["options"]["min_track"], 2);
  EXPECT_EQ(meta["options"]["max_overlap"], 0.25);
  EXPECT_EQ(meta["options"]["holdout"], nlohmann::json({"photo4.pgm"}));
  EXPECT_GT(meta["points_dropped"]["held_out"], 0);
}

TEST_F(ColmapClasses, TheStoreShowsNeitherThreadsNorBlocks) {
  set_thread_count(1);
  make("one");
  set_thread_count(4);
  make("four");
  make("blocks", {.block_bytes = 5000});  // a class or two each
  EXPECT_EQ(open("one").fingerprint(), open("four").fingerprint());
  EXPECT_EQ(open("one").fingerprint(), open("blocks").fingerprint());
}

TEST_F(ColmapClasses, FlatPatchesAreDropped) {
  const int64_t all = make("all").classes;
  // The left half of every photograph turns grey; on the wall that is another part each time.
  for (auto& [name, photograph] : scene_.photographs) {
    for (int y = 0; y < photograph.height; ++y) std::fill_n(photograph.row(y), photograph.width / 2, 90.0f);
  }
  write_photographs();
  const ColmapTally tally = make("some");
  EXPECT_GT(tally.flat, 0);
  EXPECT_EQ(tally.classes + tally.flat, all);
  const PatchStore store = open("some");
  for (int64_t i = 0; i < store.patch_count(); ++i) EXPECT_GE(standard_deviation(store.patch(i)), 5);
  for (auto& [name, photograph] : scene_.photographs) std::ranges::fill(photograph.pixels, 90.0f);
  write_photographs();
  expect_error([&] { make("none"); }, "[colmap] no class: of", "are flat");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "none"));
}

// A model is anybody's: what it calls a photograph is looked for in the folder given, and nowhere else.
TEST_F(ColmapClasses, NamesDoNotLeadOutOfTheFolder) {
  scene_.model.images[2].name = "../photo2.pgm";
  expect_error([&] { make("store"); }, "[colmap] '../photo2.pgm'", "leads elsewhere");
  scene_.model.images[2].name = "photo2.pgm";
  std::filesystem::remove(folder_ / "photo2.pgm");
  std::filesystem::create_symlink("/etc/hostname", folder_ / "photo2.pgm");
  expect_error([&] { make("store"); }, "[colmap] 'photo2.pgm'", "leads out of");
}

TEST_F(ColmapClasses, MissingPhotographsAreNamed) {
  std::filesystem::remove(folder_ / "photo2.pgm");
  expect_error([&] { make("store"); }, "1 of 4 photographs of the model are missing: photo2.pgm");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "store"));
}

TEST_F(ColmapClasses, PhotographsOfAnotherSizeAreRefused) {
  scene_.photographs["photo3.pgm"] = GrayImage(100, 80, 50);
  write_photographs();
  expect_error([&] { make("store"); }, "photo3.pgm: expected 200 x 160 pixels", "camera 7", "found 100 x 80");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "store"));
}

TEST_F(ColmapClasses, NothingIsOverwritten) {
  make("store");
  expect_error([&] { make("store"); }, "already exists");
}

}  // namespace
}  // namespace adasample
