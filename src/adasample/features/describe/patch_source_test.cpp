// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/describe/patch_source.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

// Two numbers a patch; the second is `bad` for the patch whose first pixel is 7.
class OneBad : public Descriptor {
 public:
  explicit OneBad(float bad) : bad_(bad) {}
  std::string name() const override { return "net"; }
  int dimension() const override { return 2; }
  void describe(std::span<const uint8_t> patches, int64_t count, int size, std::span<float> out) override {
    for (int64_t i = 0; i < count; ++i) {
      const uint8_t first = patches[static_cast<size_t>(i) * static_cast<size_t>(size * size)];
      out[static_cast<size_t>(2 * i)] = 1;
      out[static_cast<size_t>(2 * i + 1)] = first == 7 ? bad_ : 0;
    }
  }

 private:
  float bad_;
};

TEST(DescribePatches, NumbersThatAreNoneAreRefused) {
  PatchSource source;
  source.size = 1;
  source.read = [](int64_t patch, std::span<uint8_t> pixels) { pixels[0] = static_cast<uint8_t>(patch); };
  std::vector<int64_t> patches(20);
  std::iota(patches.begin(), patches.end(), int64_t{0});
  double seconds = 0;
  Progress progress("", "patches", 20);
  OneBad good(0.5f);
  EXPECT_EQ(describe_patches(source, good, patches, progress, seconds).size(), 40u);
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    OneBad broken(bad);
    testing::expect_error([&] { describe_patches(source, broken, patches, progress, seconds); },
                          "net: the descriptor of patch 7 holds", "broken weights?");
  }
}

}  // namespace
}  // namespace adasample
