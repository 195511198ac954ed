// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/hloc/hloc_h5.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <thread>

#include "adasample/base/files/file_io.h"
#include "adasample/integrate/hloc/hdf5/hdf5_object.h"
#include "adasample/integrate/hloc/hloc_matches.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
constexpr float kHalf = 0x1p-11f;  // relative accuracy of a half

PictureFeatures two_keypoints() {
  return {.name = "day/a.jpg",
          .width = 640,
          .height = 480,
          .keypoints = {{.x = 1.5, .y = 2.25, .sigma = 3, .angle = std::numbers::pi / 2, .strength = 7},
                        {.x = 600, .y = 400, .sigma = 2, .angle = -1, .strength = 5}},
          .descriptors = {0.1f, 0.2f, 0.3f, -0.1f, -0.2f, -0.3f}};
}

class HlocH5 : public ::testing::Test {
 protected:
  std::filesystem::path written(NumberType type = NumberType::kFloat32) const {
    const auto writer = make_hloc_writer(path_, 3, type);
    writer->add(two_keypoints());
    writer->add({.name = "night/\xC3\xA4.jpg", .width = 10, .height = 20, .keypoints = {}, .descriptors = {}});
    EXPECT_FALSE(std::filesystem::exists(path_));
    writer->finish();
    return path_;
  }

  // A file with one dataset of `type` and `shape`, all zero.
  void with_dataset(const std::string& name, hid_t type, const std::vector<hsize_t>& shape) const {
    std::filesystem::remove(path_);
    const Hdf5Object file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "t", "create");
    const Hdf5Object links(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "t", "set");
    H5Pset_create_intermediate_group(links.id(), 1);
    const Hdf5Object space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose, "t", "s");
    const Hdf5Object set(H5Dcreate2(file.id(), name.c_str(), type, space.id(), links.id(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Dclose, "t", "make");
  }

  GivenKeypoints read(const std::string& picture) const { return open_hloc_keypoints(path_)(picture); }

  testing::TempFolder folder_;
  std::filesystem::path path_ = folder_ / "f.h5";
};

TEST_F(HlocH5, FeaturesAreReadBackToBeMatched) {
  for (const NumberType type : {NumberType::kFloat32, NumberType::kUint8}) {
    std::filesystem::remove(path_);
    const HlocFeatures features = open_hloc_features(written(type));
    EXPECT_EQ(features.names, (std::vector<std::string>{"day/a.jpg", "night/\xC3\xA4.jpg"}));
    const DescribedPicture picture = features.read("day/a.jpg");
    EXPECT_EQ(picture.dimension, 3);
    ASSERT_EQ(picture.keypoints.size(), 2u);
    EXPECT_EQ(picture.keypoints[1].x, 600);
    for (size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(picture.descriptors[i], two_keypoints().descriptors[i], type == NumberType::kUint8 ? 0.002 : 0);
    }
    EXPECT_TRUE(features.read("night/\xC3\xA4.jpg").keypoints.empty());
    expect_error([&] { features.read("none.jpg"); }, "none.jpg: expected features of it, found none");
  }
  with_dataset("a.jpg/descriptors", H5T_IEEE_F32LE, {3, 2});
  expect_error([&] { open_hloc_features(path_).read("a.jpg"); }, "expected a group with `keypoints`");
  with_dataset("a.jpg/keypoints", H5T_IEEE_F32LE, {3, 2});
  EXPECT_TRUE(open_hloc_features(path_).names.empty());
  expect_error([&] { open_hloc_features(path_).read("a.jpg"); }, "a.jpg/descriptors: expected descriptors, found none");
}

TEST_F(HlocH5, MatchesAsHlocReadsThem) {
  auto writer = make_hloc_match_writer(path_);
  writer->add("day/a.jpg", "b.jpg", 3, std::vector<RatedMatch>{{{0, 7}, 0.5, 0.75}, {{2, 1}, 0.5, 0.25}});
  EXPECT_FALSE(std::filesystem::exists(path_));
  writer->finish();
  writer.reset();
  const Hdf5Object file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "t", "open");
  int32_t partners[3];
  float scores[3];
  const auto read = [&](const char* name, hid_t type, void* to) {
    const Hdf5Object set(H5Dopen2(file.id(), name, H5P_DEFAULT), H5Dclose, "t", "open");
    EXPECT_GE(H5Dread(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), 0);
  };
  read("day-a.jpg/b.jpg/matches0", H5T_NATIVE_INT32, partners);
  read("day-a.jpg/b.jpg/matching_scores0", H5T_NATIVE_FLOAT, scores);
  EXPECT_EQ(std::vector<int32_t>(partners, partners + 3), (std::vector<int32_t>{7, -1, 1}));
  EXPECT_EQ(std::vector<float>(scores, scores + 3), (std::vector<float>{0.25f, 0, 0.75f}));
  expect_error([&] { make_hloc_match_writer(path_); }, "already exists");
}

TEST_F(HlocH5, SaysNothingItselfWhicheverThreadWrites) {
  auto writer = make_hloc_match_writer(path_);
  writer->add("a.jpg", "b.jpg", 3, {});
  ::testing::internal::CaptureStderr();
  std::thread([&] { expect_error([&] { writer->add("a.jpg", "b.jpg", 3, {}); }, "two pictures of one name"); }).join();
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(HlocH5, KeypointsSurvive) {
  EXPECT_TRUE(have_hdf5());
  const KeypointReader reader = open_hloc_keypoints(written());
  const GivenKeypoints found = reader("day/a.jpg");
  ASSERT_EQ(found.keypoints.size(), 2u);
  EXPECT_TRUE(found.scaled && found.oriented);
  EXPECT_EQ(found.keypoints[0].x, 1.5);
  EXPECT_EQ(found.keypoints[0].y, 2.25);
  EXPECT_EQ(found.keypoints[0].sigma, 3);
  EXPECT_NEAR(found.keypoints[0].angle, std::numbers::pi / 2, 1e-6);
  EXPECT_EQ(found.keypoints[1].x, 600);
  EXPECT_TRUE(reader("night/\xC3\xA4.jpg").keypoints.empty());
  EXPECT_TRUE(reader("night/b.jpg").keypoints.empty());
  EXPECT_TRUE(reader("dusk/b.jpg").keypoints.empty());
  const std::string bytes = read_text(path_);
  const std::span span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  EXPECT_EQ(open_hloc_keypoints(span, "memory")("day/a.jpg").keypoints[1].y, 400) << "from memory";
}

TEST_F(HlocH5, IsAbsentUntilItIsComplete) {
  {
    const auto writer = make_hloc_writer(path_, 3, NumberType::kFloat32);
    writer->add(two_keypoints());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
  written();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path()), {}), 1);
  expect_error([&] { make_hloc_writer(path_, 3, NumberType::kFloat32); }, "f.h5: already exists");
}

TEST_F(HlocH5, ScalesAndOrientationsMayBeMissing) {
  with_dataset("a.jpg/keypoints", H5T_IEEE_F64LE, {4, 2});
  const GivenKeypoints found = read("a.jpg");
  EXPECT_EQ(found.keypoints.size(), 4u);
  EXPECT_FALSE(found.scaled || found.oriented);
}

TEST_F(HlocH5, RefusesOtherShapesAndTypes) {
  const auto refuses = [&](const char* name, hid_t type, const std::vector<hsize_t>& shape, const auto&... parts) {
    with_dataset(name, type, shape);
    expect_error([&] { read("a.jpg"); }, "[hloc]", "f.h5: a.jpg", parts...);
  };
  refuses("a.jpg/keypoints", H5T_IEEE_F32LE, {8}, "a.jpg/keypoints", "expected 2 dimensions, found 1");
  refuses("a.jpg/keypoints", H5T_IEEE_F32LE, {2, 2, 2}, "expected 2 dimensions, found 3");
  refuses("a.jpg/keypoints", H5T_IEEE_F32LE, {4, 3}, "rows of 2, found 4 of 3");
  refuses("a.jpg/keypoints", H5T_IEEE_F32LE, {hsize_t{1} << 40, 2}, "at most 1000000 rows", "found 1099511627776");
  refuses("a.jpg/keypoints", H5T_STD_I32LE, {4, 2}, "floating-point");
  const Hdf5Object huge(H5Tcopy(H5T_IEEE_F32LE), H5Tclose, "t", "copy");
  H5Tset_size(huge.id(), 1 << 20);
  refuses("a.jpg/keypoints", huge.id(), {4, 2}, "floating-point");
  refuses("a.jpg/keypoints/x", H5T_IEEE_F32LE, {4, 2}, "open the dataset");
  refuses("a.jpg/scales", H5T_IEEE_F32LE, {4}, "a group with `keypoints`, found none");
  refuses("a.jpg", H5T_IEEE_F32LE, {4, 2}, "a group with `keypoints`, found none");
}

TEST_F(HlocH5, RefusesWhatIsNoHdf5) {
  expect_error([&] { read("a.jpg"); }, "[file]", "f.h5", "No such file");
  for (const std::string& content : {std::string(), std::string("file,x,y\n"), std::string("\x89HDF\r\n\x1a\n")}) {
    write_file_atomically(path_, content);
    expect_error([&] { read("a.jpg"); }, "[hloc]", "f.h5", "expected an HDF5 file");
  }
}

// Cut anywhere: an Error, or what was there.
TEST_F(HlocH5, TruncatedFilesAreErrors) {
  const std::string whole = read_text(written());
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); size += 97) {
    write_file_atomically(path_, whole.substr(0, size));
    try {
      EXPECT_EQ(read("day/a.jpg").keypoints.size(), 2u) << size;
    } catch (const Error& error) {
      EXPECT_NE(error.kind(), Error::Kind::kBug);
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() / 97 / 2);
}

// Each would let the file name any other file of the user's.
TEST_F(HlocH5, OtherFilesAreNotReached) {
  with_dataset("elsewhere.jpg/keypoints", H5T_NATIVE_FLOAT, {3, 2});
  const std::filesystem::path other = folder_ / "other.h5";
  std::filesystem::rename(path_, other);
  {
    const Hdf5Object file(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose, "t", "create");
    ASSERT_GE(H5Lcreate_external(other.c_str(), "/elsewhere.jpg", file.id(), "a.jpg", H5P_DEFAULT, H5P_DEFAULT), 0);
    const Hdf5Object group(H5Gcreate2(file.id(), "b.jpg", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose, "t", "g");
    const Hdf5Object stored(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "t", "set");
    ASSERT_GE(H5Pset_external(stored.id(), other.c_str(), 0, 24), 0);
    const hsize_t shape[2] = {3, 2};
    const Hdf5Object space(H5Screate_simple(2, shape, nullptr), H5Sclose, "t", "s");
    const Hdf5Object set(
        H5Dcreate2(group.id(), "keypoints", H5T_NATIVE_FLOAT, space.id(), H5P_DEFAULT, stored.id(), H5P_DEFAULT),
        H5Dclose, "t", "make");
  }
  expect_error([&] { read("a.jpg"); }, "f.h5: a.jpg: is a link to another file");
  expect_error([&] { read("b.jpg"); }, "b.jpg/keypoints: its numbers are stored in other files");
}

TEST_F(HlocH5, APipeIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0666), 0);
  expect_error([&] { read("a.jpg"); }, "f.h5", "is a pipe");
}

TEST(HlocKeypoints, NumbersThatCannotBeAreNamed) {
  using Floats = std::vector<float>;
  const auto refuses = [](const Floats& places, const Floats& scales, const Floats& oris, const auto&... parts) {
    expect_error([&] { hloc_keypoints(places, scales, oris, "a"); }, "[hloc] a: ", parts...);
  };
  refuses({1, 2, 3, 4}, {1}, {}, "expected 2 scales", "found 1");
  refuses({1, 2, 3, 4}, {1, 1}, {1, 2, 3}, "expected 2 oris", "found 3");
  refuses({1, 2, NAN, 4}, {}, {}, "keypoint 1:", "(nan, 4)");
  refuses({1, 1e9f}, {}, {}, "keypoint 0:");
  refuses({1, 2}, {0}, {}, "scale 0");
  refuses({1, 2}, {INFINITY}, {}, "scale inf");
  refuses({1, 2}, {1}, {NAN}, "angle nan");
  EXPECT_EQ(hloc_keypoints(Floats{1, 2}, {}, Floats{180}, "a").keypoints[0].angle, std::numbers::pi);
}

// The layout as h5py sees it; hloc reads and writes by h5py.
TEST_F(HlocH5, PythonReadsIt) {
  if (std::system("/usr/bin/python3 -c 'import h5py' 2>/dev/null") != 0) GTEST_SKIP() << "no python3-h5py here";
  for (const auto& [type, dtype, tolerance] :
       {std::tuple(NumberType::kFloat32, "float32", 0.0f), std::tuple(NumberType::kFloat16, "float16", kHalf),
        std::tuple(NumberType::kUint8, "uint8", 0.5f / 320)}) {
    std::filesystem::remove(path_);
    written(type);
    write_file_atomically(folder_ / "read.py", R"(import h5py, numpy, sys
f = h5py.File(sys.argv[1], 'r')
g = f['day/a.jpg']
assert g['keypoints'][()].tolist() == [[1.5, 2.25], [600, 400]] and g['keypoints'].dtype == 'float32'
assert g['scales'][()].tolist() == [3, 2] and g['scores'][()].tolist() == [7, 5]
assert abs(g['oris'][()] - [90, -57.29578]).max() < 1e-4
assert g['image_size'][()].tolist() == [640, 480]
d = g['descriptors']
assert d.shape == (3, 2) and d.dtype == sys.argv[2], d.dtype
x = d[()].astype('float64')
if d.dtype == 'uint8':
    x = d.attrs['scale'] * (x - d.attrs['zero'])
assert abs(x - numpy.float32([[0.1, -0.1], [0.2, -0.2], [0.3, -0.3]])).max() <= float(sys.argv[3]), x
e = f['night/\u00e4.jpg']
assert e['keypoints'].shape == (0, 2) and e['descriptors'].shape == (3, 0) and list(f) == ['day', 'night']
)");
    const std::string command = "/usr/bin/python3 '" + (folder_ / "read.py").string() + "' '" + path_.string() + "' " +
                                dtype + " " + std::to_string(tolerance + 1e-6f);
    EXPECT_EQ(std::system(command.c_str()), 0) << dtype;
  }
}

}  // namespace
}  // namespace adasample
