// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <torch/torch.h>

namespace adasample {

// exp of the entropy of the normalised singular values: between 1 (all rows on a line) and D. descriptors: (m, D) -> ()
at::Tensor effective_rank(const at::Tensor& descriptors);

}  // namespace adasample
