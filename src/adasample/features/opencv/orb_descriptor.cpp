// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/opencv/orb_descriptor.h"

#include <algorithm>
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"

namespace adasample {
namespace {

constexpr int kBits = 256, kBitsPerByte = 8;
constexpr int kWidth = 33;        // OpenCV compares spots up to 15 pixels from the centre pixel, blurred
constexpr int kBorder = 32;       // mirrored around the patch: OpenCV describes nothing close to a picture's edge
constexpr float kSet = 1.f / 16;  // 256 of them have a norm of 1
constexpr int64_t kPatchesATime = 64;

class OrbDescriptor : public Descriptor {
 public:
  std::string name() const override { return "orb"; }
  int dimension() const override { return kBits; }

  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    const size_t pixels = static_cast<size_t>(size) * static_cast<size_t>(size);
    ADA_ASSERT(patches.size() == static_cast<size_t>(count) * pixels);
    ADA_ASSERT(out.size() == static_cast<size_t>(count) * kBits);
    parallel_for((count + kPatchesATime - 1) / kPatchesATime, [&](int64_t chunk) {
      const auto orb = cv::ORB::create();
      const auto end = static_cast<size_t>(std::min(count, (chunk + 1) * kPatchesATime));
      for (auto i = static_cast<size_t>(chunk * kPatchesATime); i < end; ++i) {
        describe_one(*orb, patches.subspan(i * pixels, pixels), size, out.subspan(i * kBits, kBits));
      }
    });
  }

 private:
  static void describe_one(cv::ORB& orb, std::span<const uint8_t> patch, int size, std::span<float> out) {
    const cv::Mat image(size, size, CV_8U, const_cast<uint8_t*>(patch.data()));  // a view; only read
    cv::Mat resized, padded;
    cv::resize(image, resized, {kWidth, kWidth}, 0, 0, size > kWidth ? cv::INTER_AREA : cv::INTER_LINEAR);
    cv::copyMakeBorder(resized, padded, kBorder, kBorder, kBorder, kBorder, cv::BORDER_REFLECT_101);
    const float centre = kBorder + kWidth / 2;
    std::vector<cv::KeyPoint> keypoints = {{centre, centre, /*size=*/31, /*angle=*/0, /*response=*/1, /*octave=*/0}};
    cv::Mat bits;
    orb.compute(padded, keypoints, bits);
    ADA_ASSERT(bits.rows == 1 && bits.cols * kBitsPerByte == kBits);
    for (int i = 0; i < kBits; ++i) {
      out[static_cast<size_t>(i)] = (bits.at<uint8_t>(0, i / kBitsPerByte) >> (i % kBitsPerByte)) & 1 ? kSet : 0.f;
    }
  }
};

}  // namespace

std::unique_ptr<Descriptor> make_orb_descriptor() {
  cv::setNumThreads(1);
  return std::make_unique<OrbDescriptor>();
}

}  // namespace adasample
