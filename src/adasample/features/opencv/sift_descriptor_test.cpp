// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/opencv/sift_descriptor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "adasample/base/parallel.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

constexpr size_t kSize = 32;
using Patch = std::vector<uint8_t>;

// A smooth texture without symmetry, grey values 60 to 140: a gain of 0.5 to 1.8 does not clip it.
Patch texture(double phase) {
  Patch patch(kSize * kSize);
  for (size_t y = 0; y < kSize; ++y) {
    for (size_t x = 0; x < kSize; ++x) {
      const double u = static_cast<double>(x), v = static_cast<double>(y);
      const double wave = std::sin(0.35 * u + 0.1 * v + phase) + std::cos(0.021 * u * v / 2 - 0.4 * v + 2 * phase);
      patch[y * kSize + x] = static_cast<uint8_t>(std::lround(100 + 20 * wave));
    }
  }
  return patch;
}

Patch rotated_by_90(const Patch& patch) {
  Patch turned(patch.size());
  for (size_t y = 0; y < kSize; ++y) {
    for (size_t x = 0; x < kSize; ++x) turned[x * kSize + (kSize - 1 - y)] = patch[y * kSize + x];
  }
  return turned;
}

std::vector<float> describe(Descriptor& descriptor, const Patch& patches) {
  const size_t count = patches.size() / (kSize * kSize);
  std::vector<float> out(count * 128);
  descriptor.describe(patches, static_cast<int64_t>(count), kSize, out);
  return out;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
  return std::sqrt(sum);
}

class SiftTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Descriptor> sift_ = make_sift_descriptor(GetParam());
};

TEST_P(SiftTest, HasANameAndASize) {
  EXPECT_EQ(sift_->name(), GetParam() ? "rootsift" : "sift");
  EXPECT_EQ(sift_->dimension(), 128);
}

TEST_P(SiftTest, UnitNormAndNotNegative) {
  const std::vector<float> d = describe(*sift_, texture(0.3));
  EXPECT_NEAR(distance(d, std::vector<float>(128)), 1.0, 1e-6);
  EXPECT_TRUE(std::all_of(d.begin(), d.end(), [](float v) { return v >= 0; }));
  EXPECT_GT(std::count_if(d.begin(), d.end(), [](float v) { return v > 0; }), 60);
}

TEST_P(SiftTest, InvariantToGainAndOffset) {
  const Patch patch = texture(0.3);
  Patch brighter = patch, darker = patch;
  for (uint8_t& v : brighter) v = static_cast<uint8_t>(std::lround(1.7 * v));
  for (uint8_t& v : darker) v = static_cast<uint8_t>(std::lround(0.8 * v) + 11);
  // Apart from the rounding of grey values and of OpenCV's descriptor (1 / 512).
  EXPECT_LT(distance(describe(*sift_, patch), describe(*sift_, brighter)), 0.06);
  EXPECT_LT(distance(describe(*sift_, patch), describe(*sift_, darker)), 0.06);
}

TEST_P(SiftTest, TellsPatchesApart) {
  const Patch patch = texture(0.3);
  EXPECT_GT(distance(describe(*sift_, patch), describe(*sift_, rotated_by_90(patch))), 0.3);
  EXPECT_GT(distance(describe(*sift_, patch), describe(*sift_, texture(1.8))), 0.3);
}

TEST_P(SiftTest, DoesNotDependOnTheCompanyOrTheThreads) {
  constexpr size_t kCount = 150;  // more than two chunks
  Patch all;
  for (size_t i = 0; i < kCount; ++i) {
    const Patch patch = texture(0.1 * static_cast<double>(i));
    all.insert(all.end(), patch.begin(), patch.end());
  }
  set_thread_count(3);
  const std::vector<float> together = describe(*sift_, all);
  set_thread_count(1);
  EXPECT_EQ(together, describe(*sift_, all));
  for (const size_t i : {size_t{0}, size_t{77}, kCount - 1}) {
    const std::vector<float> alone = describe(*sift_, texture(0.1 * static_cast<double>(i)));
    EXPECT_TRUE(std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(128 * i)));
  }
}

TEST_P(SiftTest, AFlatPatchIsTheZeroVector) {
  EXPECT_EQ(describe(*sift_, Patch(kSize * kSize, 128)), std::vector<float>(128));
}

INSTANTIATE_TEST_SUITE_P(Both, SiftTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "rootsift" : "sift"; });

TEST(Sift, RootSiftIsTheRootOfL1NormalisedSift) {
  const std::vector<float> sift = describe(*make_sift_descriptor(false), texture(0.3));
  const std::vector<float> root = describe(*make_sift_descriptor(true), texture(0.3));
  double l1 = 0;
  for (const float v : sift) l1 += v;
  for (size_t i = 0; i < sift.size(); ++i) EXPECT_NEAR(root[i], std::sqrt(sift[i] / l1), 1e-6);
}

TEST(Sift, OtherPatchSizes) {
  for (const int size : {8, 33, 64, 65}) {
    const Patch patch(static_cast<size_t>(size * size), 9);
    std::vector<float> out(128, -1.0f);
    make_sift_descriptor(true)->describe(patch, 1, size, out);
    EXPECT_EQ(out, std::vector<float>(128)) << size;
  }
  std::vector<float> out(128);
  testing::expect_error([&] { make_sift_descriptor(true)->describe(Patch(49), 1, 7, out); }, "8x8", "7x7");
}

}  // namespace
}  // namespace adasample
