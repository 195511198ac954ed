// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/redetected.h"

#include <gtest/gtest.h>

#include <cmath>

#include <nlohmann/json.hpp>
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

TEST(Redetected, ClassesAreFilledUpWithTurnedCopies) {
  const TempFolder folder;
  testing::write_small_sequence(folder / "in");
  make_redetected_store(folder / "in", {}, folder / "real");
  const auto meta = make_redetected_store(folder / "in", {.copies = {.positives = 7}}, folder / "filled");
  make_redetected_store(folder / "in", {.copies = {.positives = 7}, .seed = 1}, folder / "seed");
  const PatchStore real = PatchStore::open(folder / "real"), filled = PatchStore::open(folder / "filled");
  ASSERT_EQ(filled.class_count(), real.class_count());
  for (int64_t c = 0; c < filled.class_count(); ++c) EXPECT_EQ(filled.class_size(c), 7);
  EXPECT_EQ(filled.patch_size(), 32);
  EXPECT_FALSE(filled.has_pictures()) << "no judge";
  EXPECT_FALSE(meta.contains("picture_pairs"));
  EXPECT_EQ(meta["options"]["angle"], 15.0);
  EXPECT_NE(filled.fingerprint(), PatchStore::open(folder / "seed").fingerprint());
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
