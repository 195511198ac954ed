// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
#include "adasample/image/resize.h"
#include "tests/support/expect_error.h"
#include "tests/support/phototour_set.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::put_file;

// A set of seven patches in one sheet: points 5 (three patches), 2 (three) and 9 (one), in mixed order. Pixel values
// are smooth in x and y, so that a turned patch can be computed.
constexpr const char* kInfo = "5 0\n2 0\n5 0\n9 0\n2 0\n5 0\n2 0\n";
const std::vector<std::vector<int64_t>> kMembers = {{0, 2, 5}, {1, 4, 6}, {3}};

double smooth(int64_t patch, double x, double y) { return 100 + 10.0 * static_cast<double>(patch) + x + 0.5 * y; }

class PhotoTourStore : public ::testing::Test {
 protected:
  PhotoTourStore() {
    std::vector<uint8_t> pixels(1024 * 1024);
    for (int y = 0; y < 64; ++y) {
      for (int x = 0; x < 7 * 64; ++x) {
        pixels[static_cast<size_t>(1024 * y + x)] = static_cast<uint8_t>(smooth(x / 64, x % 64, y));
      }
    }
    fs::create_directory(root_);
    put_file(root_ / "patches0000.bmp", testing::encode_bmp(pixels, 1024));
    put_file(root_ / "info.txt", kInfo);
  }
  PatchStore make(const PhotoTourStoreOptions& options, const std::string& name = "store") const {
    make_phototour_store(PhotoTour::open(root_), options, folder_ / name);
    return PatchStore::open(folder_ / name);
  }
  std::vector<uint8_t> real(int64_t patch, int size) const {
    std::vector<uint8_t> pixels(64 * 64);
    PhotoTour::open(root_).read(patch, pixels);
    return resize_patch(pixels, 64, size);
  }

  testing::TempFolder folder_;
  fs::path root_ = folder_ / "set";
};

std::vector<uint8_t> stored(const PatchStore& store, int64_t index) {
  return {store.patch(index).begin(), store.patch(index).end()};
}

TEST_F(PhotoTourStore, RealPatchesComeFirstAndClassesAreFilledUp) {
  for (const int size : {32, 64}) {
    const PatchStore store = make({.positives = 5, .patch_size = size}, std::to_string(size));
    ASSERT_EQ(store.class_count(), 3);
    EXPECT_EQ(store.patch_size(), size);
    for (int64_t c = 0; c < 3; ++c) {
      const auto& members = kMembers[static_cast<size_t>(c)];
      EXPECT_EQ(store.class_size(c), 5);
      for (size_t i = 0; i < members.size(); ++i) {
        EXPECT_EQ(stored(store, store.class_begin(c) + static_cast<int64_t>(i)), real(members[i], size));
      }
    }
    EXPECT_EQ(store.meta()["source"], "PhotoTour");
    EXPECT_EQ(store.meta()["options"], (nlohmann::json{{"positives", 5}, {"angle", 15.0}, {"size", size}}));
    EXPECT_EQ(store.meta()["real_patches"], 7);
    EXPECT_EQ(store.meta()["generated_patches"], 8);
    EXPECT_EQ(store.meta()["single_patch_classes"], 1);
    EXPECT_EQ(store.meta()["dropped_classes"], 0);
    EXPECT_EQ(store.meta()["match_lists"], nlohmann::json::array());
    EXPECT_EQ(store.meta()["info_sha256"].get<std::string>().size(), 64u);
  }
}

TEST_F(PhotoTourStore, WithoutPositivesOnlyRealPatchesAndNoSingleOnes) {
  const PatchStore store = make({.positives = 0});
  EXPECT_EQ(store.class_count(), 2);
  EXPECT_EQ(store.patch_count(), 6);
  EXPECT_EQ(store.meta()["generated_patches"], 0);
  EXPECT_EQ(store.meta()["dropped_classes"], 1);
  put_file(root_ / "info.txt", "1 0\n2 0\n");
  expect_error([&] { make({.positives = 0}, "none"); }, "info.txt", "every point has a single patch", "--positives");
  EXPECT_EQ(testing::take_warnings().size(), 1u);  // two labels for a sheet of patches
  EXPECT_FALSE(fs::exists(folder_ / "none"));
}

TEST_F(PhotoTourStore, LargerClassesKeepAll) {
  const PatchStore store = make({.positives = 2});
  EXPECT_EQ(store.class_size(0), 3);
  EXPECT_EQ(store.class_size(1), 3);
  EXPECT_EQ(store.class_size(2), 2);
}

// The plane 100 + 10 p + x + y / 2, turned by t about the centre (31.5, 31.5), is a plane whose gradient is turned by
// t: the value at the centre says which patch it came from, the gradient says the angle.
TEST_F(PhotoTourStore, GeneratedPatchesAreTurnedRealOnes) {
  const PatchStore store = make({.positives = 500, .angle = 20, .patch_size = 64});
  const auto& members = kMembers[1];
  std::vector<int> count(members.size());
  double lowest = 90, highest = -90;
  for (int64_t i = 3; i < 500; ++i) {
    const auto patch = store.patch(store.class_begin(1) + i);
    const auto mean = [&](int left, int top) {  // of 8 x 8 pixels well inside: rounding averages out
      double sum = 0;
      for (int k = 0; k < 64; ++k) sum += patch[static_cast<size_t>(64 * (top + k / 8) + left + k % 8)];
      return sum / 64;
    };
    const double centre = mean(28, 28) + 0.25;  // sources were truncated to bytes: 0.25 on average
    const auto source = static_cast<int64_t>(std::lround((centre - smooth(0, 31.5, 31.5)) / 10));
    EXPECT_NEAR(centre, smooth(source, 31.5, 31.5), 0.6);
    const auto found = std::find(members.begin(), members.end(), source);
    ASSERT_NE(found, members.end()) << source;
    ++count[static_cast<size_t>(found - members.begin())];
    const double dx = mean(40, 28) - mean(16, 28), dy = mean(28, 40) - mean(28, 16);
    EXPECT_NEAR(std::hypot(dx, dy), 24 * std::hypot(1, 0.5), 0.8);
    const double angle = (std::atan2(dy, dx) - std::atan2(0.5, 1)) * 180 / 3.14159265358979;
    lowest = std::min(lowest, angle);
    highest = std::max(highest, angle);
  }
  for (const int times : count) EXPECT_NEAR(times, 497 / 3.0, 42);  // four standard deviations of a uniform choice
  EXPECT_NEAR(lowest, -20, 1.5);
  EXPECT_NEAR(highest, 20, 1.5);
}

// A corner that was filled with black would be the darkest thing in the patch; a reflected one is not.
TEST_F(PhotoTourStore, BordersAreReflected) {
  const PatchStore store = make({.positives = 200, .angle = 45, .patch_size = 64});
  for (int64_t i = 1; i < 200; ++i) {
    for (const uint8_t pixel : store.patch(store.class_begin(2) + i)) ASSERT_GE(pixel, 129);  // its darkest pixel: 130
  }
}

TEST_F(PhotoTourStore, BytesFollowTheOptionsAndNotTheThreads) {
  const int threads = thread_count();
  set_thread_count(1);
  make({.seed = 4}, "one");
  set_thread_count(3);
  make({.seed = 4}, "three");
  set_thread_count(threads);
  for (const char* file : {"patches.npy", "classes.npy", "meta.json"}) {
    EXPECT_EQ(read_text(folder_ / "one" / file), read_text(folder_ / "three" / file)) << file;
  }
  EXPECT_NE(make({.seed = 5}, "other").fingerprint(), PatchStore::open(folder_ / "one").fingerprint());
}

TEST_F(PhotoTourStore, GeneratedPatchesOfAPointDoNotDependOnOtherPoints) {
  const PatchStore all = make({.positives = 8}, "all"), more = make({.positives = 9}, "more");
  put_file(root_ / "info.txt", "1 0\n2 0\n1 0\n1 0\n2 0\n1 0\n2 0\n");
  const PatchStore other = make({.positives = 8}, "other");
  for (int64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(stored(all, all.class_begin(1) + i), stored(other, other.class_begin(1) + i));
    EXPECT_EQ(stored(all, all.class_begin(1) + i), stored(more, more.class_begin(1) + i));
  }
}

TEST_F(PhotoTourStore, BadOptionsAreNamedAndNothingIsOverwritten) {
  expect_error([&] { make({.positives = -1}); }, "PhotoTourStoreOptions::positives = -1, must be 0 to 4096");
  expect_error([&] { make({.angle = std::nan("")}); }, "PhotoTourStoreOptions::angle = nan, must be 0 to 180");
  expect_error([&] { make({.angle = 181}); }, "angle = 181");
  expect_error([&] { make({.patch_size = 65}); }, "PhotoTourStoreOptions::patch_size = 65, must be 32 or 64");
  EXPECT_FALSE(fs::exists(folder_ / "store"));
  make({});
  expect_error([&] { make({}); }, "store: already exists");
}

}  // namespace
}  // namespace adasample
