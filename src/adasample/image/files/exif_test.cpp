// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/files/exif.h"

#include <gtest/gtest.h>

#include "adasample/base/files/file_io.h"
#include "tests/support/exif_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

std::vector<uint8_t> file_of(const std::string& name) {
  const nlohmann::json photographs = testing::golden("colmap/cameras.json")["exif"];
  for (const auto& photograph : photographs) {
    if (photograph["name"] == name) return testing::exif_file(photograph["tiff"]);
  }
  throw std::runtime_error("no such photograph");
}

bool says_nothing(const Exif& exif) {
  return exif.make.empty() && exif.model.empty() && exif.focal_35mm == 0 && exif.focal_mm == 0 &&
         exif.plane_resolution == 0 && exif.plane_unit == 0 && exif.pixel_width == 0;
}

TEST(ExifReader, ReadsBothByteOrders) {
  const Exif little = parse_exif(file_of("c_plane_inch.jpg")), big = parse_exif(file_of("b_35mm_big.jpg"));
  EXPECT_EQ(little.make, "Acme");
  EXPECT_EQ(little.model, "Zoom 9000");
  EXPECT_EQ(little.focal_mm, 12.34);
  EXPECT_EQ(little.focal_35mm, 0);
  EXPECT_NEAR(little.plane_resolution, 3000000.0 / 886, 1e-9);
  EXPECT_EQ(little.plane_unit, Exif::kInches);
  EXPECT_EQ(little.pixel_width, 3000);
  EXPECT_EQ(big.focal_35mm, 50);
  EXPECT_EQ(parse_exif(file_of("h_short_dim.jpg")).pixel_width, 2000) << "a number of two bytes";
  EXPECT_EQ(parse_exif(file_of("g_zero.jpg")).focal_mm, 0) << "0 / 0";
}

TEST(ExifReader, WhatIsMissingOrOutsideTheFileIsNotSaid) {
  const std::vector<uint8_t> whole = file_of("c_plane_inch.jpg");
  EXPECT_TRUE(says_nothing(parse_exif({})));
  for (size_t size = 0; size + 4 < whole.size(); ++size) {  // the segment is longer than what is left of it
    EXPECT_TRUE(says_nothing(parse_exif(std::span(whole).first(size)))) << size;
  }
  const auto changed = [&](size_t at, uint8_t value) {
    std::vector<uint8_t> file = whole;
    file.at(at) = value;
    return parse_exif(file);
  };
  constexpr size_t kTiff = 18;  // where the block begins
  EXPECT_TRUE(says_nothing(changed(1, 0xD9))) << "no JPEG";
  EXPECT_TRUE(says_nothing(changed(12, 'e'))) << "another application's segment";
  EXPECT_TRUE(says_nothing(changed(kTiff, 'X'))) << "no byte order";
  EXPECT_TRUE(says_nothing(changed(kTiff + 2, 43))) << "no TIFF";
  EXPECT_TRUE(says_nothing(changed(kTiff + 7, 0xFF))) << "a folder beyond the end";
  EXPECT_EQ(changed(kTiff + 12, 3).make, "") << "a number for a name";
  EXPECT_EQ(changed(kTiff + 21, 0xFF).make, "") << "a name beyond the end";
  EXPECT_EQ(changed(kTiff + 17, 0xFF).make, "") << "a name of 65,285 letters";
  EXPECT_EQ(changed(kTiff + 17, 0xFF).model, "Zoom 9000");
  std::vector<uint8_t> picture_first = whole;
  picture_first.at(3) = 0xDA;
  EXPECT_TRUE(says_nothing(parse_exif(picture_first))) << "behind the pixels";
}

TEST(ExifReader, ReadsAFile) {
  const testing::TempFolder folder;
  const std::vector<uint8_t> bytes = file_of("a_35mm.jpg");
  write_file_atomically(folder / "a.jpg", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  EXPECT_EQ(read_exif(folder / "a.jpg").focal_35mm, 28);
  write_file_atomically(folder / "b.jpg", "");
  EXPECT_TRUE(says_nothing(read_exif(folder / "b.jpg")));
  testing::expect_error([&] { read_exif(folder / "c.jpg"); }, "c.jpg");
}

}  // namespace
}  // namespace adasample
