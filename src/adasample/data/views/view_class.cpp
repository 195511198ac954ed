// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/views/view_class.h"

#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/features/regions/patch_cutter.h"

namespace adasample {
namespace {

constexpr double kFlattestView = 2;  // standard deviation in grey levels; below, clipping has wiped the patch out

}  // namespace

void ViewClassOptions::validate() const {
  ADA_USAGE(views >= 2 && views <= 4096, "ViewClassOptions::views = {}, must be 2 to 4096", views);
  ADA_USAGE(patch_size >= 8 && patch_size <= 256, "ViewClassOptions::patch_size = {}, must be 8 to 256", patch_size);
  ADA_USAGE(region_factor >= 1 && region_factor <= 100, "ViewClassOptions::region_factor = {}, must be 1 to 100",
            region_factor);
  ADA_USAGE(min_contrast >= 0 && min_contrast <= 60, "ViewClassOptions::min_contrast = {}, must be 0 to 60",
            min_contrast);
  difficulty.validate();
}

nlohmann::json ViewClassOptions::describe() const {
  nlohmann::json object = {{"views", views},
                           {"jitter", to_string(jitter)},
                           {"jpeg", jpeg},
                           {"region_factor", region_factor},
                           {"min_contrast", min_contrast}};
  if (difficulty != Difficulty()) object["hard"] = difficulty.describe();
  return object;
}

PatchClass cut_view_class(const ScalePyramid& pyramid, const Keypoint& keypoint, RngKey key,
                          const ViewClassOptions& options) {
  const int size = options.patch_size;
  const size_t area = static_cast<size_t>(size) * static_cast<size_t>(size);
  const Affine2 frame = keypoint_frame(keypoint, options.region_factor, size);

  std::vector<View> views;
  for (int v = 0; v < options.views; ++v) {
    const double strength = view_strength(options.jitter, v, options.views);
    views.push_back(draw_view(key, v, strength, size, options.difficulty, options.jpeg));
    if (!is_inside(frame * views.back().patch_from_view, size, pyramid.width(), pyramid.height())) return {};
  }
  PatchClass patches(area * views.size());
  const auto patch = [&](size_t v) { return std::span(patches).subspan(v * area, area); };
  cut(pyramid, frame, size, patches.data());
  if (standard_deviation(patch(0)) < options.min_contrast) return {};
  for (size_t v = 0; v < views.size(); ++v) {
    render_view(pyramid, frame, views[v], size, patch(v).data());
    if (standard_deviation(patch(v)) < kFlattestView) return {};
  }
  return patches;
}

std::vector<float> view_strengths(const ViewClassOptions& options) {
  std::vector<float> strengths;
  for (int v = 0; v < options.views; ++v) {
    strengths.push_back(static_cast<float>(view_strength(options.jitter, v, options.views)));
  }
  return strengths;
}

}  // namespace adasample
