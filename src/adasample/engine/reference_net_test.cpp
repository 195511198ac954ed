// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/reference_net.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adasample/base/random/rng.h"
#include "adasample/engine/engine.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

Weights some_tfeat() {
  Weights weights;
  weights.metadata["architecture"] = "tfeat";
  RngStream rng(RngKey(4, Draw::kInit));
  const auto fill = [&](const std::string& name, const std::vector<int64_t>& shape, double deviation) {
    int64_t count = 1;
    for (const int64_t extent : shape) count *= extent;
    NamedArray array{shape, {}};
    for (int64_t i = 0; i < count; ++i) array.values.push_back(static_cast<float>(deviation * rng.normal()));
    weights.arrays[name] = array;
  };
  fill("features.1.weight", {32, 1, 7, 7}, 0.2);
  fill("features.1.bias", {32}, 0.2);
  fill("features.4.weight", {64, 32, 6, 6}, 0.04);
  fill("features.4.bias", {64}, 0.2);
  fill("descr.0.weight", {128, 4096}, 0.02);
  fill("descr.0.bias", {128}, 0.2);
  return weights;
}

// Number `o` of one patch, from the last layer back to the pixels, in double: each number asks for those it needs.
struct Backwards {
  const Weights& weights;
  const uint8_t* patch;
  double mean = 0, deviation = 0;

  Backwards(const Weights& w, const uint8_t* p) : weights(w), patch(p) {
    for (int i = 0; i < 1024; ++i) mean += patch[i] / 1024.0;
    for (int i = 0; i < 1024; ++i) deviation += (patch[i] - mean) * (patch[i] - mean) / 1024;
    deviation = std::sqrt(deviation + 1e-5);
  }
  double weight(const char* name, int index) const { return weights.at(name).values[static_cast<size_t>(index)]; }
  double first(int o, int y, int x) const {
    double sum = weight("features.1.bias", o);
    for (int i = 0; i < 49; ++i)
      sum += weight("features.1.weight", o * 49 + i) * (patch[(y + i / 7) * 32 + x + i % 7] - mean) / deviation;
    return std::tanh(sum);
  }
  std::vector<double> pooled() const {
    std::vector<double> out;
    for (int c = 0; c < 32; ++c)
      for (int i = 0; i < 169; ++i) {
        const int y = 2 * (i / 13), x = 2 * (i % 13);
        out.push_back(std::max({first(c, y, x), first(c, y, x + 1), first(c, y + 1, x), first(c, y + 1, x + 1)}));
      }
    return out;
  }
  std::vector<double> row() const {
    const std::vector<double> inner = pooled();
    std::vector<double> second;
    for (int i = 0; i < 4096; ++i) {
      const int o = i / 64, y = i % 64 / 8, x = i % 8;
      double sum = weight("features.4.bias", o);
      for (int j = 0; j < 32 * 36; ++j)
        sum += weight("features.4.weight", o * 32 * 36 + j) *
               inner[static_cast<size_t>(j / 36 * 169 + (y + j % 36 / 6) * 13 + x + j % 6)];
      second.push_back(std::tanh(sum));
    }
    std::vector<double> out;
    for (int o = 0; o < 128; ++o) {
      double sum = weight("descr.0.bias", o);
      for (int i = 0; i < 4096; ++i) sum += weight("descr.0.weight", o * 4096 + i) * second[static_cast<size_t>(i)];
      out.push_back(std::tanh(sum));
    }
    return out;
  }
};

TEST(ReferenceNet, TFeatByPlainFormulas) {
  const Weights weights = some_tfeat();
  RngStream rng(RngKey(1, Draw::kView));
  std::vector<uint8_t> patches(3 * 1024, uint8_t{9});  // the first is flat
  for (size_t i = 1024; i < patches.size(); ++i) patches[i] = static_cast<uint8_t>(rng.bits());
  const auto tfeat = make_engine("reference", weights, "some");
  EXPECT_EQ(tfeat->name(), "some");
  std::vector<float> rows(3 * 128);
  tfeat->describe(patches, 3, 32, rows);
  for (size_t p = 0; p < 3; ++p) {
    const std::vector<double> expected = Backwards(weights, &patches[p * 1024]).row();
    for (size_t i = 0; i < 128; ++i) ASSERT_NEAR(rows[p * 128 + i], expected[i], 1e-5) << p;  
  }
  std::vector<uint8_t> doubled(4 * 1024);
  for (size_t i = 0; i < doubled.size(); ++i) doubled[i] = patches[1024 + i / 128 * 32 + i % 64 / 2];
  std::vector<float> halved(128);
  tfeat->describe(doubled, 1, 64, halved);
  EXPECT_EQ(halved, std::vector<float>(rows.begin() + 128, rows.begin() + 256)) << "pixels twice as large, halved";
}

TEST(ReferenceNet, RefusesOthers) {
  Weights weights = some_tfeat();
  expect_error([&] { make_engine("simd", weights, "x"); }, "needs a network l2net", "'tfeat'");
  weights.metadata["architecture"] = "l2net";
  expect_error([&] { make_engine("reference", weights, "x"); }, "features.0.weight");
  const auto tfeat = make_engine("reference", some_tfeat(), "x");
  std::vector<uint8_t> patch(48 * 48);
  std::vector<float> row(128);
  expect_error([&] { tfeat->describe(patch, 1, 48, row); }, "48x48", "32x32");
}

}  // namespace
}  // namespace adasample
