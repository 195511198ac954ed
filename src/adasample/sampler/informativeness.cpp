// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/informativeness.h"

#include "adasample/base/error.h"
#include "adasample/sampler/view_strength.h"

namespace adasample {
namespace {

constexpr double kExcluded = -3;  // below every dot product of unit vectors

// The slot's row of (n, k, ..): (n, ..)
at::Tensor at_slot(const at::Tensor& values, const at::Tensor& slot) {
  const int64_t n = values.size(0), k = values.size(1);
  return values.flatten(0, 1).index_select(0, at::arange(n, slot.options()) * k + slot);
}

}  // namespace

at::Tensor closest_row(const at::Tensor& x) { return at::mm(x, x.t()).fill_diagonal_(kExcluded).argmax(1); }

at::Tensor closest_distance(const at::Tensor& x, Metric metric) {
  return row_distance(x, x.index_select(0, closest_row(x)), metric);
}

at::Tensor informativeness(const SamplerPolicy& policy, const SamplerInput& input, const at::Tensor& anchor,
                           const at::Tensor& distances, Metric metric) {
  switch (policy.informativeness) {
    case Informativeness::kDistance:
      return distances;
    case Informativeness::kResidual: {
      const at::Tensor closest = closest_distance(at_slot(input.descriptors, anchor), metric);  // (n)
      return (policy.margin + distances.square() - closest.square().unsqueeze(1)).clamp_min(0).sqrt();
    }
    case Informativeness::kGradient:
      ADA_ASSERT(input.gradients.defined());
      return input.gradients;
    case Informativeness::kStrength:
      return distances / usual_distance(input.usual, input.levels, anchor);
  }
  ADA_THROW_KIND(kBug, "unknown Informativeness");
}

}  // namespace adasample
