// SPDX-License-Identifier: Apache-2.0
// Bytes as text (RFC 4648, the standard alphabet, padded): how pictures stand in JSON files and HTML pages.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace adasample {

std::string base64_encode(std::span<const uint8_t> bytes);
std::string base64_encode(std::string_view bytes);

// Nothing where `text` is not exactly what base64_encode gives for some bytes: no blanks, no missing padding.
std::optional<std::vector<uint8_t>> base64_decode(std::string_view text);

}  // namespace adasample
