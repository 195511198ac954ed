// SPDX-License-Identifier: Apache-2.0
#include "adasample/image/scenes/noise.h"

#include <gtest/gtest.h>

namespace adasample {
namespace {

TEST(Noise, QuickNormalHasMeanZeroAndVarianceOne) {
  double sum = 0, square = 0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double value = quick_normal(RngKey(3, Draw::kView).at(static_cast<uint64_t>(i)).bits());
    sum += value;
    square += value * value;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.01);
  EXPECT_NEAR(square / n, 1.0, 0.02);
  EXPECT_LT(quick_normal(~uint64_t{0}), 3.5f);
}

// Doubling the distance of two samples of 1/f^a noise raises their mean squared difference by 2^(2a - 2), for a
// in 1..2; below, the difference soon stops growing. Periodic, mean 0, variance 1.
TEST(Noise, TilesHaveTheirSpectrum) {
  const auto growth = [](const NoiseTile& tile) {
    double near = 0, far = 0;
    for (int y = 0; y < NoiseTile::kSize; ++y) {
      for (int x = 0; x < NoiseTile::kSize; ++x) {
        const auto at = [&](int dx) { return tile.at(static_cast<float>(x + dx), static_cast<float>(y)); };
        near += (at(4) - at(0)) * (at(4) - at(0));
        far += (at(8) - at(0)) * (at(8) - at(0));
      }
    }
    return far / near;
  };
  EXPECT_NEAR(growth(NoiseTile::make_pair(RngKey(1, Draw::kScene), 1.5)[0]), 2.0, 0.4);
  EXPECT_LT(growth(NoiseTile::make_pair(RngKey(1, Draw::kScene), 0.3)[1]), 1.1);
}

TEST(Noise, TilesArePeriodicAndNormalised) {
  const auto tiles = NoiseTile::make_pair(RngKey(5, Draw::kScene), 1.0);
  double sum = 0, square = 0, product = 0;
  for (int y = 0; y < NoiseTile::kSize; ++y) {
    for (int x = 0; x < NoiseTile::kSize; ++x) {
      const float value = tiles[0].at(static_cast<float>(x), static_cast<float>(y));
      sum += value;
      square += value * value;
      product += value * tiles[1].at(static_cast<float>(x), static_cast<float>(y));
    }
  }
  const double n = NoiseTile::kSize * NoiseTile::kSize;
  EXPECT_NEAR(sum / n, 0.0, 1e-3);
  EXPECT_NEAR(square / n, 1.0, 1e-3);
  EXPECT_NEAR(product / n, 0.0, 0.35);  // few independent low frequencies carry most of the variance
  EXPECT_FLOAT_EQ(tiles[0].at(-1.0f, 3.0f), tiles[0].at(255.0f, 259.0f));
  EXPECT_NEAR(tiles[0].at(10.5f, 7.0f), 0.5f * (tiles[0].at(10.0f, 7.0f) + tiles[0].at(11.0f, 7.0f)), 1e-5);
}

}  // namespace
}  // namespace adasample
