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

// What `match` has written, as text.
std::string rows_of(const std::filesystem::path& file) {
  const Sqlite database(file.string(), SQLITE_OPEN_READONLY, file.string(), "COLMAP's database");
  std::string text;
  for (const char* sql : {"SELECT i.name || hex(k.data) || hex(d.data) || c.model || hex(c.params) FROM images i JOIN "
                          "keypoints k USING (image_id) "
                          "JOIN descriptors d USING (image_id) JOIN cameras c USING (camera_id) ORDER BY i.name",
                          "SELECT pair_id || ' ' || rows || ' ' || hex(data) FROM matches ORDER BY pair_id",
                          "SELECT pair_id || ' ' || rows || ' ' || config || hex(data) || hex(F) || hex(E) || hex(H) "
                          "FROM two_view_geometries "
                          "ORDER BY pair_id"}) {
    SqliteStatement query(database, sql);
    for (query.begin(); query.step();) text += query.text(0) + "\n";
  }
  return text;
}

class MatchFolder : public Colmap {
 protected:
  void SetUp() override {
    if (!testing::have_opencv()) GTEST_SKIP() << "geometry needs OpenCV";
  }
  static constexpr const char* kCommand =
      "match -q --json --images photos --model w.safetensors --detector dog --max-keypoints 400 ";
};

TEST_F(MatchFolder, FillsBothTablesAndGoesOn) {
  const Outcome made = run(std::string(kCommand) + "--database a.db");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["pictures_described"], 3);
  EXPECT_EQ(made.json()["pairs_verified"], 3);
  const std::string all = rows_of(path("a.db"));
  {
    const Sqlite database(path("a.db").string(), SQLITE_OPEN_READWRITE, "a.db", "COLMAP's database");
    EXPECT_EQ(sqlite_number(database, "SELECT min(rows) FROM two_view_geometries") >= kFewest, true);
    EXPECT_EQ(sqlite_number(database, "SELECT count(*) FROM two_view_geometries WHERE config = ?1", kPlane), 3);
    SqliteStatement(database, "DELETE FROM matches WHERE pair_id % 2147483647 = 3").step();
  }
  const Outcome rest = run(std::string(kCommand) + "--database a.db");
  EXPECT_EQ(rest.json()["pictures_described"], 0);
  EXPECT_EQ(rest.json()["pairs_there_before"], 1);
  EXPECT_EQ(rows_of(path("a.db")), all);
  EXPECT_EQ(run("match -q --database a.db --again --json").json()["pairs_matched"], 3);
  EXPECT_EQ(rows_of(path("a.db")), all) << "without the photographs";

  // A photograph that came later, one that is gone, one that cannot be read.
  std::filesystem::copy(path("photos") / "1.pgm", path("photos") / "4.pgm");
  std::filesystem::remove(path("photos") / "0.pgm");
  std::ofstream(path("photos") / "3.pgm") << "P5 no picture";
  const Outcome more = run(std::string(kCommand) + "--database a.db");
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_EQ(more.json()["pictures_described"], 1);
  EXPECT_EQ(more.json()["pairs_matched"], 3);
  EXPECT_NE(more.err.find("0.pgm: in the database, but no longer in photos"), std::string::npos) << more.err;
  EXPECT_NE(more.err.find("left out: "), std::string::npos) << more.err;
}

TEST_F(MatchFolder, AChangedPhotographIsTold) {
  const Outcome made = run(std::string(kCommand) + "--database a.db");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(made.json()["changed"].empty());
  const std::string all = rows_of(path("a.db"));
  EXPECT_TRUE(run(std::string(kCommand) + "--database a.db").json()["changed"].empty()) << "nothing has";
  std::filesystem::copy(path("photos") / "1.pgm", path("photos") / "2.pgm",
                        std::filesystem::copy_options::overwrite_existing);
  const Outcome changed = run(std::string(kCommand) + "--database a.db --again");
  EXPECT_EQ(changed.code, 0);
  EXPECT_NE(changed.err.find("2.pgm: has changed since it was described"), std::string::npos) << changed.err;
  EXPECT_EQ(changed.json()["changed"].size(), 1u);
  EXPECT_EQ(changed.json()["pairs_matched"], 3) << "the rest goes on";
  EXPECT_EQ(rows_of(path("a.db")), all) << "by the features that are there";
  if (colmap("help")) {  // it does not mind the table that says so
    ASSERT_EQ(run("colmap -q --images photos --model w.safetensors --detector dog --database b.db").code, 0);
    EXPECT_TRUE(colmap("exhaustive_matcher --database_path b.db --SiftMatching.use_gpu 0"));
  }
}

TEST_F(MatchFolder, KilledAnywhereTheRowsAreTheSame) {
  ASSERT_EQ(run(std::string(kCommand) + "--database whole.db").code, 0);
  const std::string whole = rows_of(path("whole.db"));
  int killed = 0;
  for (const char* seconds : {"0.05", "0.1", "0.2", "0.3", "0.4", "0.6"}) {
    killed +=
        run(std::string(kCommand) + "--database a.db", std::string("timeout -s KILL ") + seconds).code != 0 ? 1 : 0;
  }
  EXPECT_GT(killed, 0);
  ASSERT_EQ(run(std::string(kCommand) + "--database a.db").code, 0);
  EXPECT_EQ(rows_of(path("a.db")), whole);
}

TEST_F(MatchFolder, PairsOfAListAndNamesThatNobodyHas) {
  std::ofstream(path("p.txt")) << "0.pgm 1.pgm\n0.pgm 9.pgm\n";
  const Outcome some = run(std::string(kCommand) + "--database a.db --pairs p.txt");
  ASSERT_EQ(some.code, 0) << some.err;
  EXPECT_EQ(some.json()["pairs_matched"], 1);
  EXPECT_NE(some.err.find("p.txt: names 9.pgm"), std::string::npos) << some.err;
  EXPECT_EQ(run(std::string(kCommand) + "--database a.db --sequential 1").json()["pairs"], 2);
  const Outcome alike = run(std::string(kCommand) + "--database a.db --retrieve 1 --vocabulary own");
  EXPECT_EQ(alike.code, 0) << alike.err;
  EXPECT_GE(alike.json()["pairs"], 2);
  run("pairs -q --database a.db --vocabulary own --top 2 --out q.txt");
  EXPECT_EQ(read_text(path("q.txt")), "0.pgm 1.pgm\n0.pgm 2.pgm\n1.pgm 2.pgm\n");

  const Outcome foreign =
      run("pairs -q --images photos --model w.safetensors --detector dog --top 2 --out r.txt --json");
  EXPECT_NE(foreign.json()["warnings"].dump().find("made from descriptors of other weights"), std::string::npos);

  run(std::string(kCommand) + "--database a.db --pairs p.txt --sequential 1").expect_error(2, {"one of --pairs"});
  run(std::string(kCommand) + "--database b.db --pairs nope.txt").expect_error(1, {"nope.txt: cannot be opened"});
  EXPECT_FALSE(std::filesystem::exists(path("b.db"))) << "the list is looked for before an hour of describing";
  run("match --database none.db").expect_error(1, {"none.db: no such database"});
  run("match --retrieve 3 photos/0.pgm photos/1.pgm").expect_error(2, {"--retrieve goes with --database"});
  run("match --database a.db --matches m.csv").expect_error(2, {"--matches goes with two photographs"});
  run("match photos/0.pgm").expect_error(2, {"expected two photographs"});
  std::ofstream(path("bad.txt")) << "0.pgm\n";
  run("match -q --database a.db --pairs bad.txt").expect_error(1, {"bad.txt:1: expected the names of two pictures"});
}

// COLMAP's part is played by a script: whatever is matched, its model has two cameras and one point.
TEST_F(MatchFolder, ReconstructsAndTellsWhatIsLeftOut) {
  const std::string command =
      "reconstruct -q photos --out work --json --model w.safetensors --detector dog "
      "--max-keypoints 400";
  run(command, "COLMAP=/none").expect_error(1, {"work/database.db: features and matches are complete", "install"});
  std::ofstream(path("colmap.sh")) << R"(#!/bin/sh
[ "$1" = help ] && { echo "mapper"; exit 0; }
out=; while [ $# -gt 0 ]; do [ "$1" = --output_path ] && out=$2; shift; done
mkdir "$out/0"
echo "1 SIMPLE_PINHOLE 400 400 480 200 200" > "$out/0/cameras.txt"
printf '1 1 0 0 0 0 0 0 1 0.pgm\n10 20 1\n2 1 0 0 0 -1 0 0 1 1.pgm\n30 40 1\n' > "$out/0/images.txt"
echo "1 0.5 0 4 9 9 9 0.25 1 0 2 0" > "$out/0/points3D.txt"
)";
  std::filesystem::permissions(path("colmap.sh"), std::filesystem::perms::owner_all);
  const Outcome made = run(command, "COLMAP=./colmap.sh");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["registered"], 2);
  EXPECT_EQ(made.json()["points"], 1);
  EXPECT_EQ(made.json()["mean_track"], 2);
  EXPECT_EQ(made.json()["mean_error"], 0.25);
  EXPECT_EQ(made.json()["left_out"][0]["picture"], "2.pgm");
  const std::string page = read_text(path("work/report.html"));
  for (const char* part : {"2 of 3", "2.pgm", "COLMAP did not register it", "Match graph", "colmap.sh mapper"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(run(command, "COLMAP=./colmap.sh").code, 0) << "nothing is made twice";
  run(command + " --mapper global", "COLMAP=./colmap.sh").expect_error(1, {"has no global_mapper"});
}

}  // namespace
}  // namespace adasample
