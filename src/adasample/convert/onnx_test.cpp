// SPDX-License-Identifier: Apache-2.0
// The bytes; that others read them is tests/onnx_test.cpp's.
#include "adasample/convert/onnx.h"

#include <gtest/gtest.h>

#include "adasample/convert/protobuf.h"
#include "adasample/model/random_weights.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using testing::expect_error;

TEST(ProtoMessage, WireFormat) {
  EXPECT_EQ(ProtoMessage().integer(1, 150).bytes(), "\x08\x96\x01");  // the example of Google's own page
  EXPECT_EQ(ProtoMessage().integer(1, 0).bytes(), std::string("\x08\x00", 2));
  EXPECT_EQ(ProtoMessage().integer(20, 7).bytes(), "\xa0\x01\x07");
  EXPECT_EQ(ProtoMessage().integer(1, -1).bytes(), "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
  EXPECT_EQ(ProtoMessage().text(2, "testing").bytes(), "\x12\x07testing");
  EXPECT_EQ(ProtoMessage().message(3, ProtoMessage().integer(1, 150)).bytes(), "\x1a\x03\x08\x96\x01");
  EXPECT_EQ(ProtoMessage().real(2, 1.0f).bytes(), std::string("\x15\x00\x00\x80\x3f", 5));
}

TEST(Onnx, OptionsNameTheirBounds) {
  const Weights weights = random_weights(l2net(), 1);
  for (const int opset : {10, 18}) {
    expect_error([&] { format_onnx(weights, {.opset = opset}); }, fmt::format("opset = {}", opset), "[11, 17]");
  }
  expect_error([&] { format_onnx(weights, {.batch = -1}); }, "batch = -1", "[0, 1000000]");
  Weights other = weights;
  other.metadata["architecture"] = "tfeat";
  expect_error([&] { format_onnx(other, {}); }, "features.1.weight");
}

TEST(Onnx, HoldsTheNetworkAndLittleElse) {
  const Weights weights = random_weights(l2net(), 1);
  const std::string model = format_onnx(weights, {});
  const auto numbers = static_cast<size_t>(l2net().weight_count()) * sizeof(float);
  EXPECT_GT(model.size(), numbers);
  EXPECT_LT(model.size(), numbers + 8000);
  EXPECT_NE(model.find("architecture"), std::string::npos);
  EXPECT_NE(model.find("batch"), std::string::npos);
  EXPECT_EQ(format_onnx(weights, {.batch = 3}).find("batch"), std::string::npos) << "a fixed number has no name";
}

}  // namespace
}  // namespace adasample
