// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_export.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "adasample/base/bytes/sha256.h"
#include "adasample/image/files/pgm.h"
#include "tests/support/expect_error.h"
#include "tests/support/median.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

// A database in memory.
class Notebook : public ColmapWriter {
 public:
  std::vector<ColmapEntry> images() override { return entries; }
  std::vector<Keypoint> keypoints(const ColmapEntry& image) override { return places[image.id]; }
  int64_t match_count() override { return matches; }
  int64_t add_camera(const ColmapCamera& camera, bool) override {
    cameras.push_back(camera);
    return std::ssize(cameras);
  }
  int64_t add_image(const std::string& name, int64_t camera) override {
    const ColmapCamera& c = cameras[static_cast<size_t>(camera - 1)];
    entries.push_back({std::ssize(entries) + 1, name, camera, c.width, c.height, true, 0});
    return entries.back().id;
  }
  void set_keypoints(int64_t image, std::span<const Keypoint> k) override { places[image] = {k.begin(), k.end()}; }
  void set_descriptors(int64_t image, std::span<const uint8_t> d, bool /*sift*/) override {
    rows[image] = {d.begin(), d.end()};
  }
  void set_file(int64_t image, const std::string& sha256) override { files[image] = sha256; }
  void clear_matches() override { matches = 0; }
  void commit() override { committed = true; }

  std::vector<ColmapEntry> entries;
  std::vector<ColmapCamera> cameras;
  std::map<int64_t, std::vector<Keypoint>> places;
  std::map<int64_t, std::vector<uint8_t>> rows;
  std::map<int64_t, std::string> files;
  int64_t matches = 0;
  bool committed = false;
};

// The patch's mean in the first number, the rest of the length in the second.
class MeanDescriptor : public Descriptor {
 public:
  explicit MeanDescriptor(int dimension = 128) : dimension_(dimension) {}
  std::string name() const override { return "mean"; }
  int dimension() const override { return dimension_; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    std::fill(out.begin(), out.end(), 0.0f);
    const auto pixels = static_cast<size_t>(size * size), width = static_cast<size_t>(dimension_);
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      double sum = 0;
      for (const uint8_t p : patches.subspan(i * pixels, pixels)) sum += p;
      const double mean = sum / (255.0 * static_cast<double>(pixels));
      out[i * width] = static_cast<float>(mean);
      out[i * width + 1] = static_cast<float>(std::sqrt(1 - mean * mean));
    }
  }

 private:
  int dimension_;
};

class ColmapExport : public ::testing::Test {
 protected:
  ColmapExport() {
    fs::create_directory(folder_ / "sub");
    write_pgm(folder_ / "b.pgm", testing::blob_scene());
    write_pgm(folder_ / "sub/a.pgm", testing::blob_scene());
  }
  const ColmapExportOptions options_ = [] {
    ColmapExportOptions options;
    options.pictures.features.detector = "dog";
    options.pictures.features.max_keypoints = 50;
    return options;
  }();
  const testing::TempFolder folder_;
  Notebook notebook_;
  MeanDescriptor descriptor_;
};

TEST_F(ColmapExport, PhotographsGetCamerasKeypointsAndDescriptors) {
  const ColmapExportReport report = export_to_colmap(folder_.path(), notebook_, descriptor_, options_);
  EXPECT_TRUE(notebook_.committed);
  EXPECT_EQ(report.images, 2);
  EXPECT_EQ(report.cameras, 2);
  ASSERT_EQ(notebook_.entries.size(), 2u);
  EXPECT_EQ(notebook_.entries[0].name, "b.pgm");
  EXPECT_EQ(notebook_.entries[1].name, "sub/a.pgm");
  EXPECT_EQ(notebook_.cameras[0].parameters, (std::vector<double>{288, 120, 80, 0}));
  const auto& keypoints = notebook_.places[1];
  ASSERT_EQ(keypoints.size(), 50u);
  EXPECT_EQ(report.keypoints, 100);
  ASSERT_EQ(notebook_.rows[1].size(), keypoints.size() * 128);
  EXPECT_EQ(notebook_.rows[1], notebook_.rows[2]) << "the same picture";
  const auto turned = [](const Keypoint& k) { return k.angle != 0; };
  EXPECT_TRUE(std::any_of(keypoints.begin(), keypoints.end(), turned));

  Notebook upright;
  ColmapExportOptions options = options_;
  options.pictures.features.upright = options.single_camera = true;
  EXPECT_EQ(export_to_colmap(folder_.path(), upright, descriptor_, options).cameras, 1);
  EXPECT_TRUE(std::none_of(upright.places[1].begin(), upright.places[1].end(), turned));
  EXPECT_EQ(upright.entries[1].camera, 1);
}

TEST_F(ColmapExport, KeypointsOfAReducedPhotographAreInItsOwnPixels) {
  write_pgm(folder_ / "b.pgm", testing::blob_scene(Affine2::scaling(0.5, 0.5), 480, 320));
  ColmapExportOptions options = options_;
  options.pictures.max_side = 240;
  export_to_colmap(folder_.path(), notebook_, descriptor_, options);
  EXPECT_EQ(notebook_.entries[0].width, 480);
  EXPECT_EQ(notebook_.files[1], sha256_of_file(folder_ / "b.pgm"));
  EXPECT_EQ(notebook_.files[2], sha256_of_file(folder_ / "sub/a.pgm"));
  // sub/a.pgm is the scene at half the size: its keypoints are the same ones.
  std::vector<double> right, down, scale;
  for (const Keypoint& k : notebook_.places[1]) {
    const auto& half = notebook_.places[2];
    const Keypoint l = *std::min_element(half.begin(), half.end(), [&](const Keypoint& a, const Keypoint& b) {
      return std::hypot(k.x - 2 * a.x, k.y - 2 * a.y) < std::hypot(k.x - 2 * b.x, k.y - 2 * b.y);
    });
    right.push_back(k.x - 2 * l.x);
    down.push_back(k.y - 2 * l.y);
    scale.push_back(k.sigma / l.sigma);
  }
  EXPECT_NEAR(testing::median(right), 0, 0.2) << "half a pixel is 0.5";
  EXPECT_NEAR(testing::median(down), 0, 0.2);
  EXPECT_NEAR(testing::median(scale), 2, 0.1);
}

TEST_F(ColmapExport, ImagesOfTheDatabaseAreKept) {
  notebook_.entries = {{7, "b.pgm", 3, 240, 160, false, 0}};
  export_to_colmap(folder_.path(), notebook_, descriptor_, options_);
  EXPECT_EQ(notebook_.cameras.size(), 1u) << "b.pgm has one";
  EXPECT_EQ(notebook_.places[7].size(), 50u);

  Notebook other_size, described;
  other_size.entries = {{7, "b.pgm", 3, 240, 161, false, 0}};
  expect_error([&] { export_to_colmap(folder_.path(), other_size, descriptor_, options_); }, "b.pgm", "240 x 160",
               "240 x 161");
  described.entries = {{7, "b.pgm", 3, 240, 160, true, 0}};
  expect_error([&] { export_to_colmap(folder_.path(), described, descriptor_, options_); }, "b.pgm", "--redescribe");
  EXPECT_FALSE(other_size.committed || described.committed);
}

TEST_F(ColmapExport, OneCameraNeedsOneSize) {
  write_pgm(folder_ / "c.pgm", testing::blob_scene({}, 200, 160));
  ColmapExportOptions options = options_;
  options.single_camera = true;
  expect_error([&] { export_to_colmap(folder_.path(), notebook_, descriptor_, options); }, "c.pgm", "200 x 160",
               "--single-camera");
}

TEST_F(ColmapExport, RedescribingKeepsKeypoints) {
  export_to_colmap(folder_.path(), notebook_, descriptor_, options_);
  const auto places = notebook_.places[1];
  const auto rows = notebook_.rows[1];
  notebook_.rows.clear();
  notebook_.matches = 4;
  expect_error([&] { redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options_); }, "4 pairs",
               "--clear-matches");
  EXPECT_TRUE(notebook_.rows.empty());
  ColmapExportOptions options = options_;
  options.clear_matches = true;
  const ColmapExportReport report = redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options);
  EXPECT_EQ(report.cleared_matches, 4);
  EXPECT_EQ(report.images, 2);
  EXPECT_EQ(notebook_.matches, 0);
  EXPECT_EQ(notebook_.rows[1], rows);
  EXPECT_EQ(notebook_.places[1].size(), places.size());

  options.pictures.features.upright = true;
  redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options);
  EXPECT_NE(notebook_.rows[1], rows) << "the same places, cut as they stand";
  EXPECT_EQ(notebook_.places[1].front().angle, places.front().angle) << "the keypoints stay";
  options.pictures.features.upright = false;

  for (const Keypoint& outside : {Keypoint{.x = 300, .y = 10, .sigma = 2}, Keypoint{.x = 10, .y = -20, .sigma = 2}}) {
    notebook_.places[1].push_back(outside);
    expect_error([&] { redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options); }, "b.pgm", "240 x 160");
    notebook_.places[1].pop_back();
  }

  for (Keypoint& k : notebook_.places[1]) k.sigma = 0;
  expect_error([&] { redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options); }, "b.pgm", "--sigma");
  options.sigma = 2.5;
  redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options);
  EXPECT_NE(notebook_.rows[1], rows);
  fs::remove(folder_ / "b.pgm");
  expect_error([&] { redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options); }, "b.pgm");
  Notebook empty;
  expect_error([&] { redescribe_for_colmap(folder_.path(), empty, descriptor_, options); }, "empty database");
}

TEST_F(ColmapExport, PhotographsWithoutKeypointsAreNamedUnlessAllAre) {
  write_pgm(folder_ / "b.pgm", GrayImage(100, 80, 90.0f));
  EXPECT_EQ(export_to_colmap(folder_.path(), notebook_, descriptor_, options_).empty,
            std::vector<std::string>{"b.pgm"});
  EXPECT_EQ(redescribe_for_colmap(folder_.path(), notebook_, descriptor_, options_).empty,
            std::vector<std::string>{"b.pgm"});
  write_pgm(folder_ / "sub/a.pgm", GrayImage(100, 80, 90.0f));
  Notebook none;
  expect_error([&] { export_to_colmap(folder_.path(), none, descriptor_, options_); }, "no keypoint in 2 images");
  EXPECT_FALSE(none.committed);
}

TEST_F(ColmapExport, OptionsAreChecked) {
  MeanDescriptor short_one(64);
  expect_error([&] { export_to_colmap(folder_.path(), notebook_, short_one, options_); }, "128", "64");
  const auto refuses = [](ColmapExportOptions options, const auto&... parts) {
    expect_error([&] { options.validate(); }, parts...);
  };
  const auto refuses_pictures = [&](const PictureOptions& pictures, const auto&... parts) {
    refuses({.pictures = pictures}, parts...);
  };
  refuses_pictures({.features = {.detector = "fast"}, .as_stored = true}, "fast", "dog");
  refuses_pictures({.features = {.max_keypoints = 0}, .as_stored = true}, "max_keypoints = 0");
  refuses_pictures({.features = {}, .max_side = 10, .as_stored = true}, "max_side = 10");
  refuses({.camera_model = "X"}, "\"X\"");
  refuses({.sigma = -1}, "sigma = -1");
}

}  // namespace
}  // namespace adasample
