// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/patch_rows.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/files/file_io.h"
#include "adasample/base/files/npy.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

class PatchRowsFile : public ::testing::Test {
 protected:
  std::vector<float> read(const std::string& name, int64_t patches, const std::vector<int64_t>& wanted) {
    Progress progress("test", "patches", 1);
    return rows_from_file(folder_ / name, patches).read(wanted, progress);
  }
  void write(const std::string& name, const std::vector<float>& values, const std::vector<int64_t>& shape) {
    write_npy(folder_ / name, std::span<const float>(values), shape);
  }
  testing::TempFolder folder_;
};

TEST_F(PatchRowsFile, RowsByNumberInAnyOrder) {
  write("d.npy", {0, 1, 10, 11, 20, 21}, {3, 2});
  write_file_atomically(folder_ / "d.csv", "0,1\n10,11\n20,21\n");
  // The same as numpy writes doubles: a header, then the bytes.
  const std::vector<double> doubles = {0, 1, 10, 11, 20, 21};
  write_file_atomically(folder_ / "wide.npy",
                        format_npy_header(NpyType::kFloat64, std::vector<int64_t>{3, 2}) +
                            std::string(reinterpret_cast<const char*>(doubles.data()), 6 * sizeof(double)));
  for (const char* name : {"d.npy", "d.csv", "wide.npy"}) {
    EXPECT_EQ(read(name, 3, {2, 0}), (std::vector<float>{20, 21, 0, 1})) << name;
    EXPECT_EQ(rows_from_file(folder_ / name, 3).dimension, 2) << name;
  }
}

TEST_F(PatchRowsFile, MeasuresPairs) {
  write("d.npy", {0, 0, 3, 4, 0, 1}, {3, 2});
  PatchPairs pairs;
  pairs.first = {0, 2, 0};
  pairs.second = {1, 0, 0};
  pairs.labels = {1, 0, 1};
  EXPECT_EQ(measure_pairs(pairs, rows_from_file(folder_ / "d.npy", 3)), (std::vector<double>{5, 1, 0}));
}

TEST_F(PatchRowsFile, BadFiles) {
  write("d.npy", {0, 1, NAN, 11}, {2, 2});
  EXPECT_EQ(read("d.npy", 2, {0}).size(), 2u);
  expect_error([&] { read("d.npy", 2, {0, 1}); }, "d.npy", "row 1", "finite", "nan");
  expect_error([&] { read("d.npy", 3, {0}); }, "d.npy", "expected 3 rows", "found 2");
  // Finite as doubles; squares of the first would be infinite in float32, the second is so itself.
  for (const double large : {-1.1e15, 1e300}) {
    const std::vector<double> doubles = {0, 1, 1e15, large};
    write_file_atomically(folder_ / "large.npy",
                          format_npy_header(NpyType::kFloat64, std::vector<int64_t>{2, 2}) +
                              std::string(reinterpret_cast<const char*>(doubles.data()), 4 * sizeof(double)));
    EXPECT_EQ(read("large.npy", 2, {0}).size(), 2u);
    expect_error([&] { read("large.npy", 2, {1}); }, "large.npy", "row 1", "at most 1e+15", fmt::format("{}", large));
  }
  write("flat.npy", {1, 2, 3}, {3});
  expect_error([&] { read("flat.npy", 3, {0}); }, "flat.npy", "two dimensions", "(3)");
  const std::vector<uint8_t> bytes = {1, 2};
  write_npy(folder_ / "bytes.npy", std::span<const uint8_t>(bytes), std::vector<int64_t>{2, 1});
  expect_error([&] { read("bytes.npy", 2, {0}); }, "bytes.npy", "<f4");
  write_file_atomically(folder_ / "d.csv", "1,2\n3,4\n");
  expect_error([&] { read("d.csv", 3, {0}); }, "d.csv", "expected 3 rows", "found 2");
  write_file_atomically(folder_ / "words.csv", "1,2\n3,four\n");
  expect_error([&] { read("words.csv", 2, {0}); }, "words.csv:2", "four");
  expect_error([&] { read("d.txt", 3, {0}); }, "d.txt", ".npy");
  expect_error([&] { read("missing.npy", 3, {0}); }, "missing.npy");
}

}  // namespace
}  // namespace adasample
