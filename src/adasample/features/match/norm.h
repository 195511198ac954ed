// SPDX-License-Identifier: Apache-2.0
// The distance between two float32 descriptors as the HPatches scripts compute it, which is in two ways:
//   one pair    scipy.spatial.distance.euclidean and cityblock: float32 in, float32 out
//   all pairs   scipy's cdist: everything in double (features/match/distance_table.h, features/match/nearest_rows.h)
// Ties and near ties decide ranks, so the arithmetic is part of the protocol.
#pragma once

#include <span>
#include <string>

namespace adasample {

enum class Norm { kL2, kL1 };

// "l2" or "l1"; anything else is a usage error.
Norm norm_from_name(const std::string& name);
const char* norm_name(Norm norm);

// l2: differences in float32, squares summed in double, the root rounded to float32, as OpenBLAS's snrm2 does.
// l1: differences in float32, summed in float32 in numpy's pairwise order.
float pair_distance(Norm norm, std::span<const float> a, std::span<const float> b);

// An entry of cdist's table: differences in double, summed in the order of the coordinates.
double table_distance(Norm norm, std::span<const float> a, std::span<const float> b);

}  // namespace adasample
