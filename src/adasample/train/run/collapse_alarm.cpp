// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/run/collapse_alarm.h"

#include <fmt/format.h>

#include <cmath>

namespace adasample {
namespace {

constexpr const char* kCure =
    "train with the warm-up (--preset robust), on narrower or graded views, or with a lower --lambda";

}  // namespace

std::optional<CollapseAlarm::Sign> CollapseAlarm::update(double loss, double positive_distance, double effective_rank,
                                                         double masked_share) {
  window_.push_back({loss, positive_distance, effective_rank, masked_share});
  if (static_cast<int64_t>(window_.size()) > kWindow) window_.pop_front();
  if (static_cast<int64_t>(window_.size()) < kWindow) return std::nullopt;

  Figures mean{0, 0, 0, 0};
  int64_t ranks = 0;
  for (const Figures& f : window_) {
    mean.loss += f.loss / kWindow;
    mean.positive_distance += f.positive_distance / kWindow;
    if (!std::isnan(f.effective_rank)) mean.effective_rank += (f.effective_rank - mean.effective_rank) / ++ranks;
    mean.masked_share += f.masked_share / kWindow;
  }
  if (std::abs(mean.loss - margin_) < 0.1 && mean.positive_distance < 0.25) {
    return Sign{
        fmt::format("the loss is pinned at the margin ({:.3f} of {:g}) with a mean positive distance of only {:.3f}",
                    mean.loss, margin_, mean.positive_distance),
        kCure};
  }
  if (ranks > 0 && mean.effective_rank < 4) {
    return Sign{fmt::format("the batch's descriptors have an effective rank of only {:.2f}", mean.effective_rank),
                kCure};
  }
  if (mean.masked_share > 0.5) {
    return Sign{fmt::format("{:.0f} % of the rows have no negative that is not a duplicate", 100 * mean.masked_share),
                kCure};
  }
  return std::nullopt;
}

}  // namespace adasample
