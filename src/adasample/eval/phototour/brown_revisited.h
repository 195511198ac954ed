// SPDX-License-Identifier: Apache-2.0
// "Brown PhotoTour revisited": matching within each photograph of a PhotoTour set (interest.txt says which patch
// belongs to which). Every ordered pair of patches of one point is a match to be judged: it is right when the patch is
// no farther from its partner than from the nearest patch of another point, d+ <= d-, and it is ranked by Lowe's ratio,
// score 1 - min(d+, d-) / max(d+, d-). Average precision per photograph, equal scores together, then the mean.
// As published, the program looks for the nearest patch of another point only in photographs of more than 1000 patches,
// and there only for the first floor(n / 128) 128; elsewhere the photograph's first patch stands in for it, whatever it
// shows. Both figures are given.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adasample/eval/descriptors/patch_rows.h"

namespace adasample {

struct PhotographScore {
  int64_t photograph = 0;          // its id
  int64_t patches = 0, pairs = 0;  // ordered pairs
  double published = 0;
  std::optional<double> intended;  // none where all patches show one point
};

struct BrownRevisited {
  std::vector<PhotographScore> photographs;  // by id; those with a pair
  int64_t without_pairs = 0;                 // photographs left out
  double published = 0, intended = 0;        // means
};

// points: (n), descriptors: (n, dimension). None when no two patches show the same point. Distances in double.
std::optional<PhotographScore> score_photograph(std::span<const int64_t> points, std::span<const double> descriptors,
                                                int dimension);

// Patch i shows point points[i] and belongs to photographs[i]. Describes and scores some photographs at a time: memory
// grows with the largest of them, not with the set. Throws Error when no photograph has a pair or none has two points.
// Ctrl-C throws Error.
BrownRevisited evaluate_brown_revisited(std::span<const int64_t> points, std::span<const int64_t> photographs,
                                        const PatchRows& rows);

}  // namespace adasample
