// SPDX-License-Identifier: Apache-2.0
// Windows bitmaps as grey: uncompressed, 8 bit with a palette or 24 bit, rows bottom-up or top-down. The luma of a
// colour is OpenCV's, (4899 R + 9617 G + 1868 B) / 16384 rounded, so that a grey palette maps every grey to itself.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace adasample {

// A view of a bitmap's bytes, which must outlive it: only the header and the palette are read before pixels are asked
// for.
class BmpView {
 public:
  // Throws Error, naming `name`, on anything but a complete bitmap of at least one pixel. Bytes behind the pixels are
  // ignored, and so is the file size that the header claims. Palette entries that are not there are black.
  BmpView(std::span<const uint8_t> file, const std::string& name);

  int width() const { return width_; }
  int height() const { return height_; }
  size_t file_size() const { return file_size_; }  // up to the last row's end; a file may have more

  // Pixels x .. x + out.size() - 1 of row y; row 0 is the upper one. They must lie inside.
  void read_row(int x, int y, std::span<uint8_t> out) const;

 private:
  void read_palette(std::span<const uint8_t> entries);

  int width_ = 0, height_ = 0;
  bool top_down_ = false;
  size_t pixel_bytes_ = 1, stride_ = 0, file_size_ = 0;
  std::span<const uint8_t> rows_;       // (height, stride), in file order
  std::array<uint8_t, 256> palette_{};  // luma of each index
};

}  // namespace adasample
