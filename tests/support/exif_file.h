// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace adasample::testing {

// The beginning of a JPEG with this TIFF block, in hexadecimal digits, as its EXIF segment.
inline std::vector<uint8_t> exif_file(const std::string& tiff) {
  const size_t length = tiff.size() / 2 + 8;
  std::vector<uint8_t> file = {0xFF,
                               0xD8,
                               0xFF,
                               0xE0,
                               0,
                               4,
                               'J',
                               'F',
                               0xFF,
                               0xE1,
                               static_cast<uint8_t>(length >> 8),
                               static_cast<uint8_t>(length & 255),
                               'E',
                               'x',
                               'i',
                               'f',
                               0,
                               0};
  for (size_t i = 0; i < tiff.size(); i += 2) {
    file.push_back(static_cast<uint8_t>(std::stoi(tiff.substr(i, 2), nullptr, 16)));
  }
  file.insert(file.end(), {0xFF, 0xDA, 0, 2});
  return file;
}

}  // namespace adasample::testing
