// SPDX-License-Identifier: Apache-2.0
// What packs descriptors into bytes by one map for all takes rows of length 1 for granted.
#pragma once

#include <span>
#include <string>

namespace adasample {

// `rows`: float [n, dimension]. Throws Error, naming the descriptor and what wants them so, for a row whose Euclidean
// norm is off 1 by more than 1 %; all zeros, SIFT's answer to a flat patch, is allowed.
void require_unit_rows(std::span<const float> rows, int dimension, const std::string& descriptor,
                       const std::string& wanted_by);

}  // namespace adasample
