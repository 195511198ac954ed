// SPDX-License-Identifier: Apache-2.0
// `adasample colmap` as people use it; and, where COLMAP is installed, its verdict on what was written.
#include <gtest/gtest.h>

#include <fstream>

#include "adasample/image/files/pgm.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "adasample/image/warp.h"
#include "adasample/integrate/colmap/colmap_database.h"
#include "adasample/integrate/colmap/sqlite/sqlite.h"
#include "adasample/model/layer_table.h"
#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/opencv.h"
#include "tests/support/program.h"

namespace adasample {
namespace {

using testing::Outcome;

constexpr int kSide = 400;       // pixels
constexpr int64_t kFewest = 60;  // matches of a pair that lie on one homography; some 200 are found
constexpr int64_t kPlane = 6;    // COLMAP's PLANAR_OR_PANORAMIC

class Colmap : public testing::ProgramTest {
 protected:
  // One scene seen three times, turned and shifted.
  Colmap() {
    save_safetensors(random_weights(l2net(), 1), path("w.safetensors"));
    std::filesystem::create_directory(path("photos"));
    const GrayImage scene = dead_leaves_scene(RngKey(5, Draw::kScene), {.width = 520, .height = 520, .leaves = 3000});
    for (int i = 0; i < 3; ++i) {
      const Affine2 scene_from_view = Affine2::translation(60 + 15 * i, 55 - 10 * i) *
                                      Affine2::rotation(0.12 * (i - 1)) * Affine2::scaling(1 - 0.05 * i, 1 - 0.03 * i);
      GrayImage view(kSide, kSide);
      add_warped(scene, scene_from_view, kSide, 1, view.pixels.data());
      write_pgm(path("photos") / (std::to_string(i) + ".pgm"), view);
    }
  }

  Outcome colmap_command(const std::string& more) const {
    return run("colmap -q --images photos --json --model w.safetensors " + more);
  }
  Outcome fill(const std::string& more) const { return colmap_command("--detector dog --max-keypoints 400 " + more); }
  bool colmap(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.path().string() + "'; QT_QPA_PLATFORM=offscreen colmap " + arguments + " >colmap.txt 2>&1";
    return std::system(command.c_str()) == 0;
  }
};

TEST_F(Colmap, FillsADatabase) {
  const Outcome made = fill("--database a.db");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["images"], 3);
  EXPECT_EQ(made.json()["cameras_added"], 3);
  EXPECT_EQ(made.json()["keypoints"], 1200);
  EXPECT_EQ(made.json()["model_sha256"].get<std::string>().size(), 64u);
  EXPECT_EQ(names(), (std::vector<std::string>{"a.db", "photos", "w.safetensors"}));
  EXPECT_EQ(open_colmap_keypoints(path("a.db"))("1.pgm").size(), 400u);
  fill("--database a.db").expect_error(1, {"0.pgm", "--redescribe"});

  const Outcome again = colmap_command("--database a.db --redescribe");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.json()["detector"], "database");
  EXPECT_EQ(again.json()["keypoints"], 1200);

  fill("--database b.db --clear-matches").expect_error(2, {"--redescribe"});
  fill("--database b.db --sigma 2").expect_error(2, {"--sigma goes with --redescribe"});
  for (const std::string option : {"--detector dog", "--max-keypoints 9", "--camera-model OPENCV", "--single-camera"}) {
    colmap_command("--database a.db --redescribe " + option)
        .expect_error(2, {option.substr(0, option.find(' ')), "not with --redescribe"});
  }
  colmap_command("--database b.db --redescribe").expect_error(1, {"b.db", "no such database"});
  fill("--database no/b.db").expect_error(2, {"--database no/b.db: there is no folder no"});
  fill("--database b.db --camera-model LOMO").expect_error(2, {"LOMO"});
  fill("--database b.db --detector fast").expect_error(2, {"fast"});
  fill("--database b.db --max-side 0").expect_error(2, {"max_side = 0"});
  run("colmap --images nothing --database b.db --model w.safetensors").expect_error(1, {"nothing"});
  std::ofstream(path("photos") / "3.pgm") << "P5 no picture";
  fill("--database b.db").expect_error(1, {"3.pgm"});
  EXPECT_FALSE(std::filesystem::exists(path("b.db")));
}

TEST_F(Colmap, AFullDiskLeavesTheDatabaseAsItWas) {
  ASSERT_EQ(fill("--database a.db").code, 0);
  const std::string before = read_text(path("a.db"));
  const Outcome full =
      run("colmap -q --images photos --model w.safetensors --database a.db --redescribe --upright", "ulimit -f 20;");
  full.expect_error(1, {"a.db: cannot be read or written"});
  EXPECT_EQ(read_text(path("a.db")), before);
  EXPECT_EQ(names(), (std::vector<std::string>{"a.db", "photos", "w.safetensors"}));
}

TEST_F(Colmap, PhotographsWithoutKeypointsAreNamed) {
  write_pgm(path("photos") / "flat.pgm", GrayImage(100, 80, 90.0f));
  const Outcome made = fill("--database a.db");
  EXPECT_EQ(made.code, 0);
  EXPECT_NE(made.err.find("flat.pgm: no keypoint found"), std::string::npos) << made.err;
  EXPECT_EQ(made.json()["without_keypoints"], std::vector<std::string>{"flat.pgm"});
  std::filesystem::create_directory(path("flat"));
  std::filesystem::rename(path("photos") / "flat.pgm", path("flat") / "flat.pgm");
  run("colmap -q --images flat --database b.db --model w.safetensors --detector dog")
      .expect_error(1, {"flat: no keypoint in 1 images", "nothing was written"});
  EXPECT_EQ(names(), (std::vector<std::string>{"a.db", "flat", "photos", "w.safetensors"}));
}

TEST_F(Colmap, ItsMatcherVerifiesWhatWasWritten) {
  if (!colmap("help")) GTEST_SKIP() << "COLMAP is not installed";
  // Even a network that never learned tells these views apart; SIFT's are written in the other encoding.
  std::vector<std::string> models = {"w.safetensors"};
  if (testing::have_opencv()) models.push_back("rootsift");
  for (const std::string& model : models) {
    const std::string database = model + ".db";
    const Outcome made = run("colmap -q --images photos --max-keypoints 800 --detector dog --database " + database +
                             " --model " + model);
    ASSERT_EQ(made.code, 0) << made.err;
    ASSERT_TRUE(
        colmap("exhaustive_matcher --SiftMatching.use_gpu 0 --SiftMatching.num_threads 2 --database_path " + database))
        << read_text(path("colmap.txt"));
    const Sqlite written(path(database).string(), SQLITE_OPEN_READONLY, database, "COLMAP's database");
    SqliteStatement pairs(written, "SELECT rows, config FROM two_view_geometries");
    int verified = 0;
    for (; pairs.step(); ++verified) {
      EXPECT_GE(pairs.integer(0), kFewest) << model;
      EXPECT_EQ(pairs.integer(1), kPlane) << model;
    }
    EXPECT_EQ(verified, 3);
  }
}

}  // namespace
}  // namespace adasample
