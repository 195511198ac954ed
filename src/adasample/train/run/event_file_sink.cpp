// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/event_file_sink.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "adasample/base/bytes/base64.h"
#include "adasample/base/bytes/crc32c.h"
#include "adasample/image/files/png.h"

namespace adasample {
namespace {

// The wire format of protobuf: a field is its number and kind, then a varint, eight or four bytes, or a length and
// bytes.
enum class Wire : uint64_t { kVarint = 0, kEight = 1, kBytes = 2, kFour = 5 };

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
std::string little_endian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}
std::string key_of(uint64_t field, Wire wire) { return varint(field << 3 | static_cast<uint64_t>(wire)); }
std::string number_field(uint64_t field, uint64_t value) { return key_of(field, Wire::kVarint) + varint(value); }
std::string double_field(uint64_t field, double value) {
  return key_of(field, Wire::kEight) + little_endian(std::bit_cast<uint64_t>(value), 8);
}
std::string float_field(uint64_t field, float value) {
  return key_of(field, Wire::kFour) + little_endian(std::bit_cast<uint32_t>(value), 4);
}
std::string bytes_field(uint64_t field, std::string_view bytes) {
  return key_of(field, Wire::kBytes) + varint(bytes.size()) + std::string(bytes);
}

// Fields of TensorFlow's event.proto and summary.proto.
constexpr uint64_t kWallTime = 1, kStep = 2, kFileVersion = 3, kSummary = 5;       // Event
constexpr uint64_t kValue = 1;                                                     // Summary
constexpr uint64_t kTag = 1, kSimpleValue = 2, kImage = 4;                         // Summary.Value
constexpr uint64_t kImageHeight = 1, kImageWidth = 2, kColourSpace = 3, kPng = 4;  // Summary.Image
constexpr uint64_t kGrey = 1;

uint32_t masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

constexpr int kFrame = 2, kSpace = 2;  // pixels

// A pick as one strip; empty where its patches are not squares of one size.
ByteImage strip_of(const nlohmann::ordered_json& pick) {
  std::vector<std::vector<uint8_t>> patches;
  for (const auto& text : pick.at("patches")) {
    auto bytes = base64_decode(text.get<std::string>());
    if (!bytes || (!patches.empty() && bytes->size() != patches[0].size())) return {};
    patches.push_back(std::move(*bytes));
  }
  if (patches.empty()) return {};
  const auto side = static_cast<int>(std::lround(std::sqrt(static_cast<double>(patches[0].size()))));
  if (side <= 2 * kFrame || static_cast<size_t>(side) * static_cast<size_t>(side) != patches[0].size()) return {};
  const auto anchor = pick.at("anchor").get<size_t>(), drawn = pick.at("drawn").get<size_t>();
  if (anchor >= patches.size() || drawn >= patches.size()) return {};
  std::vector<size_t> order = {anchor};
  for (size_t i = 0; i < patches.size(); ++i) {
    if (i != anchor) order.push_back(i);
  }
  const int step = side + kSpace;
  ByteImage strip{step * static_cast<int>(order.size()) - kSpace, side, {}};
  strip.pixels.resize(static_cast<size_t>(strip.width) * static_cast<size_t>(side));
  for (size_t p = 0; p < order.size(); ++p) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const bool edge = std::min({x, y, side - 1 - x, side - 1 - y}) < kFrame;
        const uint8_t grey = patches[order[p]][static_cast<size_t>(y * side + x)];
        strip.pixels[static_cast<size_t>(y * strip.width + static_cast<int>(p) * step + x)] =
            order[p] == drawn && edge ? 255 : grey;
      }
    }
  }
  return strip;
}

}  // namespace

EventFileSink::EventFileSink(const std::filesystem::path& folder) : file_(folder / kFile, /*append=*/true) {
  if (file_.size() == 0) write_event(0, bytes_field(kFileVersion, "brain.Event:2"));
}

void EventFileSink::write_event(int64_t step, std::string_view field) {
  const auto now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  std::string event = double_field(kWallTime, now);
  if (step != 0) event += number_field(kStep, static_cast<uint64_t>(step));
  event += field;
  const std::string length = little_endian(event.size(), 8);
  file_.write(length + little_endian(masked_crc(length), 4) + event + little_endian(masked_crc(event), 4));
}

void EventFileSink::record(const MetricRecord& record) {
  std::string summary;
  for (const auto& [name, value] : record.values) {
    const std::string tag = name == "val_score" ? "val/score" : "training/" + name;
    summary += bytes_field(kValue, bytes_field(kTag, tag) + float_field(kSimpleValue, static_cast<float>(value)));
  }
  write_event(record.iteration, bytes_field(kSummary, summary));
}

void EventFileSink::snapshot(const nlohmann::ordered_json& snapshot) {
  std::string summary;
  size_t number = 0;
  for (const auto& pick : snapshot.at("picks")) {
    const ByteImage strip = strip_of(pick);
    if (strip.pixels.empty()) continue;
    const std::string image = number_field(kImageHeight, static_cast<uint64_t>(strip.height)) +
                              number_field(kImageWidth, static_cast<uint64_t>(strip.width)) +
                              number_field(kColourSpace, kGrey) + bytes_field(kPng, encode_png(strip));
    summary += bytes_field(kValue, bytes_field(kTag, "picks/" + std::to_string(number++)) + bytes_field(kImage, image));
  }
  if (!summary.empty()) write_event(snapshot.at("iteration").get<int64_t>(), bytes_field(kSummary, summary));
}

}  // namespace adasample
