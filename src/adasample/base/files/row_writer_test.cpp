// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/row_writer.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <vector>

#include "adasample/base/files/npy.h"
#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::expect_error;

class Rows : public ::testing::Test {
 protected:
  // The file's bytes after rows of `dimension` were added `at_once` at a time.
  std::string written(const std::string& name, const std::vector<float>& values, int dimension, size_t at_once,
                      NumberType type = NumberType::kFloat32) {
    const auto width = static_cast<size_t>(dimension);
    fs::remove(folder_ / name);
    RowWriter writer(folder_ / name, dimension, type);
    for (size_t begin = 0; begin < values.size(); begin += at_once * width) {
      writer.add(std::span(values).subspan(begin, std::min(at_once * width, values.size() - begin)));
    }
    EXPECT_FALSE(fs::exists(folder_ / name));
    writer.finish();
    return read_text(folder_ / name);
  }
  bool nothing_left() const { return fs::is_empty(folder_.path()); }

  testing::TempFolder folder_;
};

// The header is that of numpy.save(numpy.zeros((3, 2), 'f4')), numpy 1.24.
TEST_F(Rows, NpyIsNumpysByteForByte) {
  const std::vector<float> values = {1, -2, 0.5f, 1e-40f, 3e38f, -0.f};
  std::string expected("\x93NUMPY\x01\x00\x76\x00", 10);
  expected += "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
  expected += std::string(127 - expected.size(), ' ') + '\n';
  expected.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  for (const size_t at_once : {1, 2, 3}) EXPECT_EQ(written("a.npy", values, 2, at_once), expected) << at_once;
  const NpyFile read(folder_ / "a.npy");
  EXPECT_EQ(read.shape(), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(read.data<float>()[3], 1e-40f);
}

TEST_F(Rows, CsvIsNumbersBetweenCommas) {
  for (const size_t at_once : {1, 2}) {
    EXPECT_EQ(written("a.csv", {1, -0.5f, 0.1f, 0, 1e-10f, 128}, 3, at_once),
              "1,-0.5,0.100000001\n0,1.00000001e-10,128\n");
  }
}

TEST_F(Rows, OtherTypes) {
  const std::vector<float> values = {0.25f, -0.25f, 0.1f, 1};
  EXPECT_EQ(written("a.csv", values, 2, 1, NumberType::kUint8), "208,48\n160,255\n");
  EXPECT_EQ(written("a.csv", values, 2, 1, NumberType::kFloat16), "0.25,-0.25\n0.0999755859,1\n");
  written("a.npy", values, 2, 1, NumberType::kUint8);
  const NpyFile bytes(folder_ / "a.npy");
  EXPECT_EQ(bytes.shape(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(bytes.data<uint8_t>()[2], 160);
  const std::string halves = written("h.npy", values, 2, 1, NumberType::kFloat16);
  EXPECT_NE(halves.find("'descr': '<f2', 'fortran_order': False, 'shape': (2, 2)"), std::string::npos);
  EXPECT_EQ(halves.substr(kNpyHeaderSize), std::string("\x00\x34\x00\xB4\x66\x2E\x00\x3C", 8));
}

// Any float32, read as a double that is then rounded. Of 7.0385307e-26 the shortest digits, 7.038531e-26, would not do.
TEST_F(Rows, CsvGivesTheSameFloatsBack) {
  using Limits = std::numeric_limits<float>;
  std::vector<float> values = {7.0385307e-26f, -0.f, Limits::max(), Limits::min(), Limits::denorm_min(), 16777217.f};
  RngStream stream(RngKey(1, Draw::kView));
  while (values.size() < 20'000) {
    const float value = std::bit_cast<float>(static_cast<uint32_t>(stream.index(int64_t{1} << 32)));
    if (std::isfinite(value)) values.push_back(value);
  }
  std::istringstream text(written("a.csv", values, 2, 1000));
  for (size_t i = 0; i < values.size(); ++i) {
    std::string field;
    std::getline(text, field, i % 2 == 0 ? ',' : '\n');
    const float read = static_cast<float>(std::strtod(field.c_str(), nullptr));
    ASSERT_EQ(std::bit_cast<uint32_t>(read), std::bit_cast<uint32_t>(values[i])) << field;
  }
}

TEST_F(Rows, OtherEndingsAreBadUsage) {
  for (const char* name : {"a.txt", "a", "a.npy.gz", "a.NPY"}) {
    try {
      const RowWriter writer(folder_ / name, 1);
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::kUsage);
    }
    expect_error([&] { row_format(folder_ / name); }, name, ".npy", ".csv");
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(Rows, WithoutFinishNothingIsLeft) {
  for (const char* name : {"a.npy", "a.csv"}) {
    RowWriter writer(folder_ / name, 2);
    expect_error([&] { writer.finish(); }, "[bug]");  // no row
    writer.add(std::vector<float>(4));
    expect_error([&] { writer.add(std::vector<float>{0, NAN}); }, "[rows]", name, "row 2", "found nan");
    expect_error([&] { writer.add(std::vector<float>{-INFINITY, 0}); }, "row 2", "found -inf");
    expect_error([&] { writer.add(std::vector<float>(3)); }, "[bug]");  // half a row
  }
  EXPECT_TRUE(nothing_left());
}

TEST_F(Rows, NothingIsOverwritten) {
  write_file_atomically(folder_ / "a.csv", "mine");
  expect_error([&] { RowWriter(folder_ / "a.csv", 1); }, "a.csv: already exists");
  {
    RowWriter writer(folder_ / "late.csv", 1);
    writer.add(std::vector<float>{1});
    write_file_atomically(folder_ / "other", "mine");
    fs::rename(folder_ / "other", folder_ / "late.csv");  // somebody else was quicker
    expect_error([&] { writer.finish(); }, "late.csv: already exists");
  }
  EXPECT_EQ(read_text(folder_ / "a.csv"), "mine");
  EXPECT_EQ(read_text(folder_ / "late.csv"), "mine");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator()), 2);
}

// A limit on the size of files stands in for a full disk.
TEST_F(Rows, AFullDiskIsOneLineAndLeavesNothing) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {1 << 16, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  for (const char* name : {"a.npy", "a.csv"}) {
    expect_error(
        [&] {
          RowWriter writer(folder_ / name, 128);
          for (int i = 0; i < 1000; ++i) writer.add(std::vector<float>(128, 0.1f));
          writer.finish();
        },
        "[file]", name, "cannot be written");
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_TRUE(nothing_left());
}

}  // namespace
}  // namespace adasample
