// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/colmap_model.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/colmap_scene.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using namespace testing;
namespace fs = std::filesystem;

// A camera, two images and one point that both see; small enough to know every line and byte of.
ColmapModel small_model() {
  ColmapModel model;
  model.cameras.push_back({1, 2, 640, 480, {500, 320, 240, 0.01}});
  model.images.push_back({3, {1, 0, 0, 0}, {1, 2, 3}, 1, "a.jpg", {{1.5, 2.25, 9}, {7, 8}}});
  model.images.push_back({4, {0.5, 0.5, 0.5, 0.5}, {0, 0, 1}, 1, "sub/b c.jpg", {{10, 20, 9}}});
  model.points.push_back({9, {0.1, -0.2, 1e-3}, {10, 20, 255}, 0.75, {{3, 0}, {4, 0}}});
  return model;
}

std::string flat(const ColmapBytes& files) { return files[0] + files[1] + files[2]; }

TEST(ColmapModel, BothFormsAreReadAlike) {
  const TempFolder folder;
  const ColmapScene scene = colmap_scene();
  for (const ColmapModel& model : {small_model(), scene.model}) {
    write_model(folder / "text", text_files(model), ".txt");
    write_model(folder / "binary", binary_files(model), ".bin");
    const ColmapModel text = read_colmap_model(folder / "text"), binary = read_colmap_model(folder / "binary");
    EXPECT_EQ(flat(text_files(text)), flat(text_files(model)));
    EXPECT_EQ(flat(text_files(binary)), flat(text_files(model)));
    EXPECT_EQ(text.form, "text");
    EXPECT_EQ(binary.form, "binary");
    EXPECT_NE(text.sha256, binary.sha256);
    EXPECT_EQ(text.sha256.size(), 64u);
  }
}

TEST(ColmapModel, TheBinaryFormIsReadWhereBothAreThereAndOtherFilesAreNot) {
  const TempFolder folder;
  write_model(folder.path(), {"not", "a", "model"}, ".txt");
  write_model(folder.path(), binary_files(small_model()), ".bin");
  write_file_atomically(folder / "rigs.bin", "whatever");
  EXPECT_EQ(read_colmap_model(folder.path()).form, "binary");
}

TEST(ColmapModel, RecordsAreSortedById) {
  const TempFolder folder;
  ColmapScene scene = colmap_scene();
  const std::string sorted = flat(text_files(scene.model));
  std::reverse(scene.model.images.begin(), scene.model.images.end());
  std::reverse(scene.model.points.begin(), scene.model.points.end());
  write_model(folder.path(), binary_files(scene.model), ".bin");
  const ColmapModel model = read_colmap_model(folder.path());
  EXPECT_EQ(flat(text_files(model)), sorted);
  EXPECT_EQ(model.image_index(3), 2u);
  EXPECT_EQ(model.image(3).name, "photo3.pgm");
  EXPECT_EQ(model.camera(7).width, ColmapScene::kWidth);
  expect_error([&] { model.image_index(5); }, "[bug]");
}

TEST(ColmapModel, TheCentreIsWhereTheCameraStands) {
  // Half a turn about y: x' = -x, z' = -z; the centre c satisfies R c + t = 0.
  const ColmapImage turned{1, {0, 0, 1, 0}, {1, 2, 3}, 1, "a", {}};
  const auto c = turned.centre();
  EXPECT_DOUBLE_EQ(c[0], 1);
  EXPECT_DOUBLE_EQ(c[1], -2);
  EXPECT_DOUBLE_EQ(c[2], 3);
  // A third of a turn about (1, 1, 1) sends x to y, y to z, z to x: R c = (c_z, c_x, c_y).
  const ColmapImage third{1, {0.5, 0.5, 0.5, 0.5}, {1, 2, 3}, 1, "a", {}};
  const auto d = third.centre();
  EXPECT_DOUBLE_EQ(d[0], -2);
  EXPECT_DOUBLE_EQ(d[1], -3);
  EXPECT_DOUBLE_EQ(d[2], -1);
}

TEST(ColmapModel, EveryCameraModelOfColmapIsKnown) {
  const TempFolder folder;
  const std::vector<std::pair<std::string, size_t>> expected = {{"SIMPLE_PINHOLE", 3},
                                                                {"PINHOLE", 4},
                                                                {"SIMPLE_RADIAL", 4},
                                                                {"RADIAL", 5},
                                                                {"OPENCV", 8},
                                                                {"OPENCV_FISHEYE", 8},
                                                                {"FULL_OPENCV", 12},
                                                                {"FOV", 5},
                                                                {"SIMPLE_RADIAL_FISHEYE", 4},
                                                                {"RADIAL_FISHEYE", 5},
                                                                {"THIN_PRISM_FISHEYE", 12}};
  ASSERT_EQ(colmap_camera_models().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(colmap_camera_models()[i].name, expected[i].first);
    ColmapModel model = small_model();
    model.cameras[0].model = static_cast<int>(i);
    model.cameras[0].parameters.assign(expected[i].second, 1.5);
    write_model(folder.path(), text_files(model), ".txt");
    EXPECT_EQ(read_colmap_model(folder.path()).cameras[0].parameters.size(), expected[i].second);
    write_model(folder / "b", binary_files(model), ".bin");
    EXPECT_EQ(read_colmap_model(folder / "b").cameras[0].model, static_cast<int>(i));
  }
}

TEST(ColmapModel, TextIsTakenAsColmapTakesIt) {
  const TempFolder folder;
  write_model(folder.path(),
              {"# c\r\n1 PINHOLE 640 480 1 2 3 4\r\n",
               "\n# i\n3 2 0 0 0 0 0 0 1 a b.jpg\n\n# i\n4 1 0 0 0 0 0 0 1 c.jpg", "# only comments\n"},
              ".txt");
  const ColmapModel model = read_colmap_model(folder.path());
  ASSERT_EQ(model.images.size(), 2u);
  EXPECT_EQ(model.images[0].name, "a b.jpg");
  EXPECT_TRUE(model.images[0].points.empty());
  EXPECT_EQ(model.images[0].rotation[0], 1);  // normalised
  EXPECT_EQ(model.images[1].name, "c.jpg");
  EXPECT_TRUE(model.points.empty());
}

// Replaces the first `from` in a file of small_model()'s text form.
void expect_text_error(size_t file, const std::string& from, const std::string& to, const auto&... parts) {
  const TempFolder folder;
  ColmapBytes files = text_files(small_model());
  const size_t at = files[file].find(from);
  ASSERT_NE(at, std::string::npos) << from;
  files[file].replace(at, from.size(), to);
  write_model(folder.path(), files, ".txt");
  expect_error([&] { read_colmap_model(folder.path()); }, "[colmap]", parts...);
}

TEST(ColmapModel, TextThatIsWrongIsNamedByFileAndLine) {
  expect_text_error(0, "SIMPLE_RADIAL", "ROUND", "cameras.txt:2: expected a camera model", "0 SIMPLE_PINHOLE",
                    "10 THIN_PRISM_FISHEYE", "found 'ROUND'");
  expect_text_error(0, "SIMPLE_RADIAL", "OPENCV", "cameras.txt:2: expected 8 parameters of OPENCV, found 4");
  expect_text_error(0, "500", "nan", "cameras.txt:2: expected a camera parameter, found 'nan'");
  expect_text_error(0, "640", "wide", "cameras.txt:2: expected a width, found 'wide'");
  expect_text_error(0, "640", "0", "cameras.txt:2", "1 to 1000000 pixels, found 0 x 480");
  expect_text_error(0, " SIMPLE_RADIAL 640 480 500 320 240 0.01", "", "cameras.txt:2: expected CAMERA_ID MODEL");
  expect_text_error(0, "# cameras\n", "1 PINHOLE 1 1 1 1 1 1\n",
                    "cameras.txt:2: expected a new camera id, found camera 1");
  expect_text_error(1, "a.jpg", "", "images.txt:3: expected the name of a photograph, found the line ends");
  expect_text_error(1, "3 1 0 0 0", "3 1 0 0 x", "images.txt:3: expected QW QX QY QZ, found 'x'");
  expect_text_error(1, "3 1 0 0 0", "3 0 0 0 0", "images.txt:4", "quaternion that can be normalised");
  expect_text_error(1, " 1 a.jpg", " 2 a.jpg", "images.txt:4: expected one of the 1 cameras, found camera 2");
  expect_text_error(1, "2.25 9", "2.25", "images.txt:4: expected X Y POINT3D_ID", "5 fields");
  expect_text_error(1, "2.25 9", "2.25 -2", "images.txt:4: expected the id of a 3D point, or -1, found -2");
  expect_text_error(1, "1.5 2.25", "1.5 inf", "images.txt:4: expected a coordinate, found 'inf'");
  expect_text_error(1, "sub/b c.jpg", "a.jpg", "images.txt:6: expected a new name, found 'a.jpg' again");
  expect_text_error(1, "\n4 0.5", "\n3 0.5", "images.txt:6: expected a new image id, found image 3 again");
  expect_text_error(2, "# points\n", "9 0 0 0 0 0 0 0\n",
                    "points3D.txt:2: expected a new point id, found point 9 again");
  expect_text_error(2, "9 0.1", "-1 0.1", "points3D.txt:2: expected the id of a 3D point, found '-1'");
  expect_text_error(2, "0.1 -0.2", "0.1 nan", "points3D.txt:2: expected X Y Z, found 'nan'");
  expect_text_error(2, "255", "256", "points3D.txt:2: expected a colour of 0 to 255, found '256'");
  expect_text_error(2, " 3 0 4 0", " 3 0 4", "points3D.txt:2: expected IMAGE_ID POINT2D_IDX", "3 fields of track");
  expect_text_error(2, " 3 0 4 0", " 5 0 4 0", "points3D.txt:2: expected a track through the 2 images, found image 5");
  expect_text_error(2, " 3 0 4 0", " 3 2 4 0",
                    "points3D.txt:2: expected one of the 2 points of image 3, found point2D 2");
  expect_text_error(2, " 3 0 4 0", " 3 1 4 0", "points3D.txt:2: expected point2D 1 of image 3 to see point 9",
                    "found that it sees none");
  expect_text_error(2, "0.75", "", "points3D.txt:2");
}

// COLMAP's own comments in front of the text form.
ColmapBytes announced_files(const ColmapModel& model) {
  const ColmapBytes files = text_files(model);
  return {fmt::format("# Number of cameras: {}\n", model.cameras.size()) + files[0],
          fmt::format("# Number of images: {}, mean observations per image: 1.5\n", model.images.size()) + files[1],
          fmt::format("# Number of points: {}, mean track length: 2\n", model.points.size()) + files[2]};
}

TEST(ColmapModel, TextHasAsManyRecordsAsItsCommentSays) {
  const TempFolder folder;
  const ColmapBytes whole = announced_files(small_model());
  const auto refuses = [&](size_t file, const std::string& content, const auto&... parts) {
    ColmapBytes files = whole;
    files[file] = content;
    write_model(folder.path(), files, ".txt");
    expect_error([&] { read_colmap_model(folder.path()); }, "[colmap]", parts...);
  };
  write_model(folder.path(), whole, ".txt");
  EXPECT_EQ(flat(text_files(read_colmap_model(folder.path()))), flat(text_files(small_model())));

  const auto up_to = [&](size_t file, const std::string& end) { return whole[file].substr(0, whole[file].find(end)); };
  refuses(0, up_to(0, "1 SIMPLE"), "cameras.txt:2: expected 1 cameras, as line 1 says, found 0 - truncated?");
  refuses(1, up_to(1, "4 0.5"), "images.txt:5: expected 2 images, as line 1 says, found 1 - truncated?");
  refuses(1, up_to(1, "1.5 2.25"), "images.txt:4: expected 2 images, as line 1 says, found 1 - truncated?");
  refuses(2, up_to(2, "9 0.1"), "points3D.txt:2: expected 1 points, as line 1 says, found 0 - truncated?");
  refuses(2, "# Number of points: 0\n" + text_files(small_model())[2], "points3D.txt:3: expected 0 points", "found 1");
}

TEST(ColmapModel, CommentsWithoutACountPromiseNothing) {
  const TempFolder folder;
  for (const char* comment : {"# Number of points: many", "# Number of points: -5", "# Number of points:",
                              "# Number of points: 5 or so", "# Number of points", "# Number of images: 5"}) {
    ColmapBytes files = text_files(small_model());
    files[2] = comment;
    write_model(folder.path(), files, ".txt");
    EXPECT_TRUE(read_colmap_model(folder.path()).points.empty()) << comment;
  }
}

TEST(ColmapModel, APoint2DMayNameAPointThatIsGone) {
  const TempFolder folder;
  ColmapModel model = small_model();
  model.points.clear();
  write_model(folder.path(), binary_files(model), ".bin");
  EXPECT_EQ(read_colmap_model(folder.path()).images[0].points[0].point, 9u);
}

void expect_binary_error(const ColmapBytes& files, const auto&... parts) {
  const TempFolder folder;
  write_model(folder.path(), files, ".bin");
  expect_error([&] { read_colmap_model(folder.path()); }, "[colmap]", parts...);
}

TEST(ColmapModel, EveryTruncationOfABinaryFileIsRefused) {
  const TempFolder folder;
  const ColmapBytes whole = binary_files(small_model());
  const std::array<std::string, 3> names = {"cameras.bin", "images.bin", "points3D.bin"};
  for (size_t file = 0; file < 3; ++file) {
    for (size_t size = 0; size < whole[file].size(); ++size) {
      ColmapBytes files = whole;
      files[file].resize(size);
      write_model(folder.path(), files, ".bin");
      expect_error([&] { read_colmap_model(folder.path()); }, names[file] + ": byte ", "expected");
    }
    ColmapBytes files = whole;
    files[file] += "x";
    expect_binary_error(files, names[file], "expected the end of the file, found 1 more bytes");
  }
}

TEST(ColmapModel, BytesThatAreWrongAreNamedByFileAndPlace) {
  const ColmapBytes whole = binary_files(small_model());
  const auto with = [&](size_t file, size_t at, const auto& value) {
    ColmapBytes files = whole;
    std::string bytes;
    put(bytes, value);
    files[file].replace(at, bytes.size(), bytes);
    return files;
  };
  const double nan = std::nan("");
  const uint64_t huge = uint64_t{1} << 62;
  expect_binary_error(with(0, 0, huge), "cameras.bin: byte 0: expected a number of cameras of 2 at most",
                      "4611686018427387904");
  expect_binary_error(with(0, 12, int32_t{11}), "cameras.bin: byte 8: expected a camera model (0 SIMPLE_PINHOLE",
                      "found 11");
  expect_binary_error(with(0, 12, int32_t{-1}), "cameras.bin: byte 8", "found -1");
  expect_binary_error(with(0, 16, huge), "1 to 1000000 pixels, found 2147483647 x 480");
  expect_binary_error(with(0, 32, nan), "cameras.bin: byte 8: expected finite camera parameters, found nan");
  expect_binary_error(with(1, 0, huge), "images.bin: byte 0: expected a number of images");
  expect_binary_error(with(1, 12, nan), "images.bin: byte 8: expected a finite rotation, found nan");
  const size_t counts = 8 + 4 + 7 * 8 + 4 + 6;  // of image 3's points
  expect_binary_error(with(1, counts, huge), "images.bin: byte 78: expected a number of points2D", "at most");
  expect_binary_error(with(1, counts + 8, nan), "images.bin: byte 8: expected finite coordinates");
  expect_binary_error(with(2, 0, huge), "points3D.bin: byte 0: expected a number of points");
  expect_binary_error(with(2, 8, kNoPoint3D), "points3D.bin: byte 8: expected the id of a point");
  expect_binary_error(with(2, 16, nan), "points3D.bin: byte 8: expected a finite position");
  expect_binary_error(with(2, 43, nan), "points3D.bin: byte 8: expected a finite reprojection error");
  expect_binary_error(with(2, 51, huge), "points3D.bin: byte 51: expected a track length of 2 at most");
  expect_binary_error(with(2, 59, uint32_t{5}),
                      "points3D.bin: byte 8: expected a track through the 2 images, found image 5");
  expect_binary_error(with(2, 63, uint32_t{2}), "points3D.bin: byte 8: expected one of the 2 points of image 3");
}

TEST(ColmapModel, AFolderWithoutAModelSaysWhatWasExpected) {
  const TempFolder folder;
  expect_error([&] { read_colmap_model(folder.path()); }, "[colmap]",
               "expected cameras, images, points3D, each as .bin");
  write_model(folder / "sparse/0", text_files(small_model()), ".txt");
  expect_error([&] { read_colmap_model(folder.path()); }, "did you mean", "sparse/0?");
  fs::rename(folder / "sparse/0/points3D.txt", folder / "sparse/0/points3D.bin");
  EXPECT_FALSE(holds_colmap_model(folder / "sparse/0"));  // a mixture is neither
  EXPECT_FALSE(holds_colmap_model(folder / "nowhere"));
}

TEST(ColmapModel, CompanionsAreLookedForInThreePlaces) {
  const std::vector<fs::path> expected = {"w/sparse/0/database.db", "w/sparse/database.db", "w/database.db"};
  EXPECT_EQ(places_near_model("w/sparse/0", "database.db"), expected);
  EXPECT_EQ(places_near_model("0", "x"), (std::vector<fs::path>{"0/x", "x", "../x"}));
  const TempFolder folder;
  EXPECT_FALSE(find_near_model(folder / "sparse/0", "x"));
  write_file_atomically(folder / "x", "");
  EXPECT_EQ(find_near_model(folder / "sparse/0", "x"), folder / "x");
  fs::create_directories(folder / "sparse/0/x");
  EXPECT_EQ(find_near_model(folder / "sparse/0", "x"), folder / "sparse/0/x");
}

}  // namespace
}  // namespace adasample
