// SPDX-License-Identifier: Apache-2.0
// An exported network as OpenCV's dnn runs it, against the reference engine.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <opencv2/dnn.hpp>

#include "adasample/base/random/rng.h"
#include "adasample/convert/onnx.h"
#include "adasample/engine/engine.h"
#include "adasample/model/random_weights.h"

namespace adasample {
namespace {

constexpr int kCount = 12, kPixels = 32 * 32, kSize = 128;

constexpr int kFaint = kCount - 1;

// Flat patches, black, grey and white; noise; and the faintest one there is.
std::vector<uint8_t> test_patches() {
  RngStream rng(RngKey(5, Draw::kScene));
  std::vector<uint8_t> patches(kCount * kPixels);
  for (uint8_t& pixel : patches) pixel = static_cast<uint8_t>(rng.uniform(0, 256));
  std::fill_n(patches.begin(), kPixels, uint8_t{0});
  std::fill_n(patches.begin() + kPixels, kPixels, uint8_t{77});
  std::fill_n(patches.begin() + 2 * kPixels, kPixels, uint8_t{255});
  std::fill_n(patches.begin() + kFaint * kPixels, kPixels, uint8_t{100});
  patches[kFaint * kPixels + 500] = 101;
  return patches;
}

float largest_difference(cv::dnn::Net net, const std::vector<uint8_t>& patches, const std::vector<float>& expected,
                         int begin, int count) {
  const int shape[] = {count, 1, 32, 32};
  cv::Mat input(4, shape, CV_32F);
  std::copy_n(patches.begin() + begin * kPixels, count * kPixels, input.ptr<float>());
  net.setInput(input, "input");
  const cv::Mat output = net.forward("output");
  EXPECT_EQ(output.dims, 2);
  EXPECT_EQ(output.size[0], count);
  EXPECT_EQ(output.size[1], kSize);
  float largest = 0;
  for (int i = 0; i < count * kSize; ++i) {
    const float difference = std::abs(output.ptr<float>()[i] - expected[static_cast<size_t>(begin * kSize + i)]);
    largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
  }
  return largest;
}

TEST(Onnx, OpenCvDescribesTheSame) {
  const Weights weights = random_weights(l2net(), 7);
  const std::vector<uint8_t> patches = test_patches();
  std::vector<float> expected(kCount * kSize);
  make_engine("reference", weights, "reference")->describe(patches, kCount, 32, expected);
  float largest = 0;
  for (const int opset : {11, 12, 13, 14, 15, 16, 17}) {
    const std::string any = format_onnx(weights, {.opset = opset}),
                      four = format_onnx(weights, {.opset = opset, .batch = 4});
    const cv::dnn::Net free = cv::dnn::readNetFromONNX(any.data(), any.size());
    const cv::dnn::Net fixed = cv::dnn::readNetFromONNX(four.data(), four.size());
    for (const float difference :
         {largest_difference(free, patches, expected, 0, kFaint), largest_difference(free, patches, expected, 1, 3),
          largest_difference(fixed, patches, expected, 0, 4)}) {
      EXPECT_LE(difference, 1e-5) << "opset " << opset;  // fp32 sums in another order
      largest = std::max(largest, difference);
    }
    // OpenCV subtracts the mean after scaling, in float: 100 grey levels are 3000 deviations here.
    EXPECT_LE(largest_difference(free, patches, expected, kFaint, 1), 2e-4);
  }
  fmt::print("OpenCV {}: largest difference {:.2g}\n", CV_VERSION, largest);
  EXPECT_GT(largest, 0) << "compared with itself?";
}

// Networks of the field, and a width; OpenCV has no operator for the largest of two maps, which HyNet needs.
TEST(Onnx, OpenCvDescribesOtherNetworks) {
  const std::vector<uint8_t> patches = test_patches();
  for (const char* name : {"sosnet", "tfeat", "l2net:0.5"}) {
    const Weights weights = random_weights(find_network(name), 7);
    std::vector<float> expected(kCount * kSize);
    make_engine("reference", weights, "reference")->describe(patches, kCount, 32, expected);
    const std::string model = format_onnx(weights, {});
    const float difference =
        largest_difference(cv::dnn::readNetFromONNX(model.data(), model.size()), patches, expected, 3, kFaint - 3);
    EXPECT_LE(difference, 2e-5) << name;  // fp32 sums in another order
    EXPECT_GT(difference, 0) << name;
  }
}

}  // namespace
}  // namespace adasample
