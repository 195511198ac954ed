// SPDX-License-Identifier: Apache-2.0
#include "adasample/model/calibration.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(Calibration, TravelsInTheMetadata) {
  Weights weights;
  EXPECT_FALSE(is_calibrated(weights));
  EXPECT_EQ(calibration_of(weights, l2net()), assumed_calibration(l2net()));
  EXPECT_EQ(assumed_calibration(l2net()).ranges.size(), 5u);
  const Calibration measured{{1.5f, 0.1f, 3, 1e-6f, 123.456f}};
  set_calibration(weights, measured);
  EXPECT_TRUE(is_calibrated(weights));
  EXPECT_EQ(calibration_of(parse_safetensors(format_safetensors(weights), "again"), l2net()), measured);
}

TEST(Calibration, RubbishIsNamed) {
  const auto parse = [](const std::string& text) { return [text] { parse_calibration(text, 2, "w.safetensors"); }; };
  testing::expect_error(parse(""), "w.safetensors", "expected 2 numbers, found 0");
  testing::expect_error(parse("1 2 3"), "expected 2 numbers, found 3");
  testing::expect_error(parse("1 x"), "number 2 is not a positive number");
  testing::expect_error(parse("1 -2"), "number 2");
  testing::expect_error(parse("0 2"), "number 1");
  testing::expect_error(parse("nan 2"), "number 1");
  testing::expect_error(parse("1e-44 2"), "number 1");
  testing::expect_error(parse("inf 2"), "number 1");
  testing::expect_error(parse("1  2"), "number 2");
  testing::expect_error(parse("1;2"), "number 1");
}

}  // namespace
}  // namespace adasample
