// SPDX-License-Identifier: Apache-2.0
// The camera that COLMAP's feature_extractor would write for a photograph, before anything is known but its file.
#pragma once

#include <string>
#include <string_view>

#include "adasample/data/colmap/colmap_model.h"
#include "adasample/image/files/exif.h"

namespace adasample {

// Index into colmap_camera_models(). Throws a usage Error that lists the names.
int colmap_camera_model(std::string_view name);

struct FirstCamera {
  ColmapCamera camera;       // id 0: not in a database yet
  bool focal_known = false;  // COLMAP's prior_focal_length
  // Photographs of one key have one camera: maker, model, focal length and size as EXIF has them. Empty where EXIF
  // does not say: a camera of its own.
  std::string key;
};

// The focal length is, from EXIF, that of 35 mm film / 35 times the longer side, or the focal length over the width of
// the sensor times the longer side, with the width from the resolution of the focal plane; else 1.2 times the longer
// side. Between the two COLMAP looks into its table of cameras, which is not here. The principal point is the middle,
// distortion 0 (FOV: 0.01).
FirstCamera first_camera(int model, int width, int height, const Exif& exif);

}  // namespace adasample
