// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_encoding.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "adasample/base/conventions.h"
#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

constexpr size_t kSize = kDescriptorSize;
constexpr double kNorm = 512;

double dot(const auto* a, const auto* b) {
  return std::inner_product(a, a + kSize, b, 0.0, std::plus<>(),
                            [](auto x, auto y) { return static_cast<double>(x) * static_cast<double>(y); });
}

// Rows of norm 1 in random directions; row i + 1 of a pair is row i with noise.
std::vector<float> random_pairs(size_t pairs) {
  std::vector<float> rows;
  RngStream rng(RngKey(3, Draw::kPairs));
  for (size_t pair = 0; pair < pairs; ++pair) {
    std::vector<double> first(kSize), second(kSize);
    for (size_t i = 0; i < kSize; ++i) {
      first[i] = rng.normal();
      second[i] = first[i] + 0.6 * rng.normal();
    }
    for (const auto& row : {first, second}) {
      const double norm = std::sqrt(dot(row.data(), row.data()));
      for (const double x : row) rows.push_back(static_cast<float>(x / norm));
    }
  }
  return rows;
}

TEST(ColmapEncoding, RowsHaveNorm512) {
  const std::vector<uint8_t> bytes = colmap_descriptors(random_pairs(50), ColmapEncoding::kSigned, "net");
  ASSERT_EQ(bytes.size(), 100 * kSize);
  for (size_t i = 0; i < bytes.size(); i += kSize) {
    EXPECT_NEAR(std::sqrt(dot(&bytes[i], &bytes[i])), kNorm, 1.5);  // rounding of 128 numbers, each by 1/2 at most
  }
}

// The header's claim: the chord 2 sin(angle / 2) shrinks by s / 512.
TEST(ColmapEncoding, AnglesShrinkAlike) {
  const std::vector<float> rows = random_pairs(40);
  const std::vector<uint8_t> bytes = colmap_descriptors(rows, ColmapEncoding::kSigned, "net");
  const auto chord = [](double cosine) { return std::sqrt(2 - 2 * std::min(1.0, cosine)); };
  for (size_t i = 0; i + kSize < rows.size(); i += kSize) {
    const double before = chord(dot(&rows[i], &rows[i + kSize]));
    const double after = chord(dot(&bytes[i], &bytes[i + kSize]) / (kNorm * kNorm));
    // Random rows are some 5 degrees off the orthogonal of (1 .. 1), which changes the share by a tenth or so.
    EXPECT_NEAR(after / before, kColmapSpread / kNorm, 0.05) << i / kSize;
  }
}

// What COLMAP's brute force does: the nearest by angle, and a ratio of 0.8.
TEST(ColmapEncoding, NearestNeighboursStayAndPassTheRatioTest) {
  const size_t pairs = 200;
  const std::vector<uint8_t> bytes = colmap_descriptors(random_pairs(pairs), ColmapEncoding::kSigned, "net");
  for (size_t i = 0; i < pairs; ++i) {
    double best = 10, second = 10;
    size_t nearest = pairs;
    for (size_t j = 0; j < pairs; ++j) {
      const double cosine = dot(&bytes[2 * i * kSize], &bytes[(2 * j + 1) * kSize]) / (kNorm * kNorm);
      const double angle = std::acos(std::min(1.0, cosine));
      if (angle < best) {
        second = std::exchange(best, angle);
        nearest = j;
      } else {
        second = std::min(second, angle);
      }
    }
    EXPECT_EQ(nearest, i);
    EXPECT_LT(best, 0.8 * second);
    EXPECT_LT(second, 0.7);  // COLMAP's largest distance excludes nothing
  }
}

TEST(ColmapEncoding, WhatIsNotNegativeIsWrittenAsColmapDoes) {
  std::vector<float> row(kSize, 0);
  row[0] = 0.6f;
  row[5] = 0.3f;
  row[7] = -0.1f;
  row[9] = 0.735f;
  const std::vector<uint8_t> bytes = colmap_descriptors(row, ColmapEncoding::kNonNegative, "sift");
  EXPECT_EQ(bytes[0], 255);  // 307 does not fit
  EXPECT_EQ(bytes[5], 154);
  EXPECT_EQ(bytes[7], 0);
  EXPECT_EQ(bytes[1], 0);
  EXPECT_TRUE(colmap_descriptors({}, ColmapEncoding::kSigned, "net").empty());
  EXPECT_EQ(colmap_descriptors(std::vector<float>(kSize, 0), ColmapEncoding::kNonNegative, "sift"),
            std::vector<uint8_t>(kSize, 0))
      << "a flat patch";
}

TEST(ColmapEncoding, RowsOfAnotherNormAreRefused) {
  std::vector<float> rows = random_pairs(2);
  for (size_t i = kSize; i < 2 * kSize; ++i) rows[i] *= 3;
  for (const ColmapEncoding encoding : {ColmapEncoding::kSigned, ColmapEncoding::kNonNegative}) {
    testing::expect_error([&] { colmap_descriptors(rows, encoding, "tfeat"); },
                          "COLMAP takes descriptors of norm 1, tfeat has one of norm 3");
  }
}

}  // namespace
}  // namespace adasample
