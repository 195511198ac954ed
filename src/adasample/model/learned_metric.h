// SPDX-License-Identifier: Apache-2.0
// A network's learned metric (Network::metric) by plain loops, which are fast enough: what its first layer makes of a
// row on either side of a pair is computed once a row, w (a, b) = w_left a + w_right b; the rest is small.
#pragma once

#include <memory>
#include <string_view>

#include "adasample/model/descriptor.h"
#include "adasample/model/pair_metric.h"
#include "adasample/model/weights.h"

namespace adasample {

// Null for weights of a network without one. Throws Error for weights that lack its arrays.
std::unique_ptr<PairMetric> make_learned_metric(const Weights& weights);

// Throws Error, one line, for a descriptor that is compared by a learned metric; `who` takes distances.
void refuse_learned_metric(const Descriptor& descriptor, std::string_view who);

}  // namespace adasample
