// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/match/mutual_search.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "adasample/base/bytes/rounding.h"
#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/features/match/mutual_choice.h"
#include "adasample/features/match/nearest_rows.h"
#include "adasample/features/match/norm.h"
#include "adasample/features/match/product_search.h"

namespace adasample {
namespace {

constexpr size_t kBlock = 64;            // queries that pass over all panels together: they stay in the first cache
constexpr int64_t kFewestForBytes = 64;  // rows
constexpr int64_t kRowsOfAChunk = 1024;  // fewer are not worth a thread
constexpr double kCoarsest = 0.15;       // a margin above that share of the norms' product sorts out too little
constexpr size_t kMostWaiting = size_t{1} << 21;  // candidates of columns, before those that are out of it are dropped

// The two best products seen so far.
struct TopTwo {
  int32_t best = std::numeric_limits<int32_t>::min(), second = best;

  void add(int32_t product) {
    if (product > best) {
      second = best;
      best = product;
    } else if (product > second) {
      second = product;
    }
  }
  // What a product must exceed to count.
  int32_t limit(int32_t margin) const {
    constexpr int32_t kLeast = std::numeric_limits<int32_t>::min();
    return second < kLeast + margin + 1 ? kLeast : second - margin - 1;
  }
};

// Rows times `scale` rounded to bytes, (n, 4 quads) with zeros at the ends.
struct ByteRows {
  std::vector<int8_t> bytes;
  double most_norm = 0;   // of a rounded row
  double most_error = 0;  // norm of what rounding changed
};

// Bounds are a little larger than the sums say, which float32 rounds.
ByteRows round_rows(std::span<const float> rows, size_t dimension, size_t quads, double scale) {
  constexpr size_t kLanes = 8;
  constexpr double kUp = 1.0001;
  const size_t count = rows.size() / dimension;
  ByteRows made;
  made.bytes.resize(count * 4 * quads);
  for (size_t row = 0; row < count; ++row) {
    float norms[kLanes] = {}, errors[kLanes] = {};  // lane by lane, which the compiler turns into vectors
    const auto round = [&](size_t k, size_t lane) {
      const float exact = static_cast<float>(scale) * rows[row * dimension + k], value = rounded(exact);
      made.bytes[row * 4 * quads + k] = static_cast<int8_t>(value);
      norms[lane] += value * value;
      errors[lane] += (value - exact) * (value - exact);
    };
    size_t k = 0;
    for (; k + kLanes <= dimension; k += kLanes) {
      for (size_t lane = 0; lane < kLanes; ++lane) round(k + lane, lane);
    }
    for (; k < dimension; ++k) round(k, 0);
    const auto norm_of = [](const float* squares) {
      return std::sqrt(kUp * std::accumulate(squares, squares + kLanes, 0.0));
    };
    made.most_norm = std::max(made.most_norm, norm_of(norms));
    made.most_error = std::max(made.most_error, norm_of(errors));
  }
  return made;
}

class Search {
 public:
  Search(std::span<const float> a, std::span<const float> b, size_t dimension, const ByteTiles& tiles)
      : a_(a),
        b_(b),
        dimension_(dimension),
        quads_((dimension + 3) / 4),
        tiles_(tiles),
        rows_(a.size() / dimension),
        columns_(b.size() / dimension),
        panels_((columns_ + tiles.panel - 1) / tiles.panel) {}

  // False: bytes are too coarse.
  bool prepare() {
    const RowSpread of_a = spread_of(a_, dimension_), of_b = spread_of(b_, dimension_);
    if (!products_are_safe(of_a, of_b)) return false;
    const double norms = of_a.most_norm * of_b.most_norm;
    // Each side as fine as its bytes allow, but no product of norms above the most; rounding adds a little.
    constexpr double kRoom = 0.95;
    const double most = kRoom * tiles_.most_product / norms, even = std::sqrt(tiles_.most_product) / of_a.most_norm;
    double scale_a = (tiles_.shift - 1) / of_a.most_entry;
    const double scale_b = std::min(kMostRow / of_b.most_entry, most / std::min(scale_a, even));
    scale_a = std::min(scale_a, most / scale_b);
    const ByteRows queries = round_rows(a_, dimension_, quads_, scale_a);
    const ByteRows rows = round_rows(b_, dimension_, quads_, scale_b);
    if (queries.most_norm * rows.most_norm > tiles_.most_product) return false;
    const double scale = scale_a * scale_b;
    const double error = queries.most_error * scale_b * of_b.most_norm + queries.most_norm * rows.most_error;
    // Two more than the bound: distances in double are rounded too.
    const double row_margin = 2 * error + scale * of_b.squares_apart() / 2 + 2;
    const double column_margin = 2 * error + scale * of_a.squares_apart() / 2 + 2;
    if (std::max(row_margin, column_margin) > kCoarsest * scale * norms) return false;
    row_margin_ = static_cast<int32_t>(std::ceil(row_margin));
    column_margin_ = static_cast<int32_t>(std::ceil(column_margin));
    float_row_margin_ = float_margin(of_a, of_b, dimension_);
    float_column_margin_ = float_margin(of_b, of_a, dimension_);
    pack(queries, rows);
    return true;
  }

  std::vector<MutualPair> run(int chunks) {
    const auto blocks = static_cast<int64_t>((rows_ + kBlock - 1) / kBlock);
    const int64_t pieces = std::min<int64_t>(std::max(chunks, 1), blocks);
    of_rows_.resize(rows_);
    parts_.resize(static_cast<size_t>(pieces));
    parallel_for(pieces, [&](int64_t piece) {
      pass(parts_[static_cast<size_t>(piece)], static_cast<size_t>(blocks * piece / pieces) * kBlock,
           std::min(rows_, static_cast<size_t>(blocks * (piece + 1) / pieces) * kBlock));
    });
    return mutual(chunks);
  }

 private:
  struct Candidate {
    uint32_t row, column;
    int32_t product;
  };
  // What a piece of the rows knows of all columns.
  struct Part {
    std::vector<TopTwo> best;
    std::vector<Candidate> waiting;
  };

  void pack(const ByteRows& queries, const ByteRows& rows) {
    const size_t width = 4 * quads_, tile = tiles_.queries, panel = tiles_.panel;
    queries_.assign((rows_ + tile - 1) / tile * tile * width, static_cast<uint8_t>(tiles_.shift));
    std::transform(queries.bytes.begin(), queries.bytes.end(), queries_.begin(),
                   [this](int8_t v) { return static_cast<uint8_t>(v + tiles_.shift); });
    panel_rows_.assign(panels_ * panel * width, 0);
    starts_.assign(panels_ * panel, 0);
    for (size_t row = 0; row < columns_; ++row) {
      const int8_t* from = rows.bytes.data() + row * width;
      int8_t* to = panel_rows_.data() + row / panel * panel * width + row % panel * 4;
      for (size_t k = 0; k < quads_; ++k) std::copy_n(from + 4 * k, 4, to + k * panel * 4);
      starts_[row] = start_of(tiles_, from, quads_);
    }
  }

  // Rows [begin, end) against all columns.
  void pass(Part& part, size_t begin, size_t end) {
    const size_t panel = tiles_.panel, tile = tiles_.queries, width = 4 * quads_;
    part.best.resize(columns_);
    std::vector<int32_t> column_limits(panels_ * panel, std::numeric_limits<int32_t>::min());
    // What fills up the last panel never counts.
    std::fill(column_limits.begin() + static_cast<std::ptrdiff_t>(columns_), column_limits.end(),
              std::numeric_limits<int32_t>::max());
    std::vector<int32_t> products(tile * panel), row_limits(kBlock);
    std::vector<uint32_t> hits(tile);
    std::vector<TopTwo> best(kBlock);
    std::vector<std::vector<Candidate>> found(kBlock);
    for (size_t block = begin; block < end; block += kBlock) {
      const size_t count = std::min(kBlock, end - block);
      std::fill(best.begin(), best.end(), TopTwo());
      std::fill(row_limits.begin(), row_limits.end(), std::numeric_limits<int32_t>::min());
      std::fill(row_limits.begin() + static_cast<std::ptrdiff_t>(count), row_limits.end(),
                std::numeric_limits<int32_t>::max());
      for (auto& list : found) list.clear();
      for (size_t p = 0; p < panels_; ++p) {
        int32_t* limits = column_limits.data() + p * panel;
        for (size_t t = 0; t < count; t += tile) {
          if (!tiles_.multiply(queries_.data() + (block + t) * width, panel_rows_.data() + p * panel * width,
                               starts_.data() + p * panel, quads_, row_limits.data() + t, limits, products.data(),
                               hits.data())) {
            continue;
          }
          for (size_t q = 0; q < std::min(tile, count - t); ++q) {
            for (uint32_t bits = hits[q]; bits != 0; bits &= bits - 1) {
              const auto lane = static_cast<size_t>(std::countr_zero(bits));
              const size_t column = p * panel + lane;
              if (column >= columns_) break;
              const int32_t product = products[q * panel + lane];
              const Candidate candidate = {static_cast<uint32_t>(block + t + q), static_cast<uint32_t>(column),
                                           product};
              if (product > row_limits[t + q]) {
                found[t + q].push_back(candidate);
                best[t + q].add(product);
                row_limits[t + q] = best[t + q].limit(row_margin_);
              }
              if (product > limits[lane]) {
                part.waiting.push_back(candidate);
                part.best[column].add(product);
                limits[lane] = part.best[column].limit(column_margin_);
              }
            }
          }
        }
      }
      for (size_t q = 0; q < count; ++q) {
        std::erase_if(found[q], [&](const Candidate& c) { return c.product <= row_limits[q]; });
        of_rows_[block + q] = decide(found[q], float_row_margin_, [](const Candidate& c) { return c.column; });
      }
      if (part.waiting.size() > kMostWaiting) {
        std::erase_if(part.waiting, [&](const Candidate& c) { return c.product <= column_limits[c.column]; });
      }
    }
    std::erase_if(part.waiting, [&](const Candidate& c) { return c.product <= column_limits[c.column]; });
  }

  // What the candidates of one row or column leave. `other` tells a candidate's number on the other side.
  template <typename Other>
  NearestOther decide(std::vector<Candidate>& candidates, float margin, const Other& other) const {
    std::vector<float> exact(candidates.size());
    float best = -INFINITY, second = -INFINITY;
    for (size_t i = 0; i < candidates.size(); ++i) {
      exact[i] = tiles_.dot(a_.data() + candidates[i].row * dimension_, b_.data() + candidates[i].column * dimension_,
                            dimension_);
      second = std::max(second, std::min(best, exact[i]));
      best = std::max(best, exact[i]);
    }
    NearestOther decided;
    for (size_t i = 0; i < candidates.size(); ++i) {
      if (exact[i] < second - margin) continue;
      const Candidate& c = candidates[i];
      decided.add(static_cast<int64_t>(other(c)), table_distance(Norm::kL2, a_.subspan(c.row * dimension_, dimension_),
                                                                 b_.subspan(c.column * dimension_, dimension_)));
    }
    return decided;
  }

  // Columns that some row has chosen decide among their own candidates.
  std::vector<MutualPair> mutual(int chunks) {
    std::vector<TopTwo> best(columns_);
    for (const Part& part : parts_) {
      for (size_t c = 0; c < columns_; ++c) {
        best[c].add(part.best[c].best);
        best[c].add(part.best[c].second);
      }
    }
    const ChosenColumns chosen(of_rows_, columns_);
    const size_t count = chosen.columns().size();
    std::vector<std::vector<Candidate>> lists(count);
    for (Part& part : parts_) {
      for (const Candidate& c : part.waiting) {
        const int32_t at = chosen.place(c.column);
        if (at >= 0 && c.product > best[c.column].limit(column_margin_)) lists[static_cast<size_t>(at)].push_back(c);
      }
      part.waiting = {};
    }
    std::vector<NearestOther> of_chosen(count);
    const auto pieces = std::min<int64_t>(std::max(chunks, 1), static_cast<int64_t>(count));
    parallel_for(pieces, [&](int64_t piece) {
      for (auto i = static_cast<size_t>(piece); i < count; i += static_cast<size_t>(pieces)) {
        of_chosen[i] = decide(lists[i], float_column_margin_, [](const Candidate& c) { return c.row; });
      }
    });
    return chosen.mutual(of_rows_, of_chosen);
  }

  std::span<const float> a_, b_;
  size_t dimension_, quads_;
  const ByteTiles& tiles_;
  size_t rows_, columns_, panels_;
  int32_t row_margin_ = 0, column_margin_ = 0;
  float float_row_margin_ = 0, float_column_margin_ = 0;
  std::vector<uint8_t> queries_;    // (rows, 4 quads), filled up to whole tiles
  std::vector<int8_t> panel_rows_;  // (panels, quads, panel, 4)
  std::vector<int32_t> starts_;
  std::vector<NearestOther> of_rows_;
  std::vector<Part> parts_;
};

}  // namespace

std::optional<std::vector<MutualPair>> search_by_bytes(std::span<const float> a, std::span<const float> b,
                                                       int dimension, const ByteTiles* tiles, int chunks) {
  ADA_ASSERT(!a.empty() && !b.empty());
  if (tiles == nullptr) return std::nullopt;
  Search search(a, b, static_cast<size_t>(dimension), *tiles);
  if (!search.prepare()) return std::nullopt;
  return search.run(chunks);
}

std::vector<MutualPair> search_twice(std::span<const float> a, std::span<const float> b, int dimension) {
  const auto of_a = all_nearest(a, b, dimension, &NearestRows::find_two);
  const auto of_b = all_nearest(b, a, dimension, &NearestRows::find_two);
  std::vector<MutualPair> pairs;
  for (int64_t i = 0; i < std::ssize(of_a); ++i) {
    const NearestRows::NearestTwo& there = of_a[static_cast<size_t>(i)];
    const NearestRows::NearestTwo& back = of_b[static_cast<size_t>(there.first.row)];
    if (back.first.row != i) continue;
    pairs.push_back({i, there.first.row, there.first.distance, std::min(there.second.distance, back.second.distance)});
  }
  return pairs;
}

std::vector<MutualPair> search_mutual(std::span<const float> a, std::span<const float> b, int dimension, int chunks) {
  const int64_t rows = std::ssize(a) / dimension, columns = std::ssize(b) / dimension;
  if (auto found = search_on_gpu(a, b, dimension)) return std::move(*found);
  if (chunks == 0) chunks = static_cast<int>(std::min<int64_t>(thread_count(), rows / kRowsOfAChunk));
  if (std::min(rows, columns) >= kFewestForBytes) {
    if (auto found = search_by_bytes(a, b, dimension, best_byte_tiles(), chunks)) return std::move(*found);
  }
  return search_twice(a, b, dimension);
}

}  // namespace adasample
