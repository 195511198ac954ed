// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/colmap/redetected_keypoints.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "adasample/base/error.h"
#include "adasample/features/describe/picture_file.h"

namespace adasample {
namespace {

constexpr double kHalfPixel = 0.5;  // COLMAP's first pixel centre is (1/2, 1/2), ours (0, 0)

// Many and faint: the model has found its points already, and only their scales are asked for.
const PictureOptions kSearch = {.features = {.detector = "dog", .max_keypoints = 50000, .min_contrast = 0.005},
                                .max_side = 3200,
                                .as_stored = true};

class Found {
 public:
  explicit Found(std::vector<Keypoint> keypoints) : keypoints_(std::move(keypoints)) {
    for (size_t i = 0; i < keypoints_.size(); ++i) cells_[cell(keypoints_[i].x, keypoints_[i].y)].push_back(i);
  }

  // Null: none near enough.
  const Keypoint* nearest(double x, double y) const {
    const Keypoint* best = nullptr;
    double least = kFoundAgain * kFoundAgain;
    const auto [column, row] = cell(x, y);
    for (int64_t c = column - 1; c <= column + 1; ++c) {
      for (int64_t r = row - 1; r <= row + 1; ++r) {
        const auto in_cell = cells_.find({c, r});
        if (in_cell == cells_.end()) continue;
        for (const size_t i : in_cell->second) {  // strongest first, which stays where two are as near
          const Keypoint& k = keypoints_[i];
          const double square = (k.x - x) * (k.x - x) + (k.y - y) * (k.y - y);
          if (square < least || (best == nullptr && square == least)) {
            least = square;
            best = &k;
          }
        }
      }
    }
    return best;
  }

 private:
  static std::pair<int64_t, int64_t> cell(double x, double y) {
    return {static_cast<int64_t>(std::floor(x / kFoundAgain)), static_cast<int64_t>(std::floor(y / kFoundAgain))};
  }

  std::vector<Keypoint> keypoints_;
  std::map<std::pair<int64_t, int64_t>, std::vector<size_t>> cells_;
};

}  // namespace

ColmapKeypoints redetect_keypoints(const ColmapModel& model, const std::filesystem::path& images) {
  return [&model, images](const std::string& name) {
    const auto image = std::find_if(model.images.begin(), model.images.end(),
                                    [&](const ColmapImage& candidate) { return candidate.name == name; });
    ADA_ASSERT(image != model.images.end());
    const Found found(PictureFile(images / name, kSearch).detect());
    std::vector<Keypoint> keypoints;
    for (const ColmapPoint2D& place : image->points) {
      Keypoint k{.x = place.x - kHalfPixel, .y = place.y - kHalfPixel, .sigma = -1};
      const Keypoint* near = place.point == kNoPoint3D ? nullptr : found.nearest(k.x, k.y);
      if (near != nullptr) {
        k.sigma = near->sigma;
        k.angle = near->angle;
        k.strength = near->strength;
      }
      keypoints.push_back(k);
    }
    return keypoints;
  };
}

}  // namespace adasample
