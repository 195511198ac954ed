// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/colmap_scene.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using namespace testing;

const std::string kDatabase("SQLite format 3\0 and so on", 26);

TEST(CheckColmap, CountsWhatIsThereAndFindsNothingWrong) {
  const TempFolder folder;
  const ColmapScene scene = colmap_scene();
  write_model(folder / "sparse/0", binary_files(scene.model), ".bin");
  std::filesystem::create_directory(folder / "images");
  for (const ColmapImage& image : scene.model.images) write_file_atomically(folder / "images" / image.name, "");
  write_file_atomically(folder / "database.db", kDatabase);
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
  EXPECT_EQ(diagnosis.problems[0].path, (folder / "points3D.bin").string());
  EXPECT_TRUE(diagnosis.problems[0].what.starts_with("byte ")) << diagnosis.problems[0].what;
}

TEST(CheckColmap, ATextModelCutShortIsAProblem) {
  const TempFolder folder;
  ColmapBytes files = text_files(colmap_scene().model);
  files[2] = "# Number of points: 99, mean track length: 3\n" + files[2];
  files[2].resize(files[2].find('\n', 100));
  write_model(folder.path(), files, ".txt");
  const Diagnosis diagnosis = check_colmap(folder.path());
  ASSERT_EQ(diagnosis.problems.size(), 1u);
  EXPECT_EQ(diagnosis.problems[0].path, (folder / "points3D.txt:4").string());
  EXPECT_EQ(diagnosis.problems[0].what, "expected 99 points, as line 1 says, found 2 - truncated?");
}

TEST(CheckColmap, ADatabaseThatIsNoneIsAProblem) {
  const TempFolder folder;
  write_model(folder.path(), text_files(colmap_scene().model), ".txt");
  const std::filesystem::path database = folder / "database.db";
  const auto problems = [&] { return check_colmap(folder.path()).problems; };
  for (const std::string& bytes : {std::string(), kDatabase.substr(0, 15), "x" + kDatabase}) {
    write_file_atomically(database, bytes);
    ASSERT_EQ(problems().size(), 1u) << bytes;
    EXPECT_EQ(problems()[0].path, database.string());
    EXPECT_TRUE(problems()[0].what.starts_with("expected a database of SQLite")) << problems()[0].what;
  }
  write_file_atomically(database, kDatabase.substr(0, 16));
  EXPECT_TRUE(problems().empty());
  std::filesystem::remove(database);
  std::filesystem::create_directory(database);
  ASSERT_EQ(problems().size(), 1u);
  EXPECT_EQ(problems()[0].path, database.string());
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
