// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_camera.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/support/exif_file.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"

namespace adasample {
namespace {

constexpr int kWidth = 1200, kHeight = 800;  // of the golden file

TEST(ColmapCamera, IsColmapsOwnForEveryModel) {
  const nlohmann::json expected = testing::golden("colmap/cameras.json")["models"];
  ASSERT_EQ(expected.size(), colmap_camera_models().size());
  for (const auto& [name, camera] : expected.items()) {
    const FirstCamera first = first_camera(colmap_camera_model(name), kWidth, kHeight, {});
    EXPECT_EQ(first.camera.model, camera["model"]) << name;
    EXPECT_EQ(first.camera.parameters, camera["params"].get<std::vector<double>>()) << name;
    EXPECT_FALSE(first.focal_known);
    EXPECT_EQ(first.key, "");
  }
  testing::expect_error([] { colmap_camera_model("LOMO"); }, "\"LOMO\"", "SIMPLE_PINHOLE, PINHOLE", "FOV");
}

TEST(ColmapCamera, FocalLengthsAreThoseColmapReadsFromExif) {
  const nlohmann::json photographs = testing::golden("colmap/cameras.json")["exif"];
  ASSERT_EQ(photographs.size(), 9u);
  for (const auto& photograph : photographs) {
    const Exif exif = parse_exif(testing::exif_file(photograph["tiff"]));
    const FirstCamera first = first_camera(colmap_camera_model("SIMPLE_RADIAL"), kWidth, kHeight, exif);
    const auto expected = photograph["params"].get<std::vector<double>>();
    // Photograph e and its twin i took over the camera of d, of the same key; see the next test.
    const bool borrowed = photograph["camera"] == 4 && exif.plane_unit == 0;
    if (!borrowed) {
      ASSERT_EQ(first.camera.parameters.size(), expected.size());
      EXPECT_NEAR(first.camera.parameters[0], expected[0], 1e-9 * expected[0]) << photograph["name"];
      EXPECT_EQ(first.focal_known, photograph["prior_focal_length"] == 1) << photograph["name"];
    }
  }
}

TEST(ColmapCamera, PhotographsOfOneLensHaveOneCameraAsInColmap) {
  std::map<std::string, std::set<int>> cameras;  // of COLMAP, by our key
  const nlohmann::json photographs = testing::golden("colmap/cameras.json")["exif"];
  for (const auto& photograph : photographs) {
    const Exif exif = parse_exif(testing::exif_file(photograph["tiff"]));
    const std::string key = first_camera(0, kWidth, kHeight, exif).key;
    if (!key.empty()) cameras[key].insert(photograph["camera"].get<int>());
  }
  EXPECT_EQ(cameras.size(), 3u);
  for (const auto& [key, ids] : cameras) EXPECT_EQ(ids.size(), 1u) << key;
  Exif exif{.make = "Acme", .model = "Zoom", .focal_mm = 35};
  const std::string key = first_camera(0, kWidth, kHeight, exif).key;
  EXPECT_NE(first_camera(0, kHeight, kWidth, exif).key, key);
  exif.focal_mm = 36;
  EXPECT_NE(first_camera(0, kWidth, kHeight, exif).key, key);
  exif.model = "";
  EXPECT_EQ(first_camera(0, kWidth, kHeight, exif).key, "");
}

}  // namespace
}  // namespace adasample
