// SPDX-License-Identifier: Apache-2.0
// JSON arrays as double tensors, and comparison with a bound.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace adasample::testing {

inline at::Tensor vector_tensor(const nlohmann::json& json) {
  return torch::tensor(json.get<std::vector<double>>(), at::kDouble);
}

inline at::Tensor matrix_tensor(const nlohmann::json& json) {
  std::vector<at::Tensor> rows;
  for (const auto& row : json) rows.push_back(vector_tensor(row));
  return at::stack(rows);
}

inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  EXPECT_EQ(a.sizes(), b.sizes());
  return (a.detach().to(at::kDouble) - b.detach().to(at::kDouble)).abs().max().item<double>();
}

}  // namespace adasample::testing
