// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/product_search.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/features/match/mutual_choice.h"
#include "adasample/features/match/nearest_rows.h"
#include "adasample/features/match/norm.h"

namespace adasample {
namespace {

constexpr size_t kTop = gpu::kTopProducts;
constexpr size_t kMostSearchedAgain = 8;             // one in that many queries
constexpr size_t kFewestProducts = size_t{1} << 20;  // fewer do not go to a GPU
constexpr int64_t kQueriesOfAPiece = 256;

std::atomic<bool> gpu_allowed = true;

// What some queries find among rows, from their largest products.
class Decision {
 public:
  Decision(std::span<const float> queries, std::span<const float> rows, size_t dimension, float margin,
           const gpu::TopProducts& top)
      : queries_(queries), rows_(rows), dimension_(dimension), margin_(margin), top_(top) {}

  // Of the queries with these numbers. None: too many of them cannot be decided.
  std::optional<std::vector<NearestOther>> decide(const std::vector<uint32_t>& numbers) const {
    std::vector<NearestOther> found(numbers.size());
    std::vector<uint8_t> open(numbers.size());
    const int64_t all = std::ssize(numbers);
    parallel_for((all + kQueriesOfAPiece - 1) / kQueriesOfAPiece, [&](int64_t piece) {
      for (int64_t i = piece * kQueriesOfAPiece; i < std::min(all, (piece + 1) * kQueriesOfAPiece); ++i) {
        const auto at = static_cast<size_t>(i);
        open[at] = !decide(numbers[at], found[at]);
      }
    });
    std::vector<size_t> again;
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i] != 0) again.push_back(i);
    }
    if (again.size() > numbers.size() / kMostSearchedAgain) return std::nullopt;
    search_again(numbers, again, found);
    return found;
  }

 private:
  std::span<const float> query(size_t number) const { return queries_.subspan(number * dimension_, dimension_); }

  // False: there may be more candidates than the products that are known.
  bool decide(size_t number, NearestOther& nearest) const {
    const float* products = top_.products.data() + number * kTop;
    const int32_t* others = top_.others.data() + number * kTop;
    const float limit = products[1] - margin_;
    if (products[kTop - 1] >= limit && rows_.size() / dimension_ > kTop) return false;
    for (size_t i = 0; i < kTop && others[i] >= 0 && products[i] >= limit; ++i) {
      const auto other = static_cast<size_t>(others[i]);
      nearest.add(others[i], table_distance(Norm::kL2, query(number), rows_.subspan(other * dimension_, dimension_)));
    }
    return true;
  }

  void search_again(const std::vector<uint32_t>& numbers, const std::vector<size_t>& again,
                    std::vector<NearestOther>& found) const {
    if (again.empty()) return;
    std::vector<float> some;
    for (const size_t i : again) some.insert(some.end(), query(numbers[i]).begin(), query(numbers[i]).end());
    const auto nearest = all_nearest(some, rows_, static_cast<int>(dimension_), &NearestRows::find_two);
    for (size_t i = 0; i < again.size(); ++i) {
      found[again[i]] = {nearest[i].first.row, nearest[i].first.distance, nearest[i].second.distance};
    }
  }

  std::span<const float> queries_, rows_;
  size_t dimension_;
  float margin_;
  const gpu::TopProducts& top_;
};

}  // namespace

std::optional<std::vector<MutualPair>> search_by_products(std::span<const float> a, std::span<const float> b,
                                                          int dimension, const FindTopProducts& find) {
  ADA_ASSERT(!a.empty() && !b.empty());
  const auto width = static_cast<size_t>(dimension);
  const RowSpread of_a = spread_of(a, width), of_b = spread_of(b, width);
  if (!products_are_safe(of_a, of_b)) return std::nullopt;
  gpu::TopProducts top_of_a, top_of_b;
  find(a, b, dimension, top_of_a, top_of_b);

  std::vector<uint32_t> all(a.size() / width);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<uint32_t>(i);
  const auto of_rows = Decision(a, b, width, float_margin(of_a, of_b, width), top_of_a).decide(all);
  if (!of_rows) return std::nullopt;
  const ChosenColumns chosen(*of_rows, b.size() / width);
  const auto of_chosen = Decision(b, a, width, float_margin(of_b, of_a, width), top_of_b).decide(chosen.columns());
  if (!of_chosen) return std::nullopt;
  return chosen.mutual(*of_rows, *of_chosen);
}

void allow_matching_on_gpu(bool allowed) { gpu_allowed = allowed; }

const std::string& problem_of_matching_on_gpu() { return gpu::ProductSearch::problem(); }

std::optional<std::vector<MutualPair>> search_on_gpu(std::span<const float> a, std::span<const float> b,
                                                     int dimension) {
  const auto width = static_cast<size_t>(dimension);
  if (!gpu_allowed || a.size() / width * (b.size() / width) < kFewestProducts) return std::nullopt;
  if (!problem_of_matching_on_gpu().empty()) return std::nullopt;
  return search_by_products(a, b, dimension, [](auto first, auto second, int d, auto& of_first, auto& of_second) {
    static std::mutex mutex;  // one GPU, one set of buffers
    static gpu::ProductSearch search;
    const std::lock_guard lock(mutex);
    search.run(first, second, d, of_first, of_second);
  });
}

}  // namespace adasample
