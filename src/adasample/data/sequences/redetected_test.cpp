// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/redetected.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/parallel.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/store/provenance.h"
#include "tests/support/expect_error.h"
#include "tests/support/sequence_set.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;
using testing::TempFolder;

constexpr double kDegree = std::numbers::pi / 180;

// Twice as large, turned by 30 degrees.
const Homography kTurned(Affine2::translation(50, 20) * Affine2::rotation(30 * kDegree) * Affine2::scaling(2, 2));

// Where kTurned puts the keypoint, and how.
Keypoint turned(const Keypoint& k) {
  const Point2 place = kTurned({k.x, k.y});
  return {.x = place.x, .y = place.y, .sigma = 2 * k.sigma, .angle = k.angle + 30 * kDegree};
}

TEST(FindAgain, AKeypointFoundExactly) {
  const std::vector<Keypoint> ref = {{.x = 100, .y = 80, .sigma = 3, .angle = 1}, {.x = 300, .y = 80, .sigma = 3}};
  const std::vector<Keypoint> target = {turned(ref[1]), turned(ref[0])};
  const auto pairs = find_again(ref, target, kTurned, 6, 0.5);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].ref, 0u);
  EXPECT_EQ(pairs[0].target, 1u);
  EXPECT_EQ(pairs[1].target, 0u);
  EXPECT_NEAR(pairs[0].overlap, 1, 1e-3);
  EXPECT_NEAR(pairs[0].turn, 0, 1e-9);
  EXPECT_NEAR(pairs[0].shift, 0, 1e-9);
  EXPECT_NEAR(pairs[0].scale, 0, 1e-9);
}

TEST(FindAgain, HowFarOff) {
  const std::vector<Keypoint> ref = {{.x = 100, .y = 80, .sigma = 3, .angle = 3}};
  Keypoint off = turned(ref[0]);
  off.angle += 40 * kDegree;  // across half a turn
  off.sigma *= 1.1;
  off.x += 6;
  const auto pairs = find_again(ref, std::vector{off}, kTurned, 6, 0.5);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_NEAR(pairs[0].turn, 40, 1e-9);
  EXPECT_NEAR(pairs[0].scale, std::log2(1.1), 1e-9);
  EXPECT_NEAR(pairs[0].shift, 3.0 / 18, 1e-9);
  EXPECT_GT(pairs[0].overlap, 0.6);
  EXPECT_LT(pairs[0].overlap, 0.8);
  EXPECT_TRUE(find_again(ref, std::vector{off}, kTurned, 6, 0.8).empty());
}

TEST(FindAgain, EachIsTheOthersBest) {
  const Keypoint k = {.x = 100, .y = 80, .sigma = 3}, beside = {.x = 102, .y = 80, .sigma = 3};
  // The target's keypoint belongs to `k`; `beside` overlaps it, but gets nothing.
  const auto one = find_again(std::vector{beside, k}, std::vector{turned(k)}, kTurned, 6, 0.5);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].ref, 1u);
  // Of two at the same place that of the right orientation.
  Keypoint other_way = turned(k);
  other_way.angle += 2;
  const auto two = find_again(std::vector{k}, std::vector{other_way, turned(k)}, kTurned, 6, 0.5);
  ASSERT_EQ(two.size(), 1u);
  EXPECT_EQ(two[0].target, 1u);
  EXPECT_TRUE(find_again({}, two.empty() ? std::vector<Keypoint>{} : std::vector{k}, kTurned, 6, 0.5).empty());
}

// The target's horizon runs at x = 100: what lies beyond it shows nothing of the reference.
TEST(FindAgain, NothingBeyondTheHorizon) {
  const Homography ref_from_target({1, 0, 0, 0, 1, 0, -0.01, 0, 1});
  const std::vector<Keypoint> target = {{.x = 50, .y = 10, .sigma = 1}, {.x = 150, .y = 10, .sigma = 1}};
  const std::vector<Keypoint> ref = {{.x = 100, .y = 20, .sigma = 2.8}, {.x = -300, .y = -20, .sigma = 2.8}};
  const auto pairs = find_again(ref, target, ref_from_target.inverse(), 6, 0.3);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].ref, 0u);
  EXPECT_EQ(pairs[0].target, 0u);
}

TEST(ChoosePoints, NoTwoOfOneSpotInAnyPicture) {
  const Keypoint here = {.x = 100, .y = 100, .sigma = 3}, beside = {.x = 101, .y = 100, .sigma = 3},
                 away = {.x = 300, .y = 100, .sigma = 3};
  const auto pair = [](size_t ref, size_t target) { return RefoundKeypoint{.ref = ref, .target = target}; };
  // One spot in the reference, two in the target: the stronger of the reference stays.
  const auto one = choose_points({{here, beside}, {away, here}}, {{pair(0, 0), pair(1, 1)}}, {});
  ASSERT_EQ(one.size(), 1u);
  ASSERT_EQ(one[0].views.size(), 2u);
  EXPECT_EQ(one[0].views[0].second.x, 100);
  EXPECT_EQ(one[0].views[1].first, 1u);
  EXPECT_EQ(one[0].views[1].second.x, 300);
  // Two in the reference, one in the first target: the second point loses that view, and keeps the other.
  const auto two = choose_points({{here, away}, {here, beside}, {here, away}},
                                 {{pair(0, 0), pair(1, 1)}, {pair(0, 0), pair(1, 1)}}, {});
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].views.size(), 3u);
  ASSERT_EQ(two[1].views.size(), 2u);
  EXPECT_EQ(two[1].views[1].first, 2u);
  // A neighbour that was not found again takes nothing away, and a point without a target is none.
  EXPECT_EQ(choose_points({{here, beside}, {away}}, {{pair(1, 0)}}, {}).size(), 1u);
  EXPECT_TRUE(choose_points({{here}, {here}}, {{}}, {}).empty());
}

double mean_difference(const PatchStore& store, int64_t a, int64_t b) {
  double sum = 0;
  for (size_t i = 0; i < store.patch(a).size(); ++i) sum += std::abs(store.patch(a)[i] - store.patch(b)[i]);
  return sum / static_cast<double>(store.patch(a).size());
}

TEST(Redetected, AClassIsOnePointInSeveralPictures) {
  const TempFolder folder;
  for (const char* name : {"v_a", "v_b"}) testing::write_small_sequence(folder / "in" / name);
  const auto meta = make_redetected_store(folder / "in", {}, folder / "out");
  const PatchStore store = PatchStore::open(folder / "out");
  EXPECT_EQ(store.patch_size(), 32);
  ASSERT_GT(store.class_count(), 20);
  ASSERT_TRUE(store.has_pictures());
  EXPECT_EQ(store.picture_names(),
            (std::vector<std::string>{"v_a/1.pgm", "v_a/2.pgm", "v_a/3.pgm", "v_b/1.pgm", "v_b/2.pgm", "v_b/3.pgm"}));
  EXPECT_EQ(store.picture_scenes().at(4), "v_b");
  double same = 0, other = 0;
  for (int64_t c = 0; c < store.class_count(); ++c) {
    const int64_t first = store.class_begin(c);
    EXPECT_EQ(store.picture(first), c < store.class_count() / 2 ? 0 : 3);
    for (int64_t i = 1; i < store.class_size(c); ++i) EXPECT_GT(store.picture(first + i), store.picture(first + i - 1));
    EXPECT_LE(store.class_size(c), 3);
    same += mean_difference(store, first, first + 1);
    other += mean_difference(store, first, store.class_begin((c + 1) % store.class_count()));
  }
  EXPECT_LT(same, 0.5 * other);
  EXPECT_EQ(meta["picture_pairs"], "reference");
  EXPECT_EQ(meta["sequences"][0]["classes"], store.class_count() / 2);  // the same pictures twice
  EXPECT_GT(meta["noise"]["overlap"], 0.5);
  EXPECT_LT(meta["noise"]["turn"], 20.0);
  EXPECT_LT(meta["noise"]["other_way"], 0.5);
  // Other stores of these pictures know each other: by the sequence's name, or the picture's hash.
  EXPECT_TRUE(share_scenes(store.meta(), {{"scenes", {"v_a"}}}));
  EXPECT_TRUE(share_scenes(store.meta(), {{"scenes", {scene_of(sha256_of_file(folder / "in/v_a/2.pgm"))}}}));
  EXPECT_FALSE(share_scenes(store.meta(), {{"scenes", {"v_c"}}}));
}

TEST(Redetected, NoTwoPointsOfOneSpot) {
  const TempFolder folder;
  testing::write_small_sequence(folder / "in");
  RedetectedOptions options;
  const auto classes = [&](double max_overlap, const char* name) {
    options.max_overlap = max_overlap;
    make_redetected_store(folder / "in", options, folder / name);
    return PatchStore::open(folder / name).class_count();
  };
  const int64_t all = classes(1, "all"), half = classes(0.5, "half"), few = classes(0.01, "few");
  EXPECT_GE(all, half);
  EXPECT_GT(half, few);
  EXPECT_GT(few, 0);
}

TEST(Redetected, BytesFollowFilesAndOptionsAndNotTheThreads) {
  const TempFolder folder;
  testing::write_small_sequence(folder / "in");
  const int threads = thread_count();
  const auto fingerprint = [&](int count, const RedetectedOptions& options, const char* name) {
    set_thread_count(count);
    make_redetected_store(folder / "in", options, folder / name);
    return PatchStore::open(folder / name).fingerprint();
  };
  const std::string one = fingerprint(1, {}, "one");
  EXPECT_EQ(one, fingerprint(3, {}, "three"));
  EXPECT_NE(one, fingerprint(3, {.min_overlap = 0.9}, "strict"));
  EXPECT_NE(one, fingerprint(3, {.features = {.detector = "hessian"}}, "hessian"));
  set_thread_count(threads);
  EXPECT_EQ(read_text(folder / "one/pictures.npy"), read_text(folder / "three/pictures.npy"));
}

TEST(Redetected, BadSequencesAreRefusedOrSkipped) {
  const TempFolder folder;
  testing::write_small_sequence(folder / "in" / "v_good");
  testing::write_small_sequence(folder / "in" / "v_bad");
  write_pgm(folder / "in" / "v_bad" / "2.pgm", GrayImage(50, 50, 9.0f));
  write_pgm(folder / "in" / "v_bad" / "3.pgm", GrayImage(50, 50, 9.0f));
  expect_error([&] { make_redetected_store(folder / "in", {}, folder / "out"); }, "[redetected]", "v_bad: none of",
               "is found again");
  EXPECT_FALSE(fs::exists(folder / "out"));
  const auto meta = make_redetected_store(folder / "in", {.skip_bad = true}, folder / "out");
  EXPECT_EQ(testing::take_warnings().size(), 1u);
  EXPECT_EQ(meta["skipped"][0]["name"], "v_bad");
  EXPECT_EQ(PatchStore::open(folder / "out").picture_names().size(), 3u);
  expect_error([&] { make_redetected_store(folder / "in" / "v_bad", {.skip_bad = true}, folder / "none"); },
               "no sequence is left");
  testing::take_warnings();
  expect_error([&] { make_redetected_store(folder / "in", {.min_overlap = 0}, folder / "none"); },
               "RedetectedOptions::min_overlap = 0");
  expect_error([&] { make_redetected_store(folder / "in", {.features = {.size = 4}}, folder / "none"); },
               "size = 4, must be 8 to 128");
}

}  // namespace
}  // namespace adasample
