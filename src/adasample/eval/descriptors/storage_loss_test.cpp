// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/storage_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "adasample/base/random/rng.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

// Very nearly of length 1.
std::vector<float> unit_rows(size_t count, size_t dimension) {
  RngStream rng(RngKey(1, Draw::kPairs));
  std::vector<float> rows(count * dimension);
  for (size_t row = 0; row < count; ++row) {
    double sum = 0;
    for (size_t i = 0; i < dimension; ++i) {
      rows[row * dimension + i] = static_cast<float>(rng.normal());
      sum += std::pow(rows[row * dimension + i], 2);
    }
    for (size_t i = 0; i < dimension; ++i) {
      float& x = rows[row * dimension + i];
      x = std::clamp(x / static_cast<float>(std::sqrt(sum)), -0.39f, 0.39f);  // what bytes can hold
    }
  }
  return rows;
}

StorageLoss loss_of(NumberType type, const std::vector<float>& rows, int dimension) {
  LossMeter meter(type, dimension);
  meter.add(rows);
  return meter.result();
}

TEST(StorageLoss, IsNothingForFloats) {
  const StorageLoss loss = loss_of(NumberType::kFloat32, unit_rows(300, 128), 128);
  EXPECT_EQ(loss.largest, 0);
  EXPECT_EQ(loss.rms, 0);
  EXPECT_EQ(loss.changed, 0);
  EXPECT_EQ(loss.sample, 300);
}

// Rounding to steps s is off by s / sqrt(12) in the mean square.
TEST(StorageLoss, IsThatOfRounding) {
  const std::vector<float> rows = unit_rows(1000, 128);
  const StorageLoss bytes = loss_of(NumberType::kUint8, rows, 128), halves = loss_of(NumberType::kFloat16, rows, 128);
  EXPECT_NEAR(bytes.rms, 1 / 320.0 / std::sqrt(12), 1e-5);
  EXPECT_NEAR(bytes.largest, 0.5 / 320, 1e-5);
  EXPECT_GT(bytes.changed, 0);  // random rows are all nearly as far apart
  EXPECT_LT(bytes.changed, 0.15);
  EXPECT_LT(halves.rms, bytes.rms / 20);
  EXPECT_LT(halves.changed, bytes.changed);
}

// 0.2 is nearer to 0 than to 0.41, which bytes cut to 0.397.
TEST(StorageLoss, CountsNeighboursThatChange) {
  EXPECT_EQ(loss_of(NumberType::kUint8, {0, 0.2f, 0.41f}, 1).changed, 1.0 / 3);
  EXPECT_EQ(loss_of(NumberType::kUint8, {0, 0.1f, 0.3f}, 1).changed, 0);
  EXPECT_EQ(loss_of(NumberType::kUint8, {0.1f}, 1).changed, 0) << "nobody else";
  EXPECT_EQ(LossMeter(NumberType::kUint8, 3).result().rms, 0) << "no row";
}

TEST(StorageLoss, SamplesEvenlyHoweverRowsCome) {
  std::vector<float> rows(20'000);
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i) * 1e-5f;
  LossMeter bit_by_bit(NumberType::kUint8, 1);
  for (size_t i = 0; i < rows.size(); i += 1000) bit_by_bit.add(std::span(rows).subspan(i, 1000));
  const StorageLoss a = loss_of(NumberType::kUint8, rows, 1), b = bit_by_bit.result();
  EXPECT_EQ(a.sample, 5000);  // every fourth
  EXPECT_EQ(b.sample, a.sample);
  EXPECT_EQ(b.changed, a.changed);
  EXPECT_EQ(b.largest, a.largest);
}

TEST(UnitRows, AreOfNormOneToAPercentOrZero) {
  EXPECT_NO_THROW(require_unit_rows({}, 2, "tfeat", "COLMAP"));
  EXPECT_NO_THROW(require_unit_rows(std::vector<float>{0.6f, -0.8f, 0, 0, 1.009f, 0, 0.991f, 0}, 2, "tfeat", "COLMAP"));
  for (const float norm : {1.011f, 0.989f, 0.001f, 3.0f}) {
    testing::expect_error(
        [&] {
          require_unit_rows(std::vector<float>{1, 0, 0, norm}, 2, "tfeat", "COLMAP");
        },
        "COLMAP takes descriptors of norm 1, tfeat has one of norm");
  }
  testing::expect_error([] { require_unit_rows(std::vector<float>{NAN, 0}, 2, "tfeat", "COLMAP"); }, "norm nan");
}

}  // namespace
}  // namespace adasample
