// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/check_colmap.h"

#include <gtest/gtest.h>

#include "adasample/base/file_io.h"
#include "tests/support/colmap_scene.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using namespace testing;

TEST(CheckColmap, CountsWhatIsThereAndFindsNothingWrong) {
  const TempFolder folder;
  const ColmapScene scene = colmap_scene();
  write_model(folder / "sparse/0", binary_files(scene.model), ".bin");
  std::filesystem::create_directory(folder / "images");
  for (const ColmapImage& image : scene.model.images) write_file_atomically(folder / "images" / image.name, "");
  write_file_atomically(folder / "database.db", "");
  ASSERT_TRUE(looks_like_colmap(folder / "sparse/0"));
  EXPECT_FALSE(looks_like_colmap(folder.path()));
  const Diagnosis diagnosis = check_colmap(folder / "sparse/0");
  EXPECT_EQ(diagnosis.kind, "COLMAP model");
  const int64_t observations = scene.model.observation_count();
  const std::vector<std::pair<std::string, int64_t>> expected = {{"cameras", 1},
                                                                 {"images", 4},
                                                                 {"keypoints", observations + 4},
                                                                 {"points", std::ssize(scene.model.points)},
                                                                 {"observations", observations}};
  EXPECT_EQ(diagnosis.inventory, expected);
  EXPECT_TRUE(diagnosis.problems.empty());
  EXPECT_TRUE(diagnosis.remarks.empty());

  std::filesystem::remove(folder / "images/photo3.pgm");
  const Diagnosis incomplete = check_colmap(folder / "sparse/0");
  ASSERT_EQ(incomplete.problems.size(), 1u);
  EXPECT_EQ(incomplete.problems[0].what, "expected 4 photographs, 1 are missing, the first is photo3.pgm");
}

TEST(CheckColmap, RemarksOnWhatIsNotNearAndOnPointsThatAreGone) {
  const TempFolder folder;
  ColmapModel model = colmap_scene().model;
  const size_t dangling = model.points.front().track.size();
  model.points.erase(model.points.begin());
  write_model(folder / "a/b/c", text_files(model), ".txt");
  const Diagnosis diagnosis = check_colmap(folder / "a/b/c");
  EXPECT_TRUE(diagnosis.problems.empty());
  ASSERT_EQ(diagnosis.remarks.size(), 3u);
  EXPECT_EQ(diagnosis.remarks[0].what, fmt::format("{} keypoints see points that points3D does not have", dangling));
  EXPECT_NE(diagnosis.remarks[1].what.find("no folder `images`"), std::string::npos);
  EXPECT_NE(diagnosis.remarks[2].what.find("no database.db"), std::string::npos);
}

TEST(CheckColmap, AModelThatCannotBeReadIsAProblem) {
  const TempFolder folder;
  ColmapBytes files = binary_files(colmap_scene().model);
  files[2].resize(100);
  write_model(folder.path(), files, ".bin");
  const Diagnosis diagnosis = check_colmap(folder.path());
  ASSERT_EQ(diagnosis.problems.size(), 1u);
  EXPECT_NE(diagnosis.problems[0].what.find("points3D.bin: byte"), std::string::npos);
}

TEST(CheckColmap, PosesAloneAreAProblem) {
  const TempFolder folder;
  ColmapModel model = colmap_scene().model;
  model.points.clear();
  for (ColmapImage& image : model.images) image.points.clear();
  write_model(folder.path(), text_files(model), ".txt");
  const Diagnosis diagnosis = check_colmap(folder.path());
  ASSERT_EQ(diagnosis.problems.size(), 1u);
  EXPECT_NE(diagnosis.problems[0].what.find("no observation"), std::string::npos);
}

}  // namespace
}  // namespace adasample
