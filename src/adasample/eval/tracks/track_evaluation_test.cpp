// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/tracks/track_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/parallel.h"
#include "adasample/base/random/rng.h"
#include "adasample/eval/pair_scores.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using nlohmann::ordered_json;
using testing::expect_error;
using testing::TempFolder;

constexpr int kTrackSize = 2;

struct SeenPatch {
  int64_t picture;
  uint8_t grey;
};
using SeenClass = std::vector<SeenPatch>;

// Patches of one grey value; `scenes` has an entry a picture.
PatchStore grey_store(const std::filesystem::path& folder, const std::vector<SeenClass>& classes,
                      const std::vector<std::string>& scenes, nlohmann::json meta = nlohmann::json::object()) {
  PatchStoreWriter writer(folder, kTrackSize);
  for (const SeenClass& seen : classes) {
    std::vector<uint8_t> patches;
    std::vector<int64_t> pictures;
    for (const SeenPatch& patch : seen) {
      patches.insert(patches.end(), kTrackSize * kTrackSize, patch.grey);
      pictures.push_back(patch.picture);
    }
    writer.add_class(patches, pictures);
  }
  meta["picture_scenes"] = scenes;
  for (size_t i = 0; i < scenes.size(); ++i) meta["pictures"].push_back(scenes[i] + "/" + std::to_string(i));
  writer.finish(meta);
  return PatchStore::open(folder);
}

// The grey value, times a factor.
class GreyDescriptor : public Descriptor {
 public:
  explicit GreyDescriptor(float factor) : factor_(factor) {}
  std::string name() const override { return "grey"; }
  int dimension() const override { return 1; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    for (int64_t i = 0; i < count; ++i) {
      out[static_cast<size_t>(i)] = factor_ * patches[static_cast<size_t>(i * size * size)];
    }
  }

 private:
  float factor_;
};

ordered_json scored(const PatchStore& store, float factor = 1, int64_t min_shared = 2) {
  GreyDescriptor descriptor(factor);
  double seconds = -1;
  ordered_json result = evaluate_tracks(store, descriptor, {.min_shared = min_shared}, &seconds);
  EXPECT_GE(seconds, 0);
  return result;
}

const std::vector<SeenClass> kFour = {{{0, 10}, {1, 10}}, {{0, 20}, {1, 20}}, {{0, 30}, {1, 30}}, {{0, 40}, {1, 40}}};

TEST(TrackEvaluation, APerfectDescriptor) {
  const TempFolder folder;
  const ordered_json result = scored(grey_store(folder / "s", kFour, {"s", "s"}));
  EXPECT_EQ(result["protocol"], "tracks");
  EXPECT_EQ(result["matching"], 1.0);
  EXPECT_EQ(result["top1"], 1.0);
  EXPECT_EQ(result["fpr95"], 0.0);
  EXPECT_EQ(result["verification"], 1.0);
  EXPECT_EQ(result["scenes"], 1);
  EXPECT_EQ(result["pairs"], 1);
  EXPECT_EQ(result["queries"], 4);
  const ordered_json& scene = result["sequences"]["s"];
  EXPECT_EQ(scene["positives"], 4);
  EXPECT_EQ(scene["negatives"], 12);
  ASSERT_EQ(scene["pairs"].size(), 1u);
  EXPECT_EQ(scene["pairs"][0]["a"], "s/0");
  EXPECT_EQ(scene["pairs"][0]["b"], "s/1");
  EXPECT_EQ(scene["pairs"][0]["candidates"], 4);
  EXPECT_EQ(scene["pairs"][0]["fpr95"], 0.0);
}

// Every query gets the first candidate, and every negative comes first.
TEST(TrackEvaluation, AConstantDescriptorGetsWhatTiesGive) {
  const TempFolder folder;
  const ordered_json result = scored(grey_store(folder / "s", kFour, {"s", "s"}), 0);
  EXPECT_DOUBLE_EQ(result["matching"], 0.25);
  EXPECT_DOUBLE_EQ(result["top1"], 0.25);
  EXPECT_EQ(result["fpr95"], 1.0);
  double expected = 0;
  for (const double i : {1.0, 2.0, 3.0, 4.0}) expected += ((i - 1) / (11 + i) + i / (12 + i)) / 2 / 4;
  EXPECT_NEAR(result["verification"], expected, 1e-9);
  EXPECT_EQ(result["sequences"]["s"]["pairs"][0]["fpr95"], 1.0);
}

// Two points look like each other in the second picture.
TEST(TrackEvaluation, ASwappedPair) {
  const TempFolder folder;
  const std::vector<SeenClass> classes = {
      {{0, 10}, {1, 20}}, {{0, 20}, {1, 10}}, {{0, 30}, {1, 30}}, {{0, 40}, {1, 40}}};
  const ordered_json result = scored(grey_store(folder / "s", classes, {"s", "s"}));
  EXPECT_DOUBLE_EQ(result["top1"], 0.5);
  // All four are at distance 0, so in their order: wrong, wrong, right, right.
  EXPECT_NEAR(result["matching"], ((0 + 1.0 / 3) / 2 + (1.0 / 3 + 1.0 / 2) / 2) / 4, 1e-9);
  // Negatives: two at 0, four at 10, four at 20, two at 30; positives: two at 0, two at 10.
  EXPECT_DOUBLE_EQ(result["fpr95"], 0.5);
  const double steps = 0 + 1.0 / 3 + 1.0 / 3 + 2.0 / 4 + 2.0 / 8 + 3.0 / 9 + 3.0 / 9 + 4.0 / 10;
  EXPECT_NEAR(result["verification"], steps / 2 / 4, 1e-9);
}

// Picture 1 shows a point that picture 0 does not: no query, but a candidate that lies nearer.
TEST(TrackEvaluation, AllPatchesOfTheOtherPictureAreCandidates) {
  const TempFolder folder;
  const std::vector<SeenClass> classes = {{{0, 10}, {1, 12}}, {{0, 50}, {1, 50}}, {{1, 11}, {2, 11}}};
  const PatchStore store = grey_store(folder / "s", classes, {"s", "s", "s"});
  const std::vector<TrackScene> scenes = track_scenes(store, {.min_shared = 2});
  ASSERT_EQ(scenes.size(), 1u);
  EXPECT_EQ(scenes[0].pairs, (std::vector<PicturePair>{{.a = 0, .b = 1, .shared = 2}}));
  EXPECT_EQ(scenes[0].left_out, 1);  // 1 and 2 share one point
  const ordered_json result = scored(store);
  EXPECT_DOUBLE_EQ(result["top1"], 0.5);
  EXPECT_EQ(result["sequences"]["s"]["pairs"][0]["candidates"], 3);
  EXPECT_EQ(result["sequences"]["s"]["pairs_left_out"], 1);
}

TEST(TrackEvaluation, SeveralPatchesOfAPointInAPicture) {
  const TempFolder folder;
  const std::vector<SeenClass> classes = {{{0, 10}, {1, 30}, {1, 10}}, {{0, 40}, {0, 41}, {1, 40}}};
  const ordered_json result = scored(grey_store(folder / "s", classes, {"s", "s"}));
  EXPECT_EQ(result["queries"], 3);
  EXPECT_EQ(result["top1"], 1.0);
  EXPECT_EQ(result["sequences"]["s"]["positives"], 4);
  EXPECT_EQ(result["sequences"]["s"]["negatives"], 5);
}

TEST(TrackEvaluation, ScenesCountAlikeAndDoNotMix) {
  const TempFolder folder;
  std::vector<SeenClass> classes = kFour;  // right in every way, in the scene "b"
  classes.insert(classes.end(), {{{2, 10}, {3, 20}}, {{2, 20}, {3, 10}}, {{2, 90}, {3, 200}}, {{2, 200}, {3, 90}}});
  const PatchStore store = grey_store(folder / "s", classes, {"b", "b", "a", "a"});
  const ordered_json result = scored(store);
  ASSERT_EQ(result["scenes"], 2);
  EXPECT_EQ(result["sequences"].begin().key(), "b");
  EXPECT_EQ(result["sequences"]["b"]["top1"], 1.0);
  EXPECT_EQ(result["sequences"]["a"]["top1"], 0.0);
  EXPECT_DOUBLE_EQ(result["top1"], 0.5);
  const std::string table = tracks_table(result);
  EXPECT_NE(table.find("mean over scenes"), std::string::npos);
  EXPECT_NE(table.find("50.00"), std::string::npos);
}

TEST(TrackEvaluation, OnlyPairsWithTheReferenceWhereTheStoreSaysSo) {
  const TempFolder folder;
  const std::vector<SeenClass> classes = {{{0, 10}, {1, 10}, {2, 10}}, {{0, 20}, {1, 20}, {2, 20}}};
  const PatchStore all = grey_store(folder / "all", classes, {"s", "s", "s"});
  const PatchStore some = grey_store(folder / "some", classes, {"s", "s", "s"}, {{"picture_pairs", "reference"}});
  EXPECT_EQ(track_scenes(all, {.min_shared = 2}).at(0).pairs.size(), 3u);
  EXPECT_EQ(track_scenes(some, {.min_shared = 2}).at(0).pairs,
            (std::vector<PicturePair>{{.a = 0, .b = 1, .shared = 2}, {.a = 0, .b = 2, .shared = 2}}));
}

// Against the pairs written out one by one.
TEST(TrackEvaluation, AgreesWithPairsOneByOneOnAnyThreads) {
  const TempFolder folder;
  RngStream rng(RngKey(7, Draw::kPairs));
  std::vector<SeenClass> classes;
  for (int c = 0; c < 300; ++c) {
    const auto grey = static_cast<uint8_t>(rng.index(200));
    classes.push_back({{0, grey}, {1, static_cast<uint8_t>(grey + rng.index(6))}});
  }
  const PatchStore store = grey_store(folder / "s", classes, {"s", "s"});
  const int threads = thread_count();
  set_thread_count(1);
  const ordered_json one = scored(store);
  set_thread_count(3);
  const ordered_json three = scored(store);
  set_thread_count(threads);
  EXPECT_EQ(one, three);

  std::vector<uint8_t> labels;
  std::vector<double> distances;
  for (const bool positive : {false, true}) {  // negatives first: ties count against
    for (size_t i = 0; i < classes.size(); ++i) {
      for (size_t j = 0; j < classes.size(); ++j) {
        if ((i == j) != positive) continue;
        labels.push_back(positive ? 1 : 0);
        distances.push_back(std::abs(classes[i][0].grey - classes[j][1].grey));
      }
    }
  }
  const PairScores expected = score_pairs(labels, distances);
  EXPECT_NEAR(one["fpr95"], expected.fpr95.high, 1e-9);
  EXPECT_NEAR(one["verification"], expected.ap_trapezoid, 1e-9);
  EXPECT_NEAR(one["sequences"]["s"]["pairs"][0]["fpr95"], expected.fpr95.high, 1e-9);
}

TEST(TrackEvaluation, WhatCannotBeScoredIsRefused) {
  const TempFolder folder;
  PatchStoreWriter writer(folder / "plain", kTrackSize);
  writer.add_class(std::vector<uint8_t>(2 * kTrackSize * kTrackSize));
  writer.finish({});
  expect_error([&] { scored(PatchStore::open(folder / "plain")); }, "[tracks]", "know their pictures",
               "'adasample data redetected' and 'adasample data colmap' make such stores");
  const PatchStore store = grey_store(folder / "s", kFour, {"s", "s"});
  expect_error([&] { scored(store, 1, 5); }, "share 5 classes, found none among 2 pictures - lower --min-shared");
  expect_error([&] { scored(store, 1, 1); }, "TrackOptions::min_shared = 1, must be 2 at least");
  expect_error([&] { scored(store, NAN); }, "the descriptor of patch 0 holds nan");
  expect_error([&] { scored(grey_store(folder / "apart", kFour, {"s", "t"})); }, "found none");
}

TEST(TrackEvaluation, ASceneTrainedOnNeverJudges) {
  const TempFolder folder;
  const PatchStore judge = grey_store(folder / "judge", kFour, {"s", "s"}, {{"scenes", {"v_boat", "v_wall"}}});
  grey_store(folder / "same", {kFour[0], kFour[1]}, {"s", "s"}, {{"scenes", {"v_wall"}}});
  grey_store(folder / "other", {kFour[0], kFour[2]}, {"s", "s"}, {{"scenes", {"v_bark"}}});
  refuse_trained_on(judge, {});
  refuse_trained_on(judge, {folder / "other"});
  expect_error(
      [&] {
        refuse_trained_on(judge, {folder / "other", folder / "same"});
      },
      "judge shows scenes of", "same: a scene trained on never judges");
}

}  // namespace
}  // namespace adasample
