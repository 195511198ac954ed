// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <thread>

#include "adasample/base/files/file_io.h"
#include "adasample/model/random_weights.h"
#include "adasample/model/weights.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;
using testing::TempFolder;

std::string with_length(uint64_t length, const std::string& rest) {
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &length, 8);
  return bytes + rest;
}

// A file with this header and `data_size` zero bytes of data.
std::string file_of(const std::string& header, size_t data_size = 0) {
  return with_length(header.size(), header) + std::string(data_size, '\0');
}

Weights parse(const std::string& bytes) { return parse_safetensors(bytes, "m.safetensors"); }

template <typename... Parts>
void expect_refused(const std::string& bytes, const Parts&... parts) {
  expect_error([&] { parse(bytes); }, "[safetensors] m.safetensors: ", parts...);
}

// One array called "a" with this entry.
std::string one_array(const std::string& dtype, const std::string& shape, const std::string& offsets,
                      size_t data_size) {
  return file_of(fmt::format(R"({{"a":{{"dtype":"{}","shape":{},"data_offsets":{}}}}})", dtype, shape, offsets),
                 data_size);
}

Weights small_weights() {
  Weights weights;
  weights.metadata = {{"architecture", "l2net"}, {"note", "quotes \" and \n newline, caf\u00e9"}};
  weights.arrays["features.0.weight"] = {{2, 1, 1, 2}, {1.5f, -0.0f, 0x1.fffffep127f, 0x1p-149f}};
  weights.arrays["features.1.num_batches_tracked"] = {{}, {12345.0f}};
  weights.arrays["features.1.running_mean"] = {{3}, {0.1f, INFINITY, -INFINITY}};
  weights.arrays["empty"] = {{0, 4}, {}};
  weights.arrays["scalar"] = {{}, {3.25f}};
  return weights;
}

TEST(Safetensors, RoundTripIsExact) {
  const Weights weights = small_weights();
  const std::string bytes = format_safetensors(weights);
  const Weights again = parse(bytes);
  EXPECT_EQ(again, weights);
  EXPECT_TRUE(std::signbit(again.at("features.0.weight").values[1]));
  EXPECT_EQ(format_safetensors(again), bytes);

  const TempFolder folder;
  save_safetensors(weights, folder / "w.safetensors");
  EXPECT_EQ(load_safetensors(folder / "w.safetensors"), weights);
}

TEST(Safetensors, WritesWhatOthersExpect) {
  Weights weights;
  weights.metadata["by"] = "us";
  weights.arrays["x.num_batches_tracked"] = {{}, {7.0f}};
  weights.arrays["b"] = {{1, 2}, {1.0f, 2.0f}};
  const std::string header = R"({"__metadata__":{"by":"us"},"b":{"data_offsets":[0,8],"dtype":"F32","shape":[1,2]},)"
                             R"("x.num_batches_tracked":{"data_offsets":[8,16],"dtype":"I64","shape":[]}})";
  const std::string bytes = format_safetensors(weights);
  EXPECT_EQ(bytes[0] % 8, 0);
  EXPECT_EQ(bytes.substr(8, header.size()), header);
  EXPECT_EQ(bytes.find_first_not_of(' ', 8 + header.size()), bytes.size() - 16);
  EXPECT_EQ(bytes.substr(bytes.size() - 8), std::string("\7\0\0\0\0\0\0\0", 8));
}

TEST(Safetensors, RefusesToWriteNonsense) {
  const auto format_one = [](const std::string& name, const NamedArray& array) {
    Weights weights;
    weights.arrays[name] = array;
    format_safetensors(weights);
  };
  expect_error([&] { format_one("a", {{2}, {1.0f}}); }, "a", "expected 2 values", "found 1");
  expect_error([&] { format_one("a", {{-1}, {}}); }, "a", "negative");
  expect_error([&] { format_one("__metadata__", {{1}, {1.0f}}); }, "__metadata__");
  expect_error([&] { format_one("bn.num_batches_tracked", {{}, {0.5f}}); }, "whole number");
  expect_error([&] { format_one("bn.num_batches_tracked", {{}, {NAN}}); }, "whole number");
  expect_error([&] { format_one("bn.num_batches_tracked", {{2}, {1.0f, 2.0f}}); }, "whole number");
  expect_error([&] { format_one("\xFF", {{1}, {1.0f}}); }, "UTF-8");
}

TEST(Safetensors, ReadsTheOtherDtypes) {
  std::string half = one_array("F16", "[2]", "[0,4]", 0) + std::string("\x00\x3C\x00\xC0", 4);
  EXPECT_EQ(parse(half).at("a").values, (std::vector<float>{1.0f, -2.0f}));
  std::string bfloat = one_array("BF16", "[2]", "[0,4]", 0) + std::string("\x80\x3F\x49\xC0", 4);
  EXPECT_EQ(parse(bfloat).at("a").values, (std::vector<float>{1.0f, -3.140625f}));
  std::string wide = one_array("F64", "[1]", "[0,8]", 0) + std::string("\x00\x00\x00\x00\x00\x00\xF8\x3F", 8);
  EXPECT_EQ(parse(wide).at("a").values, std::vector<float>{1.5f});
  std::string counter = one_array("I64", "[]", "[0,8]", 0) + std::string("\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
  EXPECT_EQ(parse(counter).at("a"), (NamedArray{{}, {-2.0f}}));
}

TEST(Safetensors, HalvesOnlyWhatIsLarge) {
  Weights weights;
  weights.arrays["w"] = {{2, 2}, {1.0f, 0.1f, -65504.0f, 1e-8f}};
  weights.arrays["w.running_var"] = {{2}, {1e-6f, 0.1f}};
  weights.arrays["w.num_batches_tracked"] = {{}, {7.0f}};
  const std::string bytes = format_safetensors(weights, FloatType::kFloat16);
  const Weights again = parse(bytes);
  EXPECT_EQ(again.at("w").values, (std::vector<float>{1.0f, 0.0999755859375f, -65504.0f, 0.0f}));
  EXPECT_EQ(again.at("w.running_var"), weights.at("w.running_var"));
  EXPECT_EQ(again.at("w.num_batches_tracked"), weights.at("w.num_batches_tracked"));
  EXPECT_EQ(format_safetensors(again, FloatType::kFloat16), bytes);
  for (const float value : {65505.0f, -INFINITY, NAN}) {
    weights.arrays["w"].values[3] = value;
    expect_error([&] { format_safetensors(weights, FloatType::kFloat16); }, "w: ", "does not fit into float16");
  }
}

TEST(Safetensors, NoArraysAndPaddingAreFine) {
  EXPECT_EQ(parse(file_of("{}")), Weights{});
  EXPECT_EQ(parse(file_of(R"({"__metadata__":{}}     )")), Weights{});
}

TEST(Safetensors, RefusesBadHeaderLengths) {
  expect_refused("", "at least 8 bytes, found 0");
  expect_refused("1234567", "found 7");
  expect_refused(with_length(3, "{}"), "header of 3 bytes, found 2", "truncated");
  expect_refused(with_length(100'000'001, "{}"), "exceeds 100000000");
  expect_refused(with_length(std::numeric_limits<uint64_t>::max(), "{}"), "exceeds");
  expect_refused(with_length(0, "{}"), "not JSON");
}

TEST(Safetensors, RefusesBadJson) {
  expect_refused(file_of("{"), "not JSON", "byte 2 of 1");
  expect_refused(file_of("{}x"), "not JSON");
  expect_refused(file_of("{\"\xFF\":1}"), "not JSON");
  expect_refused(file_of("[]"), "JSON object", "array");
  expect_refused(file_of(R"({"a":1e999})"), "number out of range");
  expect_refused(file_of(std::string(100'000, '[')), "nested deeper");
  expect_refused(file_of(R"({"a":)" + std::string(100'000, '[') + "}"), "nested deeper");
}

TEST(Safetensors, RefusesDuplicateKeys) {
  const std::string entry = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  expect_refused(file_of("{" + entry + "," + entry + "}", 4), "\"a\" occurs twice");
  expect_refused(file_of(R"({"a":{"dtype":"F32","dtype":"F16","shape":[],"data_offsets":[0,4]}})", 4), "\"dtype\"",
                 "twice");
}

// With a look through all arrays for each of them this would take minutes.
TEST(Safetensors, ManyArraysAreNoTrouble) {
  constexpr int kCount = 100'000;
  std::string header;
  for (int i = 0; i < kCount; ++i) {
    header += fmt::format(R"({}"{}":{{"dtype":"F32","shape":[1],"data_offsets":[{},{}]}})", i == 0 ? "{" : ",", i,
                          4 * i, 4 * i + 4);
  }
  EXPECT_EQ(parse(file_of(header + "}", 4 * kCount)).arrays.size(), static_cast<size_t>(kCount));
}

TEST(Safetensors, RefusesBadMetadata) {
  expect_refused(file_of(R"({"__metadata__":{"epoch":3}})"), "\"epoch\"", "expected a string, found number");
  expect_refused(file_of(R"({"__metadata__":"x"})"), "expected __metadata__ to be an object, found string");
}

TEST(Safetensors, RefusesBadEntries) {
  expect_refused(file_of(R"({"a":3})"), "array \"a\"", "expected an object, found number");
  expect_refused(file_of(R"({"a\nb":{}})"), R"(array "a\nb")", "dtype");
  expect_refused(file_of(R"({"a":{"dtype":4,"shape":[],"data_offsets":[0,4]}})", 4), "string \"dtype\"");
  expect_refused(file_of(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4), "array \"shape\"");
  expect_refused(file_of(R"({"a":{"dtype":"F32","shape":[1]}})", 4), "array \"data_offsets\"");
  expect_refused(one_array("I32", "[1]", "[0,4]", 4), "F32, F16, BF16 or I64", "\"I32\"");
  expect_refused(one_array("F32", "[-1]", "[0,4]", 4), "\"shape\"", "found -1");
  expect_refused(one_array("F32", "[1.5]", "[0,4]", 4), "\"shape\"", "found 1.5");
  expect_refused(one_array("F32", "[[1]]", "[0,4]", 4), "nested deeper");
  expect_refused(one_array("F32", "[1]", "[0]", 4), "two data_offsets, found 1");
  expect_refused(one_array("F32", "[1]", "[0,4,8]", 4), "two data_offsets, found 3");
}

TEST(Safetensors, RefusesBadOffsets) {
  expect_refused(one_array("F32", "[2]", "[0,8]", 4), "ends at byte 8", "data has 4", "truncated");
  expect_refused(one_array("F32", "[1]", "[4,0]", 4), "reversed");
  expect_refused(one_array("F32", "[2]", "[0,4]", 4), "expected 8 bytes of F32 for shape [2], found 4");
  expect_refused(one_array("F32", "[1]", "[0,18446744073709551615]", 4), "ends at byte 18446744073709551615");
  expect_refused(one_array("F32", "[1]", "[0,18446744073709551616]", 4), "whole numbers");
  expect_refused(one_array("F32", "[4294967296,4294967296]", "[0,0]", 0), "overflows 64 bits");
  expect_refused(one_array("F32", "[18446744073709551615]", "[0,4]", 4), "overflows 64 bits");
}

TEST(Safetensors, RefusesOverlapsAndGaps) {
  const std::string a = R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)";
  expect_refused(file_of(a + R"("b":{"dtype":"F32","shape":[2],"data_offsets":[4,12]}})", 12), "\"b\" overlaps");
  expect_refused(file_of(a + R"("b":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8), "overlaps");
  expect_refused(file_of(a + R"("b":{"dtype":"F32","shape":[1],"data_offsets":[12,16]}})", 16),
                 "bytes 8 to 12 belong to no");
  expect_refused(one_array("F32", "[1]", "[0,4]", 6), "bytes 4 to 6 belong to no array");
}

TEST(Safetensors, MissingFileIsNamed) {
  expect_error([] { load_safetensors("/nonexistent/w.safetensors"); }, "/nonexistent/w.safetensors", "No such file");
}

// Cut by somebody as soon as it is mapped: an Error, or all of it if that came too late; never the end of the program.
TEST(Safetensors, AFileThatShrinksWhileItIsReadIsAnError) {
  const TempFolder folder;
  const std::string file = folder / "w.safetensors";
  const Weights weights = random_weights(l2net(), 1);
  bool lost = false;
  for (int tries = 0; tries < 100 && !lost; ++tries) {
    save_safetensors(weights, file);
    std::atomic<bool> done = false;
    std::thread cutter([&] {
      while (!done && read_text("/proc/self/maps").find(file) == std::string::npos) std::this_thread::yield();
      std::filesystem::resize_file(file, 100'000);
    });
    try {
      EXPECT_EQ(load_safetensors(file), weights);
    } catch (const Error& e) {
      lost = std::string(e.what()).find("w.safetensors: was truncated") != std::string::npos;
      EXPECT_TRUE(lost) << e.what();
    }
    done = true;
    cutter.join();
  }
  EXPECT_TRUE(lost) << "never cut in time";
}

}  // namespace
}  // namespace adasample
