// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/colmap/colmap_camera.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"

namespace adasample {
namespace {

constexpr double kUnknownFocal = 1.2;     // of the longer side; COLMAP's default_focal_length_factor
constexpr double kFilmWidth = 35;         // millimetres; COLMAP's figure, not film's
constexpr double kFirstOmega = 1e-2;      // of the model FOV, which has no distortion 0
constexpr double kInch = 25.4, kCm = 10;  // millimetres

bool one_focal_length(std::string_view name) { return name.starts_with("SIMPLE_") || name.starts_with("RADIAL"); }

// In pixels; 0 where EXIF does not say.
double focal_length(const Exif& exif, double longer_side) {
  if (exif.focal_35mm > 0) return exif.focal_35mm / kFilmWidth * longer_side;
  const double unit = exif.plane_unit == Exif::kInches ? kInch : exif.plane_unit == Exif::kCentimetres ? kCm : 0;
  if (exif.focal_mm <= 0 || exif.plane_resolution <= 0 || exif.pixel_width <= 0 || unit == 0) return 0;
  const double focal = std::nearbyint(10 * exif.focal_mm) / 10;  // COLMAP sees it with one decimal
  const double sensor_width = exif.pixel_width / exif.plane_resolution * unit;
  return focal / sensor_width * longer_side;
}

}  // namespace

int colmap_camera_model(std::string_view name) {
  const auto models = colmap_camera_models();
  const auto found = std::find_if(models.begin(), models.end(), [&](const auto& m) { return m.name == name; });
  std::vector<std::string_view> names;
  for (const ColmapCameraModel& m : models) names.push_back(m.name);
  ADA_USAGE(found != models.end(), "camera model \"{}\", must be one of {}", name, fmt::join(names, ", "));
  return static_cast<int>(found - models.begin());
}

FirstCamera first_camera(int model, int width, int height, const Exif& exif) {
  const ColmapCameraModel& kind = colmap_camera_models()[static_cast<size_t>(model)];
  const double longer_side = std::max(width, height), known = focal_length(exif, longer_side);
  FirstCamera first{.camera = {.id = 0, .model = model, .width = width, .height = height, .parameters = {}},
                    .focal_known = known > 0,
                    .key = ""};
  std::vector<double>& parameters = first.camera.parameters;
  parameters.assign(one_focal_length(kind.name) ? 1 : 2, known > 0 ? known : kUnknownFocal * longer_side);
  parameters.insert(parameters.end(), {width / 2.0, height / 2.0});
  parameters.resize(static_cast<size_t>(kind.parameters), kind.name == "FOV" ? kFirstOmega : 0);
  const double focal = exif.focal_35mm > 0 ? exif.focal_35mm : exif.focal_mm;
  if (!exif.make.empty() && !exif.model.empty() && focal > 0) {
    first.key = fmt::format("{}-{}-{}-{}x{}", exif.make, exif.model, focal, width, height);
  }
  return first;
}

}  // namespace adasample
