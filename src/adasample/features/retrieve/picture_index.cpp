// SPDX-License-Identifier: Apache-2.0
#include "adasample/features/retrieve/picture_index.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/features/match/mutual_matches.h"
#include "adasample/features/match/nearest_rows.h"
#include "adasample/features/match/square_table.h"

namespace adasample {
namespace {

constexpr size_t kQueries = 16;     // pictures compared with all at a time
constexpr size_t kStrongest = 500;  // rows of a picture that are matched
constexpr float kSteps = 254;       // to 1: entries of unit rows are rarely above 1/2
constexpr double kRatio = 0.9;

}  // namespace

void PictureIndex::add(std::span<const float> rows) {
  const auto width = static_cast<size_t>(vocabulary_.dimension), count = rows.size() / width;
  ADA_ASSERT(rows.size() == count * width);
  std::vector<double> sums(vocabulary_.words.size());
  std::vector<bool> used(vocabulary_.size());
  if (count > 0) {
    const auto nearest = all_nearest(rows, vocabulary_.words, vocabulary_.dimension, &NearestRows::find);
    for (size_t i = 0; i < count; ++i) {
      const auto word = static_cast<size_t>(nearest[i].row);
      const double distance = nearest[i].distance;
      if (distance == 0) continue;
      for (size_t k = 0; k < width; ++k) {
        sums[word * width + k] += (double{rows[i * width + k]} - vocabulary_.words[word * width + k]) / distance;
      }
    }
  }
  for (size_t word = 0; word < vocabulary_.size(); ++word) {
    double square = 0;
    for (size_t k = 0; k < width; ++k) square += sums[word * width + k] * sums[word * width + k];
    used[word] = square > 0;
    const double unit = square > 0 ? 1 / std::sqrt(square) : 0;
    for (size_t k = 0; k < width; ++k) sums_.push_back(static_cast<float>(sums[word * width + k] * unit));
  }
  used_.push_back(std::move(used));
  std::vector<int8_t> rounded;
  for (const float v : rows.first(std::min(rows.size(), kStrongest * width))) {
    rounded.push_back(static_cast<int8_t>(std::lround(std::clamp(kSteps * v, -127.0f, 127.0f))));
  }
  strongest_.push_back(std::move(rounded));
}

std::vector<float> PictureIndex::strongest(uint32_t picture) const {
  std::vector<float> rows;
  for (const int8_t v : strongest_[picture]) rows.push_back(static_cast<float>(v) / kSteps);
  return rows;
}

size_t PictureIndex::shared(uint32_t a, uint32_t b) const {
  const auto matches = rated_matches(strongest(a), strongest(b), vocabulary_.dimension, /*chunks=*/1);
  return static_cast<size_t>(
      std::count_if(matches.begin(), matches.end(), [](const RatedMatch& m) { return m.ratio <= kRatio; }));
}

std::vector<std::vector<uint32_t>> PictureIndex::most_alike(int top) const {
  ADA_USAGE(top >= 1, "top = {}, must be 1 or more", top);
  std::vector<std::vector<uint32_t>> alike = by_vectors(static_cast<size_t>(top) * 2 + 20);
  using Pair = std::pair<uint32_t, uint32_t>;
  const auto pair_of = [](size_t i, uint32_t j) {
    const auto picture = static_cast<uint32_t>(i);
    return Pair(std::min(picture, j), std::max(picture, j));
  };
  std::map<Pair, size_t> counts;
  for (size_t i = 0; i < alike.size(); ++i) {
    for (const uint32_t j : alike[i]) counts[pair_of(i, j)] = 0;
  }
  std::vector<std::pair<const Pair, size_t>*> work;
  for (auto& entry : counts) work.push_back(&entry);
  Progress progress("comparing", "pairs", std::ssize(work));
  parallel_for(std::ssize(work), [&](int64_t i) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[pairs] interrupted; nothing was written");
    auto& [pair, count] = *work[static_cast<size_t>(i)];
    count = shared(pair.first, pair.second);
    progress.add(1);
  });
  for (size_t i = 0; i < alike.size(); ++i) {
    std::stable_sort(alike[i].begin(), alike[i].end(),
                     [&](uint32_t x, uint32_t y) { return counts.at(pair_of(i, x)) > counts.at(pair_of(i, y)); });
    alike[i].resize(std::min(alike[i].size(), static_cast<size_t>(top)));
  }
  return alike;
}

std::vector<std::vector<uint32_t>> PictureIndex::by_vectors(size_t most) const {
  const auto width = static_cast<size_t>(vocabulary_.dimension), whole = vocabulary_.words.size(), count = size();
  std::vector<std::vector<uint32_t>> alike(count);
  if (count == 0) return alike;
  std::vector<double> rare(vocabulary_.size());
  for (size_t word = 0; word < rare.size(); ++word) {
    const auto having = std::count_if(used_.begin(), used_.end(), [&](const auto& used) { return used[word]; });
    rare[word] = std::log((1 + static_cast<double>(count)) / (1 + static_cast<double>(having))) + 1;
  }
  std::vector<float> vectors(sums_);  // (pictures, words, dimension)
  std::vector<bool> empty(count);
  for (size_t picture = 0; picture < count; ++picture) {
    double square = 0;
    for (size_t word = 0; word < rare.size(); ++word) square += used_[picture][word] ? rare[word] * rare[word] : 0;
    empty[picture] = square == 0;
    for (size_t i = 0; i < whole; ++i) {
      vectors[picture * whole + i] *= static_cast<float>(rare[i / width] / std::sqrt(std::max(square, 1e-30)));
    }
  }
  const SquareTable table(vectors, static_cast<int>(whole));
  parallel_for(static_cast<int64_t>((count + kQueries - 1) / kQueries), [&](int64_t block) {
    const size_t begin = static_cast<size_t>(block) * kQueries, some = std::min(kQueries, count - begin);
    std::vector<float> squares(some * count);
    table.squares(std::span(vectors).subspan(begin * whole, some * whole), squares);
    for (size_t q = 0; q < some; ++q) {
      const size_t picture = begin + q;
      if (empty[picture]) continue;
      std::vector<uint32_t> others;
      for (size_t i = 0; i < count; ++i) {
        if (i != picture && !empty[i]) others.push_back(static_cast<uint32_t>(i));
      }
      const size_t kept = std::min(others.size(), most);
      std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(kept), others.end(),
                        [&](uint32_t x, uint32_t y) {
                          return std::pair(squares[q * count + x], x) < std::pair(squares[q * count + y], y);
                        });
      others.resize(kept);
      alike[picture] = std::move(others);
    }
  });
  return alike;
}

std::vector<std::pair<uint32_t, uint32_t>> PictureIndex::pairs(int top) const {
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  const auto alike = most_alike(top);
  for (size_t i = 0; i < alike.size(); ++i) {
    for (const uint32_t j : alike[i]) {
      const auto picture = static_cast<uint32_t>(i);
      pairs.emplace(std::min(picture, j), std::max(picture, j));
    }
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace adasample
