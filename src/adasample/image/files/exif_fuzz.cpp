// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "adasample/image/files/exif.h"

// Whatever the bytes: finite numbers, none negative, names of bounded length.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const adasample::Exif exif = adasample::parse_exif({data, size});
  for (const double value : {exif.focal_35mm, exif.focal_mm, exif.plane_resolution}) {
    if (!std::isfinite(value) || value < 0) __builtin_trap();
  }
  if (exif.orientation < 1 || exif.orientation > 8) __builtin_trap();
  if (exif.pixel_width < 0 || exif.plane_unit < 0) __builtin_trap();
  if (exif.make.size() > size || exif.model.size() > size) __builtin_trap();
  return 0;
}
