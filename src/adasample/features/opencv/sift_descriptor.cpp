// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/opencv/sift_descriptor.h"

#include <algorithm>
#include <cmath>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/features/region.h"

namespace adasample {
namespace {

// A baseline should be as good as it gets. For a keypoint that is handed in, OpenCV smooths the image to the sigma
// given to SIFT::create, takes gradients at the resolution that KeyPoint::octave names (0: as is, -1: doubled) and lays
// a grid of 4x4 bins, 12 keypoint sigmas wide, around the keypoint. FPR95 of RootSIFT, 32x32 patches; A: 3372 points of
// real homography sequences, moderate jitter; B: 4322 of photographs, strong jitter and noise:
//   patch width  smoothed to        resolution   A      B
//   12 sigma     1.6 pixels         as is        0.242  0.182   OpenCV's own smoothing
//   12 sigma     1/12 of the width  as is        0.204  0.152   the grid covers the patch, smoothing = sigma
//   10 sigma     1/12 of the width  as is        0.185  0.148
//   10 sigma     1/12 of the width  doubled      0.181  0.140   this one
// The grid then reaches beyond the patch by a tenth of its width on each side, where OpenCV counts nothing.
constexpr float kSigmasPerPatch = 10;
constexpr double kPatchSmoothing = 2.0 / 12;  // of the patch width, in pixels of the doubled image
constexpr int kOctave = -1 & 0xFF;            // OpenCV packs octave and layer into bytes

// OpenCV's defaults; with a keypoint handed in only the layers matter, and only for the time.
constexpr int kKeypoints = 0, kPatchLayers = 3;
constexpr double kContrast = 0.04, kPatchEdge = 10;

constexpr int kMinSize = 8;     // OpenCV 4.6 writes past its buffers for patches below 5x5
constexpr int64_t kChunk = 64;  // patches that share one cv::SIFT

void scale_to_unit_norm(std::span<float> values) {
  double sum = 0;
  for (const float v : values) sum += double{v} * v;
  if (sum == 0) return;
  const double scale = 1 / std::sqrt(sum);
  for (float& v : values) v = static_cast<float>(v * scale);
}

class SiftDescriptor : public Descriptor {
 public:
  explicit SiftDescriptor(bool root) : root_(root) {}

  std::string name() const override { return root_ ? "rootsift" : "sift"; }
  int dimension() const override { return kDescriptorSize; }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    ADA_CHECK(size >= kMinSize, "[sift] expected patches of at least {0}x{0} pixels, found {1}x{1}", kMinSize, size);
    const size_t pixels = static_cast<size_t>(size) * static_cast<size_t>(size);
    ADA_ASSERT(patches.size() == static_cast<size_t>(count) * pixels);
    ADA_ASSERT(out.size() == static_cast<size_t>(count) * kDescriptorSize);
    parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
      const auto sift = cv::SIFT::create(kKeypoints, kPatchLayers, kContrast, kPatchEdge, size * kPatchSmoothing);
      const auto end = static_cast<size_t>(std::min(count, (chunk + 1) * kChunk));
      for (auto i = static_cast<size_t>(chunk * kChunk); i < end; ++i) {
        describe_one(*sift, patches.subspan(i * pixels, pixels), size,
                     out.subspan(i * kDescriptorSize, kDescriptorSize));
      }
    });
  }

 private:
  void describe_one(cv::SIFT& sift, std::span<const uint8_t> patch, int size, std::span<float> out) const {
    const cv::Mat image(size, size, CV_8U, const_cast<uint8_t*>(patch.data()));  // a view; SIFT only reads it
    const float centre = static_cast<float>(size - 1) / 2 + static_cast<float>(kSiftShift);
    const float diameter = 2 * static_cast<float>(size) / kSigmasPerPatch;
    std::vector<cv::KeyPoint> keypoints = {{centre, centre, diameter, /*angle=*/0, /*response=*/1, kOctave}};
    cv::Mat row(1, kDescriptorSize, CV_32F, out.data());
    sift.detectAndCompute(image, cv::noArray(), keypoints, row, /*useProvidedKeypoints=*/true);
    ADA_ASSERT(row.ptr<float>() == out.data());
    if (root_) {
      for (float& v : out) v = std::sqrt(v);  // the L1 norm drops out of the unit Euclidean norm
    }
    scale_to_unit_norm(out);
  }

  bool root_;
};

}  // namespace

std::unique_ptr<Descriptor> make_sift_descriptor(bool root) {
  cv::setNumThreads(1);
  return std::make_unique<SiftDescriptor>(root);
}

}  // namespace adasample
