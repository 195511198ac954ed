// SPDX-License-Identifier: Apache-2.0
#include "adasample/report/html.h"

#include <fmt/format.h>

#include <cmath>

#include "adasample/base/bytes/base64.h"
#include "adasample/base/bytes/sha256.h"
#include "adasample/base/text.h"
#include "adasample/image/files/png.h"

namespace adasample {

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : as_utf8(text)) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        const bool control = (byte < ' ' && c != '\t' && c != '\n') || byte == 0x7f;
        if (control) {
          html += "\xef\xbf\xbd";
        } else {
          html += c;
        }
      }
    }
  }
  return html;
}

std::string picture_uri(const ByteImage& image) { return "data:image/png;base64," + base64_encode(encode_png(image)); }

std::string figure(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-"; }

std::string grouped(int64_t value) {
  const std::string digits = std::to_string(value);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && digits[i - 1] != '-' && (digits.size() - i) % 3 == 0) text += "\u202f";
    text += digits[i];
  }
  return text;
}

std::string percent(double share) { return std::isfinite(share) ? fmt::format("{:.2f}\u202f%", 100 * share) : "-"; }

std::string content_hash(const std::string& text) {
  Sha256 sha256;
  sha256.update(text);
  const std::string hex = sha256.hex();
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return "sha256-" + base64_encode(bytes);
}

}  // namespace adasample
