// SPDX-License-Identifier: Apache-2.0
// Of each row of one table the few rows of another whose products with it are largest, by a tiled product that never
// stands in memory whole. Sums are fp32, one term after another, so that their error has a bound (no TF32).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace adasample::gpu {

inline constexpr size_t kTopProducts = 4;

// (rows, kTopProducts) each, the largest first; where there are fewer: -infinity, and -1.
struct TopProducts {
  std::vector<float> products;
  std::vector<int32_t> others;
};

class ProductSearch {
 public:
  // Why it does not run here; empty: it does. Looks once.
  static const std::string& problem();

  ProductSearch();
  ~ProductSearch();
  ProductSearch(const ProductSearch&) = delete;
  ProductSearch& operator=(const ProductSearch&) = delete;

  // a: (n, dimension), b: (m, dimension), at least a row each, of the host; waits until it is done. Device memory is
  // kept from call to call and grows with the largest; one call at a time.
  void run(std::span<const float> a, std::span<const float> b, int dimension, TopProducts& of_a, TopProducts& of_b);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adasample::gpu
