// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/bytes/number_type.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

using Bytes = std::vector<uint8_t>;
using Floats = std::vector<float>;

TEST(NumberType, BytesAreAFixedMap) {
  const Floats x = {0, 1 / 320.0f, -0.4f, 0.396875f, 0.25f, -0.25f};
  const Bytes v = {128, 129, 0, 255, 208, 48};
  EXPECT_EQ(encode_numbers(NumberType::kUint8, x), v);
  const Floats back = decode_numbers(NumberType::kUint8, v);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_FLOAT_EQ(back[i], x[i]);
  EXPECT_EQ(encode_numbers(NumberType::kUint8, Floats{1, -1, 0.4f / 320, 0.6f / 320}), (Bytes{255, 0, 128, 129}));
}

TEST(NumberType, FloatsKeepWhatTheyCan) {
  const Floats x = {1, -0.5f, 0.1f};
  EXPECT_EQ(encode_numbers(NumberType::kFloat16, x), (Bytes{0x00, 0x3C, 0x00, 0xB8, 0x66, 0x2E}));
  EXPECT_EQ(decode_numbers(NumberType::kFloat16, encode_numbers(NumberType::kFloat16, x)),
            (Floats{1, -0.5f, 0.0999755859375f}));
  EXPECT_EQ(encode_numbers(NumberType::kFloat32, Floats{1}), (Bytes{0, 0, 0x80, 0x3F}));
  EXPECT_EQ(decode_numbers(NumberType::kFloat32, encode_numbers(NumberType::kFloat32, x)), x);
}

TEST(NumberType, Names) {
  for (const std::string& name : number_type_names()) {
    const NumberType type = number_type_from_name(name);
    EXPECT_EQ(encode_numbers(type, Floats{0.125f}).size(), item_size(type)) << name;
    EXPECT_EQ(decode_numbers(type, encode_numbers(type, Floats{0.125f})), Floats{0.125f}) << name;
  }
  testing::expect_error([] { number_type_from_name("int8"); }, "type = \"int8\"", "float32, float16, uint8");
}

}  // namespace
}  // namespace adasample
