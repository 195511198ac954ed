// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "adasample/sampler/policy.h"
#include "adasample/train/options.h"

namespace adasample {

inline SamplerPolicy policy_of(const TrainOptions& options) {
  SamplerPolicy policy =
      make_sampler_policy(options.sampler, options.lambda, options.alpha, options.weights, options.informativeness);
  policy.margin = options.loss.margin;
  return policy;
}

}  // namespace adasample
