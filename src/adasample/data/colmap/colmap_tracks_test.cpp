// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_tracks.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/colmap_scene.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using namespace testing;

ColmapPoint& point_of(ColmapModel& model, uint64_t id) {
  return *std::find_if(model.points.begin(), model.points.end(), [&](const auto& p) { return p.id == id; });
}

std::vector<uint64_t> ids(const std::vector<ColmapTrack>& tracks) {
  std::vector<uint64_t> result;
  for (const ColmapTrack& track : tracks) result.push_back(track.point->id);
  return result;
}

bool has(const std::vector<ColmapTrack>& tracks, uint64_t id) { return std::ranges::count(ids(tracks), id) == 1; }

// A point in the middle of the scene that all four photographs see with room around: column 4 of row 1.
constexpr uint64_t kMiddle = 10 + 10 + 4;

TEST(ColmapTracks, ShortTracksLargeErrorsAndNarrowAnglesAreLeftOut) {
  ColmapScene scene = colmap_scene();
  ColmapTally tally;
  const auto all = select_tracks(scene.model, {.min_track = 2, .min_angle = 0}, tally);
  ASSERT_TRUE(has(all, kMiddle));
  EXPECT_EQ(tally.points, std::ssize(scene.model.points));
  EXPECT_EQ(std::ssize(all) + tally.short_track, tally.points);
  EXPECT_GT(tally.short_track, 0);  // points at the ends of the wall

  ColmapTally longer;
  for (const ColmapTrack& track : select_tracks(scene.model, {.min_track = 4}, longer)) {
    EXPECT_EQ(track.views.size(), 4u);
  }
  EXPECT_GT(longer.short_track, tally.short_track);

  point_of(scene.model, kMiddle).error = 2.5;
  ColmapTally inexact;
  EXPECT_FALSE(has(select_tracks(scene.model, {.max_error = 2}, inexact), kMiddle));
  EXPECT_EQ(inexact.large_error, 1);
  EXPECT_TRUE(has(select_tracks(scene.model, {.max_error = 3}, inexact), kMiddle));
  point_of(scene.model, kMiddle).error = -1;  // not known
  EXPECT_TRUE(has(select_tracks(scene.model, {.max_error = 2}, inexact), kMiddle));
}

TEST(ColmapTracks, TheAngleIsThatOfTheWidestPairOfRays) {
  ColmapScene scene = colmap_scene(2);
  // Cameras at x = 0 and 2, a point between them at depth 10: twice atan(1 / 10) = 11.42 degrees.
  ColmapPoint& point = scene.model.points.front();
  point.position = {1, 0, 10};
  point.track = {{1, 0}, {2, 0}};
  scene.model.points = {point};
  ColmapTally tally;
  EXPECT_EQ(select_tracks(scene.model, {.min_track = 2, .min_angle = 11.4}, tally).size(), 1u);
  EXPECT_EQ(tally.small_angle, 0);
  EXPECT_EQ(select_tracks(scene.model, {.min_track = 2, .min_angle = 11.5}, tally).size(), 0u);
  EXPECT_EQ(tally.small_angle, 1);
}

// Each ray against each would be 2e10 comparisons.
TEST(ColmapTracks, APointSeenByVeryManyIsNoTrouble) {
  ColmapModel model;
  model.points.resize(1);
  model.points[0].position = {0, 0, 5};
  for (uint32_t i = 0; i < 200'000; ++i) {
    ColmapImage image;
    image.id = i + 1;
    image.name = std::to_string(i);
    image.points.push_back({});
    model.images.push_back(image);
    model.points[0].track.push_back({i + 1, 0});
  }
  ColmapTally tally;
  EXPECT_TRUE(select_tracks(model, {}, tally).empty());
  EXPECT_EQ(tally.small_angle, 1);
}

TEST(ColmapTracks, OfTwoPlacesInOnePhotographTheFirstIsKept) {
  ColmapScene scene = colmap_scene();
  ColmapPoint& point = point_of(scene.model, kMiddle);
  const ColmapObservation first = point.track.front();
  point.track.insert(point.track.begin(), {first.image, first.index + 1});
  ColmapTally tally;
  const auto tracks = select_tracks(scene.model, {}, tally);
  const auto found = std::find_if(tracks.begin(), tracks.end(), [](const auto& t) { return t.point->id == kMiddle; });
  ASSERT_EQ(found->views.size(), 4u);
  EXPECT_EQ(found->views[0].index, first.index);
}

TEST(ColmapTracks, NoPointOfAHeldOutPhotographIsUsed) {
  const ColmapScene scene = colmap_scene();
  ColmapTally tally;
  for (const ColmapTrack& track : select_tracks(scene.model, {.min_track = 2, .holdout = {"photo1.pgm"}}, tally)) {
    for (const ColmapView& view : track.views) EXPECT_NE(view.image, 0u);
  }
  EXPECT_GT(tally.held_out, 0);
  expect_error([&] { select_tracks(scene.model, {.holdout = {"other.pgm"}}, tally); },
               "no photograph other.pgm, its first is photo1.pgm");
}

TEST(ColmapTracks, RegionsThatLeaveThePhotographAreDropped) {
  const ColmapScene scene = colmap_scene();
  const ColmapOptions options{.min_track = 2};
  ColmapTally tally;
  auto tracks = select_tracks(scene.model, options, tally);
  const size_t before = tracks.size();
  locate_tracks(scene.model, scene.sources("").keypoints, options, tracks, tally);
  EXPECT_EQ(tracks.size() + static_cast<size_t>(tally.out_of_image), before);
  EXPECT_GT(tally.out_of_image, 0);
  // Turned by 0.4, the square of half width 12 reaches 12 (cos + sin) = 15.7 pixels far.
  for (const ColmapTrack& track : tracks) {
    EXPECT_GE(track.views.size(), 2u);
    for (const ColmapView& view : track.views) {
      EXPECT_GE(view.keypoint.x, 15.2);
      EXPECT_LE(view.keypoint.x, ColmapScene::kWidth - 16.2);
    }
  }
}

TEST(ColmapTracks, ADatabaseOfAnotherModelIsRefused) {
  ColmapScene scene = colmap_scene();
  ColmapTally tally;
  const auto locate = [&] {
    auto tracks = select_tracks(scene.model, {}, tally);
    locate_tracks(scene.model, scene.sources("").keypoints, {}, tracks, tally);
  };
  for (Keypoint& k : scene.keypoints["photo2.pgm"]) k.x += 0.5;  // as if COLMAP's half pixel had been forgotten
  expect_error(locate, "[colmap] photo2.pgm: keypoint", "in the model", "in the database");
  scene.keypoints["photo2.pgm"].resize(1);
  expect_error(locate, "[colmap] photo2.pgm: the model uses keypoint", "the database has 1");
}

TEST(ColmapTracks, KeypointsWithoutScaleNeedOne) {
  ColmapScene scene = colmap_scene();
  for (Keypoint& k : scene.keypoints["photo2.pgm"]) k.sigma = 0;
  const auto sigmas = [&](const ColmapOptions& options) {
    ColmapTally tally;
    auto tracks = select_tracks(scene.model, options, tally);
    locate_tracks(scene.model, scene.sources("").keypoints, options, tracks, tally);
    for (const ColmapTrack& track : tracks) {
      for (const ColmapView& view : track.views) {
        EXPECT_EQ(view.keypoint.sigma, view.image == 1 ? options.sigma : ColmapScene::kSigma);
      }
    }
  };
  expect_error([&] { sigmas({}); }, "[colmap] photo2.pgm: the keypoints have a place but no scale", "--sigma");
  sigmas({.sigma = 1.5});
}

TEST(ColmapTracks, OfTwoPointsAtOneSpotTheLongerTrackStays) {
  ColmapScene scene = colmap_scene();
  // A twin of the middle point three pixels beside it, seen in photographs 2 to 4 only.
  ColmapPoint twin = point_of(scene.model, kMiddle);
  twin.id = 5;
  twin.track.erase(twin.track.begin());
  for (ColmapObservation& seen : twin.track) {
    ColmapImage& image = scene.model.images[scene.model.image_index(seen.image)];
    auto& keypoints = scene.keypoints[image.name];
    ColmapPoint2D place = image.points[seen.index];
    Keypoint keypoint = keypoints[seen.index];
    place.x += 3;
    keypoint.x += 3;
    place.point = twin.id;
    seen.index = static_cast<uint32_t>(image.points.size());
    image.points.push_back(place);
    keypoints.push_back(keypoint);
  }
  scene.model.points.insert(scene.model.points.begin(), twin);
  const auto survivors = [&](double twin_sigma, const ColmapOptions& options = {}) {
    for (const ColmapObservation& seen : twin.track) {
      scene.keypoints[scene.model.image(seen.image).name][seen.index].sigma = twin_sigma;
    }
    ColmapTally tally;
    auto tracks = select_tracks(scene.model, {}, tally);
    locate_tracks(scene.model, scene.sources("").keypoints, {}, tracks, tally);
    const size_t before = tracks.size();
    drop_same_spots(scene.model, options, tracks, tally);
    EXPECT_EQ(tracks.size() + static_cast<size_t>(tally.same_spot), before);
    EXPECT_TRUE(std::ranges::is_sorted(ids(tracks)));
    return std::pair(has(tracks, 5), has(tracks, kMiddle));
  };
  EXPECT_EQ(survivors(2), std::pair(false, true));
  EXPECT_EQ(survivors(1), std::pair(true, true));  // a quarter of the area: another spot
  EXPECT_EQ(survivors(1, {.max_overlap = 0.2}), std::pair(false, true));
  EXPECT_EQ(survivors(2, {.max_overlap = 0.8}), std::pair(true, true));  // 21 of 27 columns are common
  // The same track length: the smaller error stays.
  ColmapPoint& middle = point_of(scene.model, kMiddle);
  middle.track.erase(middle.track.begin());
  middle.error = 1;
  EXPECT_EQ(survivors(2), std::pair(true, false));
}

TEST(ColmapTracks, OfLongTracksARandomChoiceStays) {
  const ColmapScene scene = colmap_scene(8);
  const auto chosen = [&](uint64_t seed) {
    const ColmapOptions options{.max_views = 3, .seed = seed};
    ColmapTally tally;
    auto tracks = select_tracks(scene.model, options, tally);
    choose_views(scene.model, options, tracks);
    std::vector<size_t> images;
    for (const ColmapTrack& track : tracks) {
      EXPECT_EQ(track.views.size(), 3u);
      for (const ColmapView& view : track.views) images.push_back(view.image);
      EXPECT_LT(track.views[0].image, track.views[1].image);
      EXPECT_LT(track.views[1].image, track.views[2].image);
    }
    return images;
  };
  EXPECT_EQ(chosen(1), chosen(1));
  EXPECT_NE(chosen(1), chosen(2));
}

TEST(ColmapTracks, OptionsOutOfRangeAreNamedWithTheirBound) {
  expect_error([] { ColmapOptions{.min_track = 1}.validate(); }, "ColmapOptions::min_track = 1, must be 2");
  expect_error([] { ColmapOptions{.min_angle = -1}.validate(); }, "min_angle = -1");
  expect_error([] { ColmapOptions{.max_error = 0}.validate(); }, "max_error = 0");
  expect_error([] { ColmapOptions{.max_views = 1}.validate(); }, "max_views = 1, must be 2 to 4096");
  expect_error([] { ColmapOptions{.region = 0}.validate(); }, "region = 0, must be 1 to 100");
  expect_error([] { ColmapOptions{.max_overlap = -0.1}.validate(); }, "max_overlap = -0.1, must be 0 to 1");
  expect_error([] { ColmapOptions{.max_overlap = 1.1}.validate(); }, "max_overlap = 1.1, must be 0 to 1");
  expect_error([] { ColmapOptions{.patch_size = 7}.validate(); }, "patch_size = 7, must be 8 to 256");
  expect_error([] { ColmapOptions{.sigma = 0.01}.validate(); }, "sigma = 0.01, must be 0.1 to 1000, or 0");
  expect_error([] { ColmapOptions{.min_contrast = 61}.validate(); }, "min_contrast = 61");
  expect_error([] { ColmapOptions{.block_bytes = 0}.validate(); }, "block_bytes = 0");
}

}  // namespace
}  // namespace adasample
