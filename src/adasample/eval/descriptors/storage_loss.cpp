// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/storage_loss.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "adasample/base/error.h"
#include "adasample/features/match/nearest_rows.h"

namespace adasample {
namespace {

constexpr size_t kMostSampled = 4096;  // rows
constexpr double kNormTolerance = 0.01;

// Of each row the nearest that is not the row itself, which is among its two nearest.
std::vector<int64_t> nearest_others(const std::vector<float>& rows, size_t dimension) {
  const auto two = all_nearest(rows, rows, static_cast<int>(dimension), &NearestRows::find_two);
  std::vector<int64_t> others;
  for (int64_t i = 0; i < std::ssize(two); ++i) {
    const NearestRows::NearestTwo& found = two[static_cast<size_t>(i)];
    others.push_back(found.first.row == i ? found.second.row : found.first.row);
  }
  return others;
}

}  // namespace

nlohmann::ordered_json StorageLoss::json() const {
  return {
      {"largest_difference", largest}, {"rms_difference", rms}, {"sample", sample}, {"changed_neighbours", changed}};
}

std::string StorageLoss::text(const std::string& type) const {
  return fmt::format("{} costs: numbers off by {:.2g} rms, {:.2g} at most; of {} rows {:.2f} % have another neighbour",
                     type, rms, largest, sample, 100 * changed);
}

LossMeter::LossMeter(NumberType type, int dimension) : type_(type), dimension_(static_cast<size_t>(dimension)) {}

void LossMeter::add(std::span<const float> rows) {
  ADA_ASSERT(rows.size() % dimension_ == 0);
  const std::vector<float> kept = decode_numbers(type_, encode_numbers(type_, rows));
  for (size_t i = 0; i < rows.size(); ++i) {
    const double difference = std::abs(double{kept[i]} - double{rows[i]});
    largest_ = std::max(largest_, difference);
    squares_ += difference * difference;
  }
  for (; !rows.empty(); rows = rows.subspan(dimension_), ++rows_) {
    if (rows_ % step_ != 0) continue;
    sample_.insert(sample_.end(), rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(dimension_));
    if (sample_.size() < 2 * kMostSampled * dimension_) continue;
    for (size_t i = 1; i < kMostSampled; ++i) {  // every other one stays
      std::copy_n(sample_.begin() + static_cast<std::ptrdiff_t>(2 * i * dimension_), dimension_,
                  sample_.begin() + static_cast<std::ptrdiff_t>(i * dimension_));
    }
    sample_.resize(kMostSampled * dimension_);
    step_ *= 2;
  }
}

StorageLoss LossMeter::result() const {
  const auto sampled = std::ssize(sample_) / static_cast<int64_t>(dimension_);
  StorageLoss loss{.largest = largest_, .rms = 0, .sample = sampled, .changed = 0};
  if (rows_ > 0) loss.rms = std::sqrt(squares_ / static_cast<double>(rows_) / static_cast<double>(dimension_));
  if (sampled < 2) return loss;
  const std::vector<int64_t> before = nearest_others(sample_, dimension_);
  const std::vector<int64_t> now = nearest_others(decode_numbers(type_, encode_numbers(type_, sample_)), dimension_);
  int64_t changed = 0;
  for (size_t i = 0; i < before.size(); ++i) changed += before[i] != now[i] ? 1 : 0;
  loss.changed = static_cast<double>(changed) / static_cast<double>(sampled);
  return loss;
}

void require_unit_rows(std::span<const float> rows, int dimension, const std::string& descriptor,
                       const std::string& wanted_by) {
  const auto width = static_cast<size_t>(dimension);
  ADA_ASSERT(dimension >= 1 && rows.size() % width == 0);
  for (; !rows.empty(); rows = rows.subspan(width)) {
    double square = 0;
    for (const float x : rows.first(width)) square += double{x} * x;
    const double norm = std::sqrt(square);
    ADA_CHECK(norm == 0 || std::abs(norm - 1) <= kNormTolerance,
              "[descriptors] {} takes descriptors of norm 1, {} has one of norm {:.3g}", wanted_by, descriptor, norm);
  }
}

}  // namespace adasample
