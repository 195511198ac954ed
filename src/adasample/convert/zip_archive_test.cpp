// SPDX-License-Identifier: Apache-2.0
#include "adasample/convert/zip_archive.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstring>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

template <typename... Numbers>
std::string packed(Numbers... numbers) {
  std::string out;
  (out.append(reinterpret_cast<const char*>(&numbers), sizeof numbers), ...);
  return out;
}

// An archive of one entry "n/e", whose central record, zip64 fields and end are given by hand.
struct ByHand {
  std::string content, stored = content;
  uint16_t method = 0, flags = 0;
  uint32_t crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size())));
  uint64_t size = content.size();
  bool zip64 = false;

  std::string bytes() const {
    const std::string name = "n/e";
    const auto name_bytes = static_cast<uint16_t>(name.size());
    std::string out = packed(uint32_t{0x04034b50}, uint16_t{45}, flags, method, uint32_t{0}, crc, uint32_t{0},
                             uint32_t{0}, name_bytes, uint16_t{0});
    out += name + stored;
    const uint64_t directory = out.size(), all = 0xFFFFFFFF;
    const std::string extra =
        zip64 ? packed(uint16_t{1}, uint16_t{24}, size, uint64_t{stored.size()}, uint64_t{0}) : "";
    out += packed(uint32_t{0x02014b50}, uint32_t{0}, flags, method, uint32_t{0}, crc,
                  static_cast<uint32_t>(zip64 ? all : stored.size()), static_cast<uint32_t>(zip64 ? all : size),
                  name_bytes, static_cast<uint16_t>(extra.size()), uint16_t{0}, uint64_t{0},
                  static_cast<uint32_t>(zip64 ? all : 0));
    out += name + extra;
    const uint64_t end = out.size();
    if (zip64) {
      out += packed(uint32_t{0x06064b50}, uint64_t{44}, uint32_t{0}, uint64_t{0}, uint64_t{1}, uint64_t{1},
                    end - directory, directory);
      out += packed(uint32_t{0x07064b50}, uint32_t{0}, end, uint32_t{1});
    }
    const auto count = static_cast<uint16_t>(zip64 ? 0xFFFF : 1);
    return out + packed(uint32_t{0x06054b50}, uint32_t{0}, count, count, static_cast<uint32_t>(end - directory),
                        static_cast<uint32_t>(zip64 ? all : directory), uint16_t{0});
  }
};

std::string deflated(const std::string& content) {
  std::string out(compressBound(content.size()) + 16, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string read_one(const std::string& bytes) { return ZipArchive(bytes, "[zip] f").read("n/e"); }

TEST(ZipArchive, ReadsWhatItWrote) {
  ZipWriter writer;
  writer.add("a/data.pkl", "pickle");
  writer.add("a/data/0", std::string(100, 'x'));
  writer.add("a/empty", "");
  const std::string bytes = std::move(writer).finish();
  ZipArchive archive(bytes, "[zip] f");
  EXPECT_EQ(archive.folder_of("data.pkl"), "a/");
  EXPECT_EQ(archive.read("a/data.pkl"), "pickle");
  EXPECT_EQ(archive.read("a/data/0"), std::string(100, 'x'));
  EXPECT_EQ(archive.read("a/empty"), "");
  EXPECT_FALSE(archive.contains("a/data/1"));
  EXPECT_EQ(bytes.find("pickle") % 64, 0u);
  EXPECT_EQ(bytes.find("xxxx") % 64, 0u);
  expect_error([&] { archive.read("a/data/1"); }, "[zip] f: ", "a/data/1");
  expect_error([&] { archive.folder_of("ata.pkl"); }, "ata.pkl");
}

TEST(ZipArchive, DeflatedAndZip64) {
  const std::string text = "some text, some text, some text";
  for (const bool zip64 : {false, true}) {
    EXPECT_EQ(read_one(ByHand{.content = text, .zip64 = zip64}.bytes()), text);
    EXPECT_EQ(read_one(ByHand{.content = text, .stored = deflated(text), .method = 8, .zip64 = zip64}.bytes()), text);
  }
  EXPECT_EQ(read_one(ByHand{.content = text}.bytes().append(2, '\0').replace(ByHand{.content = text}.bytes().size() - 2,
                                                                             4, std::string("\2\0ok", 4))),
            text)
      << "a comment at the end";
}

TEST(ZipArchive, RefusesWhatIsNotSo) {
  const std::string text = "0123456789";
  const auto refused = [](const ByHand& made, const auto&... parts) {
    expect_error([&] { read_one(made.bytes()); }, "[zip] f: ", parts...);
  };
  refused({.content = text, .crc = 7}, "n/e", "checksum");
  refused({.content = text, .flags = 1}, "encrypted");
  refused({.content = text, .method = 12}, "method 12");
  refused({.content = text, .size = 9}, "10 bytes, promised 9");
  refused({.content = text, .stored = deflated(text), .method = 8, .size = 9}, "deflated");
  refused({.content = text, .stored = deflated(text), .method = 8, .size = 11}, "deflated");
  refused({.content = text, .stored = "rubbish", .method = 8}, "deflated");
  refused({.content = text, .size = uint64_t{1} << 62, .zip64 = true}, "100 times the file");
  const std::string zeros(1 << 20, '\0');
  refused({.content = zeros, .stored = deflated(zeros), .method = 8}, "100 times the file");
  std::string twice = ByHand{.content = text}.bytes();
  EXPECT_EQ(read_one(twice), text);
  twice[twice.size() - 14] = 2;  // entries on this disk ..
  twice[twice.size() - 12] = 2;  // .. and in all
  expect_error([&] { read_one(twice); }, "expected entry 2 of 2");
}

TEST(ZipArchive, AllowanceIsForAllReadsTogether) {
  const std::string zeros(10000, '\0');
  const std::string bytes = ByHand{.content = zeros, .stored = deflated(zeros), .method = 8}.bytes();
  ZipArchive archive(bytes, "[zip] f");
  EXPECT_EQ(archive.read("n/e"), zeros);
  expect_error([&] { archive.read("n/e"); }, "100 times the file");
}

TEST(ZipArchive, TruncatedAnywhere) {
  for (const bool zip64 : {false, true}) {
    const std::string whole = ByHand{.content = "0123456789", .zip64 = zip64}.bytes();
    for (size_t size = 0; size < whole.size(); ++size) {
      expect_error([&] { read_one(whole.substr(0, size)); }, "[zip] f: ");
    }
  }
}

}  // namespace
}  // namespace adasample
