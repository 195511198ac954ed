// SPDX-License-Identifier: Apache-2.0
// Mutual nearest neighbours from the few largest products of each row, which a GPU finds (gpu/top_products.h); what is
// found is that of features/match/mutual_search.h to the last bit.
//
// Products are float32, off by a known bound. Rows whose product falls short of the second best by more than that are
// out; the others are measured in double, which decides. A query whose fourth product is not out yet may have a fifth:
// it is searched again on the CPU, in full.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "adasample/features/match/mutual_search.h"
#include "adasample/gpu/top_products.h"

namespace adasample {

// ProductSearch::run, or what stands in for it.
using FindTopProducts = std::function<void(std::span<const float> a, std::span<const float> b, int dimension,
                                           gpu::TopProducts& of_a, gpu::TopProducts& of_b)>;

// None where products tell too little: norms that differ widely, or many rows that lie as close as float32 can tell.
std::optional<std::vector<MutualPair>> search_by_products(std::span<const float> a, std::span<const float> b,
                                                          int dimension, const FindTopProducts& find);

// Whether search_mutual() may ask a GPU; it may, until this says otherwise. Of the whole process; searches that are
// under way do not notice.
void allow_matching_on_gpu(bool allowed);

// Why no GPU is asked here even so; empty: one is.
const std::string& problem_of_matching_on_gpu();

// None where no GPU may be asked, is there, is worth it or can decide. Whichever thread calls, one search at a time.
std::optional<std::vector<MutualPair>> search_on_gpu(std::span<const float> a, std::span<const float> b, int dimension);

}  // namespace adasample
