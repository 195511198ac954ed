// SPDX-License-Identifier: Apache-2.0
// The work of `adasample match`: two photographs, one or several models.
#pragma once

#include <string>
#include <vector>

#include "adasample/cli/context.h"
#include "adasample/features/match/match_drawing.h"
#include "adasample/features/match/match_geometry.h"
#include "adasample/features/match_pictures.h"

namespace adasample {

struct MatchArguments {
  std::string first, second, geometry_name = geometry_names().front(), out, list;
  bool geometry_given = false;
  std::vector<std::string> models = {"default"};
  PictureOptions pictures;
  MatchLimits limits;
  GeometryOptions geometry;
  DrawingOptions drawing;

  void validate() const;
  // Where nothing can estimate a geometry and none was asked for, matches are not checked. True if so.
  bool settle_geometry();
};

int match_photographs(const Context& context, MatchArguments arguments);

}  // namespace adasample
