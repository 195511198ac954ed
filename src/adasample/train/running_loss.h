// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

namespace adasample {

// L_avg <- decay * L_avg + (1 - decay) * loss, never below `floor`; a loss that is not finite leaves it alone. All (),
// in place.
inline void update_running_loss(at::Tensor& average, const at::Tensor& loss, double decay, double floor) {
  const at::Tensor next = (decay * average + (1 - decay) * loss.to(average.dtype())).clamp_min(floor);
  average.copy_(at::where(at::isfinite(loss), next, average));
}

}  // namespace adasample
