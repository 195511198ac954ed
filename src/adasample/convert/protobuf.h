// SPDX-License-Identifier: Apache-2.0
// Protocol buffers, written: the wire format of fields one after another. ONNX needs nine small messages; Google's
// library would tie the program to one of its versions, and LibTorch brings another.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

namespace adasample {

class ProtoMessage {
 public:
  ProtoMessage& integer(int field, int64_t value) {
    tag(field, 0);
    varint(static_cast<uint64_t>(value));
    return *this;
  }
  ProtoMessage& real(int field, float value) {
    tag(field, 5);
    const auto bits = std::bit_cast<uint32_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    return *this;
  }
  ProtoMessage& text(int field, std::string_view value) {
    tag(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  ProtoMessage& message(int field, const ProtoMessage& value) { return text(field, value.bytes_); }

  const std::string& bytes() const { return bytes_; }

 private:
  void tag(int field, int wire_type) { varint(static_cast<uint64_t>(field) << 3 | static_cast<uint64_t>(wire_type)); }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

}  // namespace adasample
