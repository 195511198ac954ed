// SPDX-License-Identifier: Apache-2.0
// How many directions a batch's descriptors use: one of the signs of collapse (train/run/collapse_alarm.h).
#pragma once

#include <torch/torch.h>

namespace adasample {

// exp of the entropy of the normalised singular values of (m, D) rows: how many directions they really use, in
// [1, min(m, D)]. In two parts: products of the rows on their device, and what the host makes of them.
at::Tensor gram_matrix(const at::Tensor& descriptors);
double effective_rank(const at::Tensor& gram);

}  // namespace adasample
