// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/hpatches/lists/hpatches_generator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "adasample/data/hpatches/hpatches_splits.h"
#include "adasample/data/hpatches/hpatches_survey.h"
#include "adasample/eval/hpatches/lists/hpatches_release_lists.h"
#include "adasample/eval/hpatches/lists/hpatches_tasks.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

using testing::expect_error;

std::vector<SequenceShape> release(const std::string& split) {
  std::vector<SequenceShape> shapes;
  for (const std::string& name : benchmark_splits().at(split).test) {
    shapes.push_back({name, find_hpatches_release(name)->low});
  }
  return shapes;
}

std::vector<SequenceShape> small() { return {{"i_a", 30}, {"v_b", 50}, {"v_c", 41}}; }

struct Faults {
  int64_t same_sequence = 0, same_patch = 0, last_image = 0;
};

Faults faults(const VerificationLists& lists, int last_image) {
  Faults found;
  for (const auto& [a, b] : lists.inter) {
    if (a.sequence == b.sequence) ++found.same_sequence;
    if (a.sequence == b.sequence && a.patch == b.patch) ++found.same_patch;
    if (a.image == last_image || b.image == last_image) ++found.last_image;
  }
  return found;
}

struct Published {
  const char* split;
  int64_t same_sequence, same_patch;  // among the million "inter" negatives
};

class PublishedLists : public ::testing::TestWithParam<Published> {};

// The lists the benchmark publishes, by the git hash of their bytes; and their faults, counted elsewhere.
TEST_P(PublishedLists, ComeOutByteForByte) {
  const HpatchesTasks tasks = prepare_tasks(release(GetParam().split), GetParam().split, std::nullopt);
  ASSERT_EQ(tasks.origins.size(), 5u);
  for (const ListOrigin& list : tasks.origins) {
    EXPECT_EQ(list.published, true) << list.file << " " << list.git_blob;
    EXPECT_FALSE(list.read);
  }
  EXPECT_EQ(published_blob("verif_pos", GetParam().split), tasks.origins[0].git_blob);
  const Faults found = faults(tasks.verification, 5);
  EXPECT_EQ(found.same_sequence, GetParam().same_sequence);
  EXPECT_EQ(found.same_patch, GetParam().same_patch);
  EXPECT_EQ(found.last_image, 0);
}

INSTANTIATE_TEST_SUITE_P(Splits, PublishedLists,
                         ::testing::Values(Published{"a", 24989, 21}, Published{"b", 25132, 28},
                                           Published{"c", 24963, 33}),
                         [](const auto& c) { return std::string(c.param.split); });

TEST(VerificationDraw, RowsBelongTogether) {
  const VerificationLists lists = draw_verification(small(), {.rows = 2000});
  ASSERT_EQ(lists.positives.size(), 2000u);
  for (size_t i = 0; i < 2000; ++i) {
    const auto& [a, b] = lists.positives[i];
    EXPECT_EQ(a, lists.intra[i].first);
    EXPECT_EQ(a, lists.inter[i].first);
    EXPECT_TRUE(a.sequence == b.sequence && a.patch == b.patch && a.image != b.image);
    EXPECT_TRUE(lists.intra[i].second.sequence == a.sequence && lists.intra[i].second.patch != a.patch);
    EXPECT_EQ(lists.intra[i].second.image, b.image);
  }
  EXPECT_EQ(faults(lists, 5).last_image, 0);
  EXPECT_GT(faults(lists, 4).last_image, 0);
  EXPECT_GT(faults(lists, 5).same_patch, 0);
}

TEST(VerificationDraw, CorrectedHasNoneOfTheFaults) {
  const VerificationLists lists = draw_verification(small(), {.rows = 2000, .corrected = true});
  EXPECT_EQ(faults(lists, 5).same_sequence, 0);
  EXPECT_GT(faults(lists, 5).last_image, 0);
  std::set<int> second;
  for (const auto& [a, b] : lists.inter) second.insert(b.sequence);
  EXPECT_EQ(second, (std::set<int>{0, 1, 2}));
}

TEST(VerificationDraw, ImagesThatAllSequencesHave) {
  std::vector<SequenceShape> shapes = small();
  shapes[1].images = 3;
  for (const bool corrected : {false, true}) {
    const VerificationLists lists = draw_verification(shapes, {.rows = 500, .corrected = corrected});
    EXPECT_GT(faults(lists, 2).last_image, 0);
    for (int image = 3; image < 6; ++image) EXPECT_EQ(faults(lists, image).last_image, 0);
  }
}

TEST(VerificationDraw, RefusesWhatHasNoPairs) {
  expect_error([] { draw_verification({{"i_a", 1}}); }, "i_a: expected two patches and two images", "found 1 and 6");
  expect_error([] { draw_verification({{"i_a", 5, 1}}); }, "found 5 and 1");
  for (const bool corrected : {false, true}) {
    expect_error(
        [&] {
          draw_verification({{"i_a", 5}}, {.corrected = corrected});
        },
        "two sequences at least", "found 1");
  }
}

TEST(RetrievalDraw, AThirdOfASmallSetAreQueries) {
  std::vector<SequenceShape> shapes = small();  // 121 patches
  shapes[1].textured.assign(50, 1);
  for (size_t i = 0; i < 20; ++i) shapes[1].textured[i] = 0;
  const RetrievalLists lists = draw_retrieval(shapes);
  EXPECT_EQ(lists.queries.size(), 40u);
  EXPECT_EQ(lists.distractors.size(), 61u);  // 200,000 draws meet all the others
  std::set<std::pair<int, uint32_t>> seen;
  for (const auto* list : {&lists.queries, &lists.distractors}) {
    for (const PatchPlace& place : *list) {
      EXPECT_TRUE(seen.emplace(place.sequence, place.patch).second);
      EXPECT_FALSE(place.sequence == 1 && place.patch < 20);
      EXPECT_EQ(place.image, 0);
    }
  }
  expect_error([] { draw_retrieval({{"i_a", 2}}); }, "found 2 patches");
}

TEST(Release, IsKnownByNamesOrderAndCounts) {
  EXPECT_TRUE(is_release(release("a"), "a"));
  EXPECT_FALSE(is_release(release("a"), "b"));
  EXPECT_FALSE(is_release(release("a"), "mine"));
  std::vector<SequenceShape> other = release("a");
  ++other[3].patches;
  EXPECT_FALSE(is_release(other, "a"));
  other = release("a");
  std::swap(other[0], other[1]);
  EXPECT_FALSE(is_release(other, "a"));
}

TEST(Release, TextureIsRecalledOnlyWhereItIsNotKnown) {
  std::vector<SequenceShape> shapes = release("c");
  shapes[0].textured.assign(static_cast<size_t>(shapes[0].patches), 1);
  recall_texture(shapes, "c");
  EXPECT_EQ(std::count(shapes[0].textured.begin(), shapes[0].textured.end(), 0), 0);
  const auto& table = *std::find_if(shapes.begin(), shapes.end(), [](const auto& s) { return s.name == "i_table"; });
  EXPECT_EQ(std::count(table.textured.begin(), table.textured.end(), 0), 14);
  EXPECT_EQ(table.textured.at(1989), 0);
  shapes = small();
  recall_texture(shapes, "c");
  EXPECT_TRUE(shapes[0].textured.empty());
}

TEST(Tasks, FolderWithHalfATask) {
  const testing::TempFolder folder;
  std::ofstream(folder / "verif_pos_split-x.csv") << "s1,t1,idx1,s2,t2,idx2\ni_a,0,1,i_a,1,1\n";
  expect_error([&] { prepare_tasks(small(), "x", folder.path()); }, "verif_neg_int", "is missing, though other lists");
  expect_error([&] { check_tasks(3, "x", folder.path()); }, "is missing, though other lists");
  expect_error([&] { prepare_tasks(small(), "x", folder / "none"); }, "none: expected a folder of task lists");
}

TEST(Tasks, FolderWithoutListsOfTheSplit) {
  const testing::TempFolder folder;
  expect_error([&] { prepare_tasks(small(), "x", folder.path()); }, folder.path().string(),
               "expected verif_pos_split-x.csv or other lists of split x, found none");
  std::ofstream(folder / "retr_queries_split-x.csv");
  std::ofstream(folder / "retr_distractors_split-x.csv");
  check_tasks(3, "x", folder.path());
  expect_error([&] { check_tasks(3, "y", folder.path()); }, "verif_pos_split-y.csv");
}

// One sequence leaves a query alone with its counterparts: 100 % for any descriptor.
TEST(Tasks, NeedASecondSequence) {
  expect_error([] { check_tasks(1, "x", std::nullopt); }, "at least two sequences, found 1");
  expect_error([] { prepare_tasks({{"i_a", 30}}, "x", std::nullopt); }, "at least two sequences, found 1");
  const testing::TempFolder folder;
  for (const char* kind : {"verif_pos", "verif_neg_intra", "verif_neg_inter"}) {
    std::ofstream(folder / list_file(kind, "x")) << "s1,t1,idx1,s2,t2,idx2\ni_a,0,1,i_a,1,1\n";
  }
  std::ofstream(folder / "retr_queries_split-x.csv") << "s,idx\nv_b,0\ni_a,0\n";
  std::ofstream(folder / "retr_distractors_split-x.csv") << "s,idx\ni_a,1\ni_a,2\n";
  expect_error([&] { prepare_tasks(small(), "x", folder.path()); }, "a query of i_a", "of other sequences, found none");
  std::ofstream(folder / "retr_distractors_split-x.csv") << "s,idx\ni_a,1\nv_c,2\n";
  EXPECT_EQ(prepare_tasks(small(), "x", folder.path()).retrieval.distractors.size(), 2u);
}

TEST(Tasks, ListsOfOneLength) {
  const testing::TempFolder folder;
  const std::string header = "s1,t1,idx1,s2,t2,idx2\n", row = "i_a,0,1,i_a,1,1\n";
  std::ofstream(folder / "verif_pos_split-x.csv") << header << row;
  std::ofstream(folder / "verif_neg_intra_split-x.csv") << header << row;
  std::ofstream(folder / "verif_neg_inter_split-x.csv") << header << row << row;
  expect_error([&] { prepare_tasks(small(), "x", folder.path()); }, "as many positives as negatives",
               "found 1, 1 and 2");
}

// Pair lists of a line for split a spare the million rows.
class ReleaseTasks : public ::testing::Test {
 protected:
  ReleaseTasks() {
    for (const char* kind : {"verif_pos", "verif_neg_intra", "verif_neg_inter"}) {
      std::ofstream(folder_ / list_file(kind, "a")) << "s1,t1,idx1,s2,t2,idx2\ni_resort,0,1,i_resort,1,1\n";
    }
  }

  testing::TempFolder folder_;
  std::vector<SequenceShape> shapes_ = release("a");
};

// Lists that are not the published ones, read ones and those that another texture gives, are said not to be.
TEST_F(ReleaseTasks, WarnWhereListsAreNotThePublishedOnes) {
  for (SequenceShape& shape : shapes_) shape.textured.assign(static_cast<size_t>(shape.patches), 1);
  const HpatchesTasks tasks = prepare_tasks(shapes_, "a", folder_.path());
  EXPECT_TRUE(tasks.origins[0].read);
  EXPECT_EQ(tasks.origins[0].published, false);
  EXPECT_EQ(tasks.origins[3].published, false);
  const std::vector<std::string> warnings = testing::take_warnings();
  ASSERT_EQ(warnings.size(), 5u);
  EXPECT_NE(warnings[0].find("verif_pos_split-a.csv as read is not the benchmark's"), std::string::npos);
  EXPECT_NE(warnings[3].find("retr_queries_split-a.csv as drawn is not the benchmark's"), std::string::npos);
}

TEST_F(ReleaseTasks, WarnOfOtherCountsThanTheReleases) {
  const int64_t count = shapes_[1].patches--;  // i_resort
  --shapes_[5].patches;
  prepare_tasks(shapes_, "a", folder_.path());
  const std::vector<std::string> warnings = testing::take_warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_TRUE(warnings[0].starts_with(fmt::format(
      "i_resort: expected {} patches as in the release, found {}: another version of split a", count, count - 1)))
      << warnings[0];
}

}  // namespace
}  // namespace adasample
