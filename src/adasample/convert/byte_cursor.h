// SPDX-License-Identifier: Apache-2.0
// Foreign bytes, front to back: nothing is read that is not there. Numbers are little-endian, as everywhere here.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "adasample/base/error.h"

namespace adasample {

class ByteCursor {
 public:
  // `label` begins every message: "[pth] net.pth".
  ByteCursor(std::string_view bytes, std::string label) : bytes_(bytes), label_(std::move(label)) {}

  size_t position() const { return at_; }
  size_t left() const { return bytes_.size() - at_; }
  const std::string& label() const { return label_; }

  std::string_view take(uint64_t count) {
    ADA_CHECK(count <= left(), "{}: byte {}: expected {} more bytes, found {} - truncated download?", label_, at_,
              count, left());
    const std::string_view taken = bytes_.substr(at_, count);
    at_ += count;
    return taken;
  }

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  // Up to a newline, which is skipped.
  std::string_view line() {
    const size_t end = bytes_.find('\n', at_);
    ADA_CHECK(end != std::string_view::npos, "{}: byte {}: a line has no end - truncated download?", label_, at_);
    const std::string_view text = take(end - at_);
    ++at_;
    return text;
  }

 private:
  std::string_view bytes_;
  std::string label_;
  size_t at_ = 0;
};

}  // namespace adasample
