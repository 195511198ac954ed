// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/image/files/images.h"
#include "adasample/image/files/pgm.h"

namespace adasample {

GrayImage read_image(const std::filesystem::path& path) {
  ADA_CHECK(path.extension() == ".pgm" || path.extension() == ".PGM",
            "[images] {}: this program was built without OpenCV and reads .pgm files only", path.string());
  return read_pgm(path);
}

GrayImage read_image_as_stored(const std::filesystem::path& path) { return read_image(path); }

}  // namespace adasample
