// SPDX-License-Identifier: Apache-2.0
// From photographs to descriptors to matches: `describe --images` and `match` as people use them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "adasample/base/files/npy.h"
#include "adasample/features/keypoint_list.h"
#include "adasample/image/files/pgm.h"
#include "adasample/integrate/hloc/hloc_h5.h"
#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/opencv.h"
#include "tests/support/process.h"
#include "tests/support/program.h"
#include "tests/support/test_images.h"
#include "tests/support/turned_jpeg.h"

namespace adasample {
namespace {

using testing::Outcome;
using Names = std::vector<std::string>;

class PictureCommands : public testing::ProgramTest {
 protected:
  PictureCommands() {
    save_safetensors(random_weights(l2net(), 1), path("w.safetensors"));
    std::filesystem::create_directories(path("p/sub"));
    write_pgm(path("p/a.pgm"), testing::blob_scene());
    write_pgm(path("p/sub/b.pgm"), testing::blob_scene(Affine2::rotation(0.1) * Affine2::scaling(0.8, 0.8), 280, 190));
    write_pgm(path("flat.pgm"), GrayImage(100, 80, 90.0f));
  }
  Outcome describe(const std::string& rest) const { return run("describe -q --json --model w.safetensors " + rest); }
  // What `command` leaves besides what was there.
  Names left_by(const std::string& command, const std::string& prefix = "") const {
    Names before = names(), left;
    run(command, prefix);
    for (const std::string& name : names()) {
      if (std::find(before.begin(), before.end(), name) == before.end()) left.push_back(name);
    }
    return left;
  }
};

std::vector<float> floats_of(const std::filesystem::path& file) {
  const NpyFile npy(file);
  const std::span<const float> rows = npy.data<float>();
  return {rows.begin(), rows.end()};
}

TEST_F(PictureCommands, DescribeWritesRowsAndTheirKeypoints) {
  const Outcome made = describe("--images p --max-keypoints 40 --out d.npy");
  ASSERT_EQ(made.code, 0) << made.err;
  const nlohmann::json result = made.json();
  EXPECT_EQ(result["pictures"], 2);
  EXPECT_EQ(result["type"], "float32");
  EXPECT_EQ(result["keypoint_list"], "d.keypoints.csv");
  EXPECT_EQ(result["model_sha256"].get<std::string>().size(), 64u);
  EXPECT_FALSE(result.contains("loss"));
  const std::vector<float> rows = floats_of(path("d.npy"));
  const KeypointList list = read_keypoint_list(path("d.keypoints.csv"));
  const size_t of_a = list.at("a.pgm").size(), of_b = list.at("sub/b.pgm").size();
  EXPECT_LE(of_a, 40u);
  ASSERT_EQ(rows.size(), (of_a + of_b) * 128);
  EXPECT_EQ(result["patches"], of_a + of_b);

  // One picture alone: the same rows; from the list: nearly, its coordinates having three digits.
  ASSERT_EQ(describe("--images p/a.pgm --max-keypoints 40 --out a.npy").code, 0);
  const std::vector<float> alone = floats_of(path("a.npy"));
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), rows.begin()));
  ASSERT_EQ(describe("--images p --keypoints d.keypoints.csv --out again.npy").code, 0);
  const std::vector<float> again = floats_of(path("again.npy"));
  ASSERT_EQ(again.size(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) ASSERT_NEAR(again[i], rows[i], 0.02) << i;
  EXPECT_EQ(read_text(path("again.keypoints.csv")), read_text(path("d.keypoints.csv")));
  describe("--images p --out d.npy").expect_error(1, {"d.npy: already exists"});
}

TEST_F(PictureCommands, ThreadsChangeNoByte) {
  for (const char* threads : {"1", "2", "5"}) {
    const std::string out = std::string("t") + threads;
    ASSERT_EQ(describe("--images p --threads " + std::string(threads) + " --out " + out + ".npy").code, 0);
    EXPECT_EQ(read_text(path(out + ".npy")), read_text(path("t1.npy"))) << threads;
    EXPECT_EQ(read_text(path(out + ".keypoints.csv")), read_text(path("t1.keypoints.csv"))) << threads;
  }
}

TEST_F(PictureCommands, APictureThatCannotBeReadEndsItWithNothingWritten) {
  write_file_atomically(path("p/broken.jpg"), "\xFF\xD8\xFF nonsense");
  EXPECT_EQ(left_by("describe -q --images p --model w.safetensors --out x.npy"), Names());
  describe("--images p --out x.npy").expect_error(1, {"broken.jpg"});
}

TEST_F(PictureCommands, BenchOfPictures) {
  write_file_atomically(path("p/broken.jpg"), "\xFF\xD8\xFF nonsense");
  const Outcome timed = run("bench pictures --images p --model w.safetensors --rounds 1 --json");
  ASSERT_EQ(timed.code, 0) << timed.err;
  EXPECT_NE(timed.err.find("left out"), std::string::npos) << timed.err;
  EXPECT_NE(timed.err.find("broken.jpg"), std::string::npos) << timed.err;
  const nlohmann::json result = timed.json();
  EXPECT_EQ(result["pictures"], 2);
  for (const char* part : {"read", "detect", "cut", "describe", "whole"}) {
    EXPECT_GT(result[part]["seconds"], 0) << part;
    EXPECT_EQ(result[part]["keypoints"], result["keypoints"]) << part;
  }
  EXPECT_GT(result["keypoints"], 0);
  EXPECT_EQ(result["sift"].is_null(), !result.contains("keypoints_per_s_over_sift"));
  std::filesystem::create_directory(path("none"));
  run("bench pictures --images none").expect_error(1, {"none"});
  write_file_atomically(path("none/a.jpg"), "\xFF\xD8\xFF nonsense");
  run("bench pictures --images none").expect_error(1, {"no picture that can be read"});
  run("bench pictures --images p --rounds 0").expect_error(2, {"rounds = 0"});
}

TEST_F(PictureCommands, TypesAndWhatTheyCost) {
  const auto loss_of = [&](const std::string& type) {
    const Outcome made = describe("--images p --out " + type + ".csv --type " + type);
    EXPECT_EQ(made.code, 0) << made.err;
    return made.json();
  };
  const nlohmann::json bytes = loss_of("uint8"), halves = loss_of("float16");
  EXPECT_EQ(bytes["map"]["zero"], 128);
  EXPECT_NEAR(bytes["map"]["scale"], 1 / 320.0, 1e-12);
  EXPECT_NEAR(bytes["loss"]["rms_difference"], 0.0009, 1e-4);
  EXPECT_EQ(bytes["loss"]["sample"], bytes["patches"]);
  EXPECT_LT(halves["loss"]["rms_difference"], bytes["loss"]["rms_difference"].get<double>() / 20);
  EXPECT_FALSE(halves.contains("map"));
  EXPECT_NE(run("describe -q --images p --model w.safetensors --type uint8 --out t.npy").out.find("another neighbour"),
            std::string::npos);
  EXPECT_EQ(NpyFile(path("t.npy")).header().type, NpyType::kUint8);
  describe("--images p --type int4 --out x.npy").expect_error(2, {"int4", "float16"});
}

TEST_F(PictureCommands, DescribeInHlocsLayout) {
  if (!have_hdf5()) {
    describe("--images p --out f.h5").expect_error(1, {"needs HDF5"});
    return;
  }
  ASSERT_EQ(describe("--images p --max-keypoints 30 --out f.h5").code, 0);
  ASSERT_EQ(describe("--images p --max-keypoints 30 --out f.npy").code, 0);
  const KeypointReader reader = open_hloc_keypoints(path("f.h5"));
  const KeypointList list = read_keypoint_list(path("f.keypoints.csv"));
  for (const auto& [name, keypoints] : list) {
    const GivenKeypoints found = reader(name);
    ASSERT_EQ(found.keypoints.size(), keypoints.size());
    for (size_t i = 0; i < keypoints.size(); ++i) {
      EXPECT_NEAR(found.keypoints[i].x, keypoints[i].x, 0.001);
      EXPECT_NEAR(found.keypoints[i].angle, keypoints[i].angle, 1e-4);
    }
  }
  ASSERT_EQ(describe("--images p --keypoints f.h5 --out back.npy").code, 0);
  EXPECT_EQ(floats_of(path("back.npy")).size(), floats_of(path("f.npy")).size());
  describe("--patches p.npy --out g.h5").expect_error(2, {"g.h5", "pictures"});
  EXPECT_EQ(left_by("describe -q --images p --model w.safetensors --out big.h5", "ulimit -f 20;"), Names());
  run("describe -q --images p --model w.safetensors --out big.h5", "ulimit -f 20;").expect_error(1, {"big.h5"});
}

TEST_F(PictureCommands, AFullDiskLeavesNothing) {
  EXPECT_EQ(left_by("describe -q --images p --model w.safetensors --out big.npy", "ulimit -f 20;"), Names());
  run("describe -q --images p --model w.safetensors --out big.npy", "ulimit -f 20;").expect_error(1, {"big.npy"});
}

// hloc and COLMAP leave pixels as they are stored; ours are those of the picture upright.
TEST_F(PictureCommands, PicturesThatExifTurns) {
  if (!have_hdf5()) GTEST_SKIP() << ".h5 needs HDF5";
  testing::write_turned_jpeg(path("t.jpg"), testing::blob_scene());  // stored as 240 x 160
  const auto farthest = [](const std::vector<Keypoint>& keypoints) {
    Point2 far = {0, 0};
    for (const Keypoint& k : keypoints) far = {std::max(far.x, k.x), std::max(far.y, k.y)};
    return far;
  };
  ASSERT_EQ(describe("--images t.jpg --out t.h5").code, 0);
  const Point2 stored = farthest(open_hloc_keypoints(path("t.h5"))("t.jpg").keypoints);
  EXPECT_GT(stored.x, 200);
  EXPECT_LT(stored.y, 160);
  ASSERT_EQ(describe("--images t.jpg --out t.npy").code, 0);
  const Point2 upright = farthest(read_keypoint_list(path("t.keypoints.csv")).at("t.jpg"));
  EXPECT_LT(upright.x, 160);
  EXPECT_GT(upright.y, 200);

  // Given keypoints: in the pixels of whoever made the list.
  ASSERT_EQ(describe("--images t.jpg --keypoints t.h5 --out h5.npy").code, 0);
  EXPECT_GT(farthest(read_keypoint_list(path("h5.keypoints.csv")).at("t.jpg")).x, 200);
  write_file_atomically(path("k.txt"), "1 0\n220.5 20.5 3 0\n");
  EXPECT_EQ(describe("--images t.jpg --keypoints k.txt --out txt.npy").code, 0);
  write_file_atomically(path("k.csv"), "file,x,y,scale,angle\nt.jpg,20,220,3,0\na.pgm,20,120,3,0\n");
  EXPECT_EQ(describe("--images t.jpg --keypoints k.csv --out csv.npy").code, 0);
  describe("--images t.jpg --keypoints k.csv --out csv.h5")
      .expect_error(1, {"t.jpg: EXIF turns it", "k.csv", "csv.h5"});
  EXPECT_EQ(describe("--images p/a.pgm --keypoints k.csv --out a.h5").code, 0) << "nothing turns this one";
}

// Bytes have one map for all: what is not of length 1 does not fit it.
TEST_F(PictureCommands, BytesAreForUnitVectors) {
  if (!testing::have_opencv()) GTEST_SKIP() << "ORB needs OpenCV";
  EXPECT_EQ(run("describe -q --model sift --images p --type uint8 --out s.npy").code, 0);
  run("describe -q --model orb --images p --type uint8 --out o.npy")
      .expect_error(1, {"--type uint8 takes descriptors of norm 1, orb has"});
  EXPECT_EQ(run("describe -q --model orb --images p --type float16 --out o.npy").code, 0);
}

TEST_F(PictureCommands, WhatCannotBeDescribed) {
  describe("--out d.npy").expect_error(2, {"--patches or --images", "neither"});
  describe("--images p --patches s --out d.npy").expect_error(2, {"both"});
  describe("--patches s --keypoints k.csv --out d.npy").expect_error(2, {"--keypoints k.csv", "--images"});
  describe("--images p --out d.txt").expect_error(2, {"d.txt"});
  describe("--images p --out no/d.npy").expect_error(2, {"no folder no"});
  describe("--images p --max-side 3 --out d.npy").expect_error(2, {"max_side = 3"});
  describe("--images p --max-keypoints 1 --out d.npy").expect_error(2, {"max_keypoints = 1"});
  describe("--images p --keypoints k.txt --out d.npy").expect_error(2, {"k.txt", "one picture", "folder"});
  describe("--images flat.pgm --out d.npy").expect_error(1, {"flat.pgm: no keypoint in 1 pictures"});
  describe("--images nowhere --out d.npy").expect_error(1, {"nowhere"});
  write_file_atomically(path("k.txt"), "1 0\n900.5 20.5 3 0\n");
  describe("--images p/a.pgm --keypoints k.txt --out d.npy").expect_error(1, {"a.pgm", "240 x 160", "(900.0, 20.0)"});
  write_file_atomically(path("k.csv"), "file,x,y,scale,angle\nz.pgm,1,2,3,4\n");
  describe("--images p --keypoints k.csv --out d.npy").expect_error(1, {"no keypoint in 2 pictures", "k.csv"});
  write_file_atomically(path("p/z.pgm"), "P5 100 100 255\nshort");
  describe("--images p --out d.npy").expect_error(1, {"z.pgm"});
  for (const std::string& name : names()) EXPECT_FALSE(name.starts_with("d.") || name.starts_with(".")) << name;
}

TEST_F(PictureCommands, APictureWithoutKeypointsIsAWarning) {
  std::filesystem::rename(path("flat.pgm"), path("p/flat.pgm"));
  const Outcome made = describe("--images p --out d.npy");
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.json()["without_keypoints"], Names{"flat.pgm"});
  EXPECT_NE(made.err.find("flat.pgm: no keypoint found"), std::string::npos);
  EXPECT_EQ(read_keypoint_list(path("d.keypoints.csv")).count("flat.pgm"), 0u);
}

TEST_F(PictureCommands, DescribeStopsOnCtrlCAndLeavesNothing) {
  for (int i = 0; i < 2000; ++i) {  // minutes of work
    std::filesystem::create_symlink(path("p/a.pgm"), path("p/" + std::to_string(i) + ".pgm"));
  }
  const Names before = names();
  testing::Process work(folder_.path(), "'" ADASAMPLE_BINARY "' describe --images p --model w.safetensors --out d.npy");
  // The hidden file is there after the handler of signals.
  ASSERT_TRUE(work.wait_until([&] { return names() != before; }));
  work.kill(SIGINT);
  EXPECT_EQ(work.wait(), 130) << read_text(path("err.txt"));
  EXPECT_EQ(names(), before);
}

TEST_F(PictureCommands, MatchCountsListsAndDraws) {
  if (!testing::have_opencv()) GTEST_SKIP() << "geometry and drawings need OpenCV";
  const Outcome made =
      run("match p/a.pgm p/sub/b.pgm --model rootsift -q --json --geometry homography --out m.png --matches m.csv");
  ASSERT_EQ(made.code, 0) << made.err;
  const nlohmann::json result = made.json(), model = result["models"][0];
  EXPECT_EQ(result["first"]["width"], 240);
  EXPECT_GT(result["second"]["keypoints"], 20);
  EXPECT_EQ(model["mutual"], model["matches"]) << "no limit was set";
  EXPECT_GT(model["inliers"], 15);
  EXPECT_NEAR(model["inlier_share"], model["inliers"].get<double>() / model["matches"].get<double>(), 1e-9);
  EXPECT_EQ(model["matrix"].size(), 9u);
  const std::string list = read_text(path("m.csv"));
  EXPECT_TRUE(list.starts_with("x1,y1,x2,y2,distance,inlier,keypoint1,keypoint2\n"));
  EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), model["matches"].get<int64_t>() + 1);
  size_t inliers = 0;
  for (size_t begin = list.find('\n') + 1; begin < list.size();) {
    const size_t end = list.find('\n', begin), second = list.rfind(',', end), first = list.rfind(',', second - 1);
    inliers += list.substr(begin, first - begin).ends_with(",1") ? 1 : 0;  // before the two numbers of keypoints
    begin = end + 1;
  }
  EXPECT_EQ(inliers, model["inliers"].get<size_t>());
  EXPECT_TRUE(read_text(path("m.png")).starts_with("\x89PNG"));
  run("match p/a.pgm p/a.pgm --model sift --out m.png").expect_error(1, {"m.png: already exists"});
}

TEST_F(PictureCommands, ModelsSideBySide) {
  if (!testing::have_opencv()) GTEST_SKIP() << "geometry and drawings need OpenCV";
  const Outcome made = run("match p/a.pgm p/a.pgm --model w.safetensors --model sift -q --geometry homography");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_NE(made.out.find("\nw.safetensors "), std::string::npos) << made.out;
  EXPECT_NE(made.out.find("\nsift "), std::string::npos) << made.out;
  const nlohmann::json same = run("match p/a.pgm p/a.pgm --model sift -q --json --geometry homography").json();
  EXPECT_EQ(same["models"][0]["inliers"], same["models"][0]["matches"]) << "a picture and itself";
}

TEST_F(PictureCommands, TooFewMatchesAreNoFailure) {
  if (!testing::have_opencv()) GTEST_SKIP() << "geometry needs OpenCV";
  const std::string match = "match p/a.pgm p/sub/b.pgm --model sift -q --max-distance 1e-6 ";
  const nlohmann::json model = run(match + "--json").json()["models"][0];
  EXPECT_EQ(model["matches"], 0);
  for (const char* key : {"matrix", "inliers", "inlier_share"}) EXPECT_TRUE(model[key].is_null()) << key;
  const Outcome told = run(match);
  EXPECT_EQ(told.code, 0);
  EXPECT_NE(told.out.find("sift: no fundamental - it takes 8 matches, found 0"), std::string::npos) << told.out;
  EXPECT_EQ(run(match + "--geometry none").out.find("no none"), std::string::npos);
}

TEST_F(PictureCommands, WhatCannotBeMatched) {
  const auto match = [&](const std::string& rest) { return run("match -q --model w.safetensors " + rest); };
  if (!testing::have_opencv()) {  // which is asked for first
    match("p/a.pgm p/a.pgm --geometry fundamental").expect_error(2, {"OpenCV", "--geometry none"});
    match("p/a.pgm p/a.pgm --out m.png").expect_error(1, {"OpenCV", "--out"});
    const Outcome unchecked = match("p/a.pgm p/a.pgm --json");
    EXPECT_EQ(unchecked.json()["geometry"], "none");
    EXPECT_NE(unchecked.err.find("matches are not checked"), std::string::npos) << unchecked.err;
    return;
  }
  match("p/a.pgm flat.pgm").expect_error(1, {"flat.pgm: expected keypoints, found none", "dog"});
  match("p/a.pgm none.pgm").expect_error(1, {"none.pgm"});
  match("p/a.pgm").expect_error(2, {"expected two photographs"});
  match("p/a.pgm p/a.pgm --geometry affine").expect_error(2, {"affine", "fundamental"});
  match("p/a.pgm p/a.pgm --ratio 2").expect_error(2, {"ratio = 2"});
  match("p/a.pgm p/a.pgm --threshold 0").expect_error(2, {"threshold = 0"});
  match("p/a.pgm p/a.pgm --draw 0").expect_error(2, {"most_lines = 0"});
  match("p/a.pgm p/a.pgm --out m.jpg").expect_error(2, {"m.jpg", ".png"});
  match("p/a.pgm p/a.pgm --matches m.txt").expect_error(2, {"m.txt", ".csv"});
  match("p/a.pgm p/a.pgm --model sift --matches m.csv").expect_error(2, {"m.csv", "one --model, found 2"});
  match("p/a.pgm p/a.pgm --matches no/m.csv").expect_error(2, {"--matches no/m.csv: there is no folder no"});
  match("p/a.pgm p/a.pgm --out no/m.png").expect_error(2, {"--out no/m.png: there is no folder no"});
}

// The program has neither LibTorch nor OpenCV, and starts another that does: nothing of the command line may be lost.
TEST_F(PictureCommands, AnotherProgramGoesOnWhereOpencvIsNeeded) {
  const std::string libraries = run("", "ldd").out;
  EXPECT_NE(libraries.find("libpng"), std::string::npos) << libraries;
  for (const char* slow : {"libtorch", "libopencv"}) EXPECT_EQ(libraries.find(slow), std::string::npos) << slow;
  if (!testing::have_opencv()) GTEST_SKIP() << "built without OpenCV";
  const std::string piped = "rm -f f; mkfifo f; echo 'detector = \"harris\"' > f &";  // which can be read once
  for (const char* option : {"--config f", "--config=f"}) {
    const Outcome made = run(std::string("match p/a.pgm p/a.pgm --model w.safetensors -q --json ") + option, piped);
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.json()["detector"], "harris");
  }
  // A format that only OpenCV reads, among others: it is noticed before the work, and nothing is left behind.
  std::string ppm = "P6 60 60 255\n";
  for (int i = 0; i < 60 * 60; ++i) ppm += std::string(3, static_cast<char>((i * i / 7 + 40 * (i / 900)) & 255));
  write_file_atomically(path("p/z.ppm"), ppm);
  const Outcome all = describe("--images p --out all.npy");
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(all.json()["pictures"], 3);
  write_file_atomically(path("p/z.ppm"), "no picture at all");
  describe("--images p --out none.npy").expect_error(1, {"z.ppm"});
  write_file_atomically(path("p/z.ppm"), ppm.substr(0, 500));  // of which OpenCV has its own opinion on stderr
  describe("--images p --out none.npy").expect_error(1, {"z.ppm"});
  write_file_atomically(path("p/z.ppm"), "BMxxxx");
  describe("--images p --out none.npy").expect_error(1, {"z.ppm"});
}

TEST_F(PictureCommands, MatchTakesTheShippedWeights) {
  const Outcome made = run("match p/a.pgm p/a.pgm -q --json --geometry none");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json()["models"][0]["model"], "default");
}

}  // namespace
}  // namespace adasample
