// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/npy.h"

#include <gtest/gtest.h>

#include <limits>

#include "adasample/base/files/file_io.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

std::span<const uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// A file of the given version around a header dict.
std::string npy(const std::string& dict, const std::string& data, int version = 1) {
  std::string file = "\x93NUMPY";
  file +=
      {static_cast<char>(version), '\0', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  if (version > 1) file += std::string(2, '\0');
  return file + dict + data;
}

NpyHeader parse(const std::string& file) { return parse_npy_header(bytes_of(file), "x.npy"); }

TEST(Npy, ReadsEveryVersionAndLayoutOfTheDict) {
  const std::string dict = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }   \n";
  for (const int version : {1, 2, 3}) {
    const NpyHeader header = parse(npy(dict, "abcdef", version));
    EXPECT_EQ(header.type, NpyType::kUint8);
    EXPECT_EQ(header.shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(header.data_size, 6u);
  }
  EXPECT_EQ(parse(npy(R"({"shape":(1,),"fortran_order":False,"descr":"<i8"})", "01234567")).type, NpyType::kInt64);
  EXPECT_TRUE(parse(npy("{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "0123")).shape.empty());
  EXPECT_EQ(parse(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9)}", "")).data_size, 0u);
}

TEST(Npy, RefusalsSayWhy) {
  const auto refuses = [](const std::string& file, const std::string& why) {
    expect_error([&] { parse(file); }, "[npy] x.npy", why);
  };
  refuses("", "does not start like a .npy file");
  refuses("PK\x03\x04 a zip file", "does not start like a .npy file");
  refuses(npy("{}", "", 4), "format version 4, expected 1, 2 or 3");
  refuses(npy("{}", ""), "is missing");
  refuses(npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "0123"), "dtype '>f4', expected one of");
  refuses(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "0123"), "structured dtype");
  refuses(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2)}", "0123"), "Fortran order, expected C order");
  refuses(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (-4,)}", "0123"), "expected a dimension");
  refuses(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (5,)}", "0123"), "5 bytes of data expected, 4 found");
  refuses(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (3,)}", "0123"), "several arrays");
  refuses(npy("{'descr': '|u1', 'descr': '|u1'}", ""), "repeated key");
  refuses(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x", "0"), "closing brace");
  const std::string huge = "{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}";
  refuses(npy(huge, ""), "beyond 63 bits");
  refuses(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}", ""), "beyond 64 bits");
  refuses(npy("{'descr': '|u1'", "").substr(0, 12), "header of 15 bytes expected, 2 found");
}

TEST(Npy, WritesWhatItReads) {
  const TempFolder folder;
  const std::vector<float> values = {1.5f, -2.f, 3.f, 4.f, 5.f, 6.25f};
  write_npy(folder / "f.npy", values, std::vector<int64_t>{2, 3});
  const NpyFile file(folder / "f.npy");
  EXPECT_EQ(file.shape(), (std::vector<int64_t>{2, 3}));
  const std::span<const float> read = file.data<float>();
  EXPECT_EQ(std::vector<float>(read.begin(), read.end()), values);
  expect_error([&] { file.data<int64_t>(); }, "f.npy", "dtype '<f4', expected '<i8'");

  write_npy(folder / "i.npy", std::vector<int64_t>{7, -8}, std::vector<int64_t>{2});
  EXPECT_EQ(NpyFile(folder / "i.npy").data<int64_t>()[1], -8);
  write_npy(folder / "u.npy", std::vector<uint8_t>{7, 255}, std::vector<int64_t>{1, 2, 1});
  EXPECT_EQ(NpyFile(folder / "u.npy").data<uint8_t>()[1], 255);
}

TEST(Npy, MisalignedElementsAreRefused) {
  const TempFolder folder;
  write_file_atomically(folder / "m.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "0123"));
  expect_error([&] { NpyFile(folder / "m.npy").data<float>(); }, "data begins at byte 65, expected a multiple of 4");
}

// As numpy.save(numpy.zeros(5, 'i8')) begins, and of fixed size whatever the count.
TEST(Npy, HeaderIsNumpysAndOfFixedSize) {
  const std::string header = format_npy_header(NpyType::kInt64, std::vector<int64_t>{5});
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(header.substr(10, 60), "{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }   ");
  EXPECT_EQ(header.back(), '\n');
  const int64_t most = std::numeric_limits<int64_t>::max();
  for (const int64_t count : {int64_t{0}, int64_t{1000000}, most}) {
    EXPECT_EQ(format_npy_header(NpyType::kUint8, std::vector<int64_t>{count, 4096, 4096}).size(), kNpyHeaderSize);
  }
  const std::string large = format_npy_header(NpyType::kUint8, std::vector<int64_t>{most, most, most, most, most});
  EXPECT_EQ(large.size() % 64, 0u);
}

}  // namespace
}  // namespace adasample
