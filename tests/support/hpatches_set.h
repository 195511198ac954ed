// SPDX-License-Identifier: Apache-2.0
// Small sequences in the layout of HPatches; no two patches are alike.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "adasample/base/random/rng.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/image/files/png.h"

namespace adasample::testing {

// Black but for a few pixels, which are a function of `key`: large strips are made in no time.
inline ByteImage random_strip(uint64_t key, int width, int height) {
  ByteImage strip{width, height, std::vector<uint8_t>(static_cast<size_t>(width * height))};
  RngStream rng(RngKey(key, Draw::kScene));
  for (size_t i = 0; i < strip.pixels.size(); i += 97) strip.pixels[i] = static_cast<uint8_t>(rng.bits());
  return strip;
}

inline void write_strip(const std::filesystem::path& path, const ByteImage& strip) {
  std::ofstream(path, std::ios::binary) << encode_png(strip);  // in tests a disk need not be waited for
}

inline void make_sequence(const std::filesystem::path& root, const std::string& name, int count) {
  std::filesystem::create_directories(root / name);
  for (size_t s = 0; s < kHpatchesStrips.size(); ++s) {
    const std::filesystem::path path = strip_path(root, name, s);
    const uint64_t key = std::hash<std::string>()(name) + s;
    write_strip(path, random_strip(key, kHpatchesSide, count * kHpatchesSide));
  }
}

}  // namespace adasample::testing
