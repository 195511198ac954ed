// SPDX-License-Identifier: Apache-2.0
// What every fast search for mutual neighbours shares: how far products can be trusted, and how the few candidates that
// products leave are decided in double. The inside of features/match/mutual_search.h and product_search.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "adasample/features/match/mutual_search.h"

namespace adasample {

struct RowSpread {
  double most_entry = 0, most_norm = 0, least_norm = INFINITY;
  bool finite = true;  // every number of the rows

  // By how much the squares of two norms differ at most.
  double squares_apart() const { return most_norm * most_norm - least_norm * least_norm; }
};

RowSpread spread_of(std::span<const float> rows, size_t dimension);

// Whether products of such rows stay far from where float32 and scales of bytes end.
bool products_are_safe(const RowSpread& a, const RowSpread& b);

// A product in float32 that falls short of the second best of the same query by more than this is neither that of the
// nearest row nor of the next: a sum of n products is off by n eps of the norms' product at most, whatever its order.
float float_margin(const RowSpread& queries, const RowSpread& rows, size_t dimension);

// The nearest of the candidates and the distance of the next, as by NearestRows: the first of several.
struct NearestOther {
  int64_t other = 0;
  double distance = INFINITY, next = INFINITY;

  void add(int64_t number, double at) {
    if (at < distance || (at == distance && number < other)) {
      *this = {number, at, distance};
    } else if (at < next) {
      next = at;
    }
  }
};

// The columns that some row has chosen: only they need decide.
class ChosenColumns {
 public:
  ChosenColumns(const std::vector<NearestOther>& of_rows, size_t columns);

  const std::vector<uint32_t>& columns() const { return chosen_; }
  // In columns(); -1: nobody's choice.
  int32_t place(size_t column) const { return place_[column]; }
  // of_chosen: what each of columns() has chosen.
  std::vector<MutualPair> mutual(const std::vector<NearestOther>& of_rows,
                                 const std::vector<NearestOther>& of_chosen) const;

 private:
  std::vector<uint32_t> chosen_;
  std::vector<int32_t> place_;
};

}  // namespace adasample
