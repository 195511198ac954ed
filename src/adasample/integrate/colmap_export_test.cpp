// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap_export.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "adasample/data/pgm.h"
#include "tests/support/expect_error.h"
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
  void set_descriptors(int64_t image, std::span<const uint8_t> d) override { rows[image] = {d.begin(), d.end()}; }
  void clear_matches() override { matches = 0; }
  void commit() override { committed = true; }

  std::vector<ColmapEntry> entries;
  std::vector<ColmapCamera> cameras;
  std::map<int64_t, std::vector<Keypoint>> places;
  std::map<int64_t, std::vector<uint8_t>> rows;
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
  const ColmapExportOptions options_{.detector = "dog", .max_keypoints = 50};
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
  options.upright = options.single_camera = true;
  EXPECT_EQ(export_to_colmap(folder_.path(), upright, descriptor_, options).cameras, 1);
  EXPECT_TRUE(std::none_of(upright.places[1].begin(), upright.places[1].end(), turned));
  EXPECT_EQ(upright.entries[1].camera, 1);
}

TEST_F(ColmapExport, KeypointsOfAReducedPhotographAreInItsOwnPixels) {
  write_pgm(folder_ / "b.pgm", testing::blob_scene(Affine2::scaling(0.5, 0.5), 480, 320));
  ColmapExportOptions options = options_;
  options.max_side = 240;
  export_to_colmap(folder_.path(), notebook_, descriptor_, options);
  EXPECT_EQ(notebook_.entries[0].width, 480);
  const auto reach = [&](int64_t image) {
    double x = 0, sigma = 0;
    for (const Keypoint& k : notebook_.places[image]) {
      x = std::max(x, k.x);
      sigma += k.sigma / static_cast<double>(notebook_.places[image].size());
    }
    return std::pair(x, sigma);
  };
  const auto [large_x, large_sigma] = reach(1);
  const auto [x, sigma] = reach(2);
  EXPECT_NEAR(large_x, 2 * x, 16);
  EXPECT_NEAR(large_sigma / sigma, 2, 0.4);
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

TEST_F(ColmapExport, OptionsAreChecked) {
  MeanDescriptor short_one(64);
  expect_error([&] { export_to_colmap(folder_.path(), notebook_, short_one, options_); }, "128", "64");
  const auto refuses = [](ColmapExportOptions options, const auto&... parts) {
    expect_error([&] { options.validate(); }, parts...);
  };
  refuses({.detector = "fast"}, "fast", "dog");
  refuses({.max_keypoints = 0}, "max_keypoints = 0");
  refuses({.max_side = 10}, "max_side = 10");
  refuses({.camera_model = "X"}, "\"X\"");
  refuses({.sigma = -1}, "sigma = -1");
}

}  // namespace
}  // namespace adasample
