// SPDX-License-Identifier: Apache-2.0
// How the numbers x of descriptors are kept, little endian:
//   float32  as they are
//   float16  rounded to the nearest IEEE half
//   uint8    v = round(320 x) + 128, cut to 0..255; x is about (v - 128) / 320, from -0.4 to 0.397
// The map of uint8 is the same for every number, file and model: Euclidean distances of the bytes are 320 times those
// of the numbers, so bytes of different files are searched together as they are. 320 is for unit vectors of dimension
// 128 and covers their numbers (of our networks' 3 in a million lie beyond, of SIFT's 5 in 100,000) in the least steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adasample {

enum class NumberType { kFloat32, kFloat16, kUint8 };
std::vector<std::string> number_type_names();  // float32, float16, uint8
NumberType number_type_from_name(std::string_view name);

inline constexpr double kByteScale = 320;
inline constexpr int kByteZero = 128;

size_t item_size(NumberType type);
std::vector<uint8_t> encode_numbers(NumberType type, std::span<const float> values);
std::vector<float> decode_numbers(NumberType type, std::span<const uint8_t> bytes);  // whole items

}  // namespace adasample
