// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/tours/tour.h"

#include <gtest/gtest.h>

#include <set>

#include "adasample/base/parallel.h"
#include "adasample/data/doctor/doctor.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/data/phototour/phototour.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

TEST(Tour, IsAPhotoTourSetOfPointsFoundAgain) {
  const testing::TempFolder folder;
  make_tour({.site = 1, .points = 100, .seed = 3}, folder / "site");
  const PhotoTour set = PhotoTour::open(folder / "site");
  const auto classes = set.classes();
  ASSERT_EQ(classes.size(), 100u);
  size_t most = 0;
  for (const auto& patches : classes) {
    EXPECT_GE(patches.size(), 2u);
    most = std::max(most, patches.size());
  }
  EXPECT_GT(most, 2u) << "some points are seen more often";
  const double mean = static_cast<double>(set.patch_count()) / 100;
  EXPECT_GT(mean, 2.1);
  EXPECT_LT(mean, 6);
  const std::set<int64_t> ids(set.points().begin(), set.points().end());
  EXPECT_GT(*ids.rbegin() - *ids.begin(), 200) << "numbers have gaps";
}

TEST(Tour, SitesDifferAndThreadsDoNot) {
  const testing::TempFolder folder;
  const int threads = thread_count();
  make_tour({.site = 0, .points = 10}, folder / "a");
  set_thread_count(1);
  make_tour({.site = 0, .points = 10}, folder / "again");
  set_thread_count(threads);
  make_tour({.site = 2, .points = 10}, folder / "c");
  EXPECT_EQ(phototour_fingerprint(folder / "a"), phototour_fingerprint(folder / "again"));
  EXPECT_NE(phototour_fingerprint(folder / "a"), phototour_fingerprint(folder / "c"));
}

TEST(Tour, SequencesAreInTheLayoutOfHpatches) {
  const testing::TempFolder folder;
  make_tour_sequences({.test = true, .sequences = 2, .max_patches = 12}, folder / "test");
  EXPECT_EQ(list_hpatches(folder / "test"), (std::vector<std::string>{"i_test00", "v_test00"}));
  const HpatchesSequence light = load_hpatches(folder / "test", "i_test00");
  EXPECT_EQ(light.count, 12);
  EXPECT_EQ(light.strips.size(), 16u);
  EXPECT_FALSE(std::filesystem::exists(folder / "test-pictures"));
}

}  // namespace
}  // namespace adasample
