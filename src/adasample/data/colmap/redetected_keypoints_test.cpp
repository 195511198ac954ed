// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/redetected_keypoints.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/features/describe/picture_file.h"
#include "adasample/image/files/pgm.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_images.h"

namespace adasample {
namespace {

TEST(RedetectedKeypoints, TakeTheScaleOfWhatIsFoundThere) {
  const testing::TempFolder folder;
  write_pgm(folder / "a.pgm", testing::blob_scene());
  const std::vector<Keypoint> there =
      PictureFile(folder / "a.pgm", {.features = {.detector = "dog", .max_keypoints = 20}, .as_stored = true}).detect();
  ASSERT_GE(there.size(), 10u);
  ColmapModel model;
  ColmapImage image;
  image.id = 1;
  image.name = "a.pgm";
  for (const Keypoint& k : there) image.points.push_back({k.x + 0.5 + 0.6, k.y + 0.5 - 0.6, 1});  // within reach
  image.points.push_back({there[0].x + 0.5, there[0].y + 0.5, kNoPoint3D});
  image.points.push_back({-40, -40, 1});
  model.images.push_back(image);
  const std::vector<Keypoint> found = redetect_keypoints(model, folder.path())("a.pgm");
  ASSERT_EQ(found.size(), image.points.size());
  size_t same = 0;
  for (size_t i = 0; i < there.size(); ++i) {
    EXPECT_EQ(found[i].x, image.points[i].x - 0.5) << "where the model has it";
    same += std::abs(found[i].sigma / there[i].sigma - 1) < 0.01 ? 1 : 0;
  }
  EXPECT_GE(same, there.size() * 9 / 10) << "a stronger one may be nearer";
  EXPECT_LT(found[there.size()].sigma, 0) << "it has no point";
  EXPECT_LT(found[there.size() + 1].sigma, 0) << "nothing is there";
}

}  // namespace
}  // namespace adasample
