// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/matching/match_pairs.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <mutex>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/stopwatch.h"
#include "adasample/features/match/mutual_matches.h"

namespace adasample {
namespace {

constexpr size_t kBlock = 24;  // pictures whose pairs come one after another: two blocks are in use at once
constexpr double kSecondsBetweenSaves = 5;

// Features by picture number; those used last stay. A picture that cannot be read is remembered with its complaint.
class FeatureCache {
 public:
  FeatureCache(const PairSource& source, int64_t bytes) : source_(source), bytes_(bytes) {}

  // Null: it cannot be read.
  std::shared_ptr<const DescribedPicture> get(uint32_t picture) {
    const std::lock_guard lock(mutex_);
    if (const auto known = entries_.find(picture); known != entries_.end()) {
      order_.splice(order_.begin(), order_, known->second.place);
      return known->second.features;
    }
    std::shared_ptr<const DescribedPicture> features;
    try {
      features = std::make_shared<const DescribedPicture>(source_.features(picture));
    } catch (const Error& error) {
      if (error.kind() == Error::Kind::kInterrupted) throw;
      complaints_.emplace(picture, error.what());
    }
    order_.push_front(picture);
    entries_[picture] = {features, order_.begin()};
    held_ += size_of(features);
    while (held_ > bytes_ && order_.size() > 2) {
      const auto oldest = entries_.find(order_.back());
      held_ -= size_of(oldest->second.features);
      entries_.erase(oldest);
      order_.pop_back();
    }
    return features;
  }

  std::vector<std::string> complaints() const {
    std::vector<std::string> all;
    for (const auto& [picture, complaint] : complaints_) all.push_back(complaint);
    return all;
  }

 private:
  struct Entry {
    std::shared_ptr<const DescribedPicture> features;
    std::list<uint32_t>::iterator place;
  };
  static int64_t size_of(const std::shared_ptr<const DescribedPicture>& features) {
    if (!features) return 0;
    return static_cast<int64_t>(features->descriptors.size() * sizeof(float) +
                                features->keypoints.size() * sizeof(Keypoint));
  }

  const PairSource& source_;
  const int64_t bytes_;
  int64_t held_ = 0;
  std::mutex mutex_;
  std::list<uint32_t> order_;  // used last first
  std::map<uint32_t, Entry> entries_;
  std::map<uint32_t, std::string> complaints_;
};

struct Outcome {
  bool readable = false;
  MatchedPair matched;
  double matching = 0, verifying = 0;
};

const CameraIntrinsics* camera_of(const PairSource& source, uint32_t picture) {
  const auto& camera = source.cameras[picture];
  return camera ? &*camera : nullptr;
}

Outcome match_pair(const PairSource& source, FeatureCache& cache, ImagePair pair, const MatchPairsOptions& options,
                   int chunks) {
  Outcome outcome;
  outcome.matched.pair = pair;
  outcome.matched.view.kind = TwoViewKind::kUndefined;
  const auto first = cache.get(pair.first), second = cache.get(pair.second);
  if (!first || !second) return outcome;
  outcome.readable = true;
  ADA_CHECK(first->dimension == second->dimension, "[match] {} and {}: descriptors of {} and of {} numbers",
            source.names[pair.first], source.names[pair.second], first->dimension, second->dimension);
  const Stopwatch matching;
  std::vector<Point2> from, to;
  for (const RatedMatch& rated : rated_matches(first->descriptors, second->descriptors, first->dimension, chunks)) {
    if (!options.limits.keep(rated)) continue;
    const Keypoint& k = first->keypoints[static_cast<size_t>(rated.match.first)];
    const Keypoint& l = second->keypoints[static_cast<size_t>(rated.match.second)];
    outcome.matched.matches.push_back(rated);
    from.push_back({k.x, k.y});
    to.push_back({l.x, l.y});
  }
  outcome.matching = matching.seconds();
  if (!options.verify) return outcome;
  const Stopwatch verifying;
  TwoViewOptions geometry = options.geometry;
  geometry.threshold = options.threshold > 0 ? options.threshold : threshold_for(*first, *second);
  outcome.matched.view =
      estimate_two_view(from, to, camera_of(source, pair.first), camera_of(source, pair.second), geometry);
  outcome.verifying = verifying.seconds();
  return outcome;
}

}  // namespace

void MatchPairsOptions::validate() const {
  limits.validate();
  geometry.validate();
  if (threshold != 0) TwoViewOptions{.threshold = threshold}.validate();
  ADA_USAGE(picture_bytes > 0, "MatchPairsOptions::picture_bytes = {}, must be > 0", picture_bytes);
}

double threshold_for(const DescribedPicture& first, const DescribedPicture& second) {
  constexpr double kShare = 1e-3, kLeast = 1, kMost = 4;
  const int longest = std::max({first.width, first.height, second.width, second.height});
  return std::clamp(kShare * longest, kLeast, kMost);
}

MatchPairsReport match_pairs(const PairSource& source, std::vector<ImagePair> pairs, const MatchPairsOptions& options,
                             const std::function<void(const MatchedPair&)>& matched,
                             const std::function<void()>& save) {
  options.validate();
  ADA_ASSERT(source.cameras.size() == source.names.size());
  order_for_few(pairs, kBlock);
  FeatureCache cache(source, options.picture_bytes);
  MatchPairsReport report;
  const Stopwatch all;
  Stopwatch since_save;
  Progress progress("matching", "pairs", std::ssize(pairs));
  const int64_t ahead = 4 * int64_t{thread_count()};
  const int chunks = std::ssize(pairs) >= thread_count() ? 1 : thread_count();
  std::vector<Outcome> outcomes(static_cast<size_t>(ahead));
  const auto slot = [&](int64_t i) -> Outcome& { return outcomes[static_cast<size_t>(i % ahead)]; };
  const auto stop_if_asked = [] {
    if (stop_requested()) {
      ADA_THROW_KIND(kInterrupted,
                     "[match] interrupted; what was matched is kept, the same command goes on from there");
    }
  };
  try {
    parallel_in_order(
        std::ssize(pairs), ahead,
        [&](int64_t i) {
          stop_if_asked();
          slot(i) = match_pair(source, cache, pairs[static_cast<size_t>(i)], options, chunks);
        },
        [&](int64_t i) {
          const Outcome outcome = std::move(slot(i));
          report.seconds_matching += outcome.matching;
          report.seconds_verifying += outcome.verifying;
          progress.add(1);
          if (!outcome.readable) return;
          ++report.pairs;
          report.matches += std::ssize(outcome.matched.matches);
          report.inliers += std::ssize(outcome.matched.view.inliers);
          report.verified += outcome.matched.view.inliers.empty() ? 0 : 1;
          matched(outcome.matched);
          if (since_save.seconds() < kSecondsBetweenSaves) return;
          save();
          since_save = Stopwatch();
        });
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::kInterrupted) save();
    throw;
  }
  save();
  report.complaints = cache.complaints();
  report.seconds = all.seconds();
  return report;
}

}  // namespace adasample
