// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "adasample/eval/sequences/sequence_matching.h"

namespace adasample {
namespace {

using nlohmann::ordered_json;

// Of some pairs.
struct Means {
  double matches = 0, matching_score = 0;
  std::array<double, kMostPixels> accuracy{};
  std::array<double, kCornerPixels.size()> homography{};
  bool estimated = false;
};

Means mean_of(const std::vector<const PlaneScore*>& pairs) {
  Means mean;
  for (const PlaneScore* pair : pairs) {
    mean.matches += static_cast<double>(pair->matches);
    mean.matching_score += pair->matching_score;
    for (size_t t = 0; t < mean.accuracy.size(); ++t) mean.accuracy[t] += pair->accuracy[t];
    for (size_t t = 0; t < mean.homography.size(); ++t) mean.homography[t] += pair->homography[t];
    mean.estimated = pair->estimated;
  }
  const auto count = static_cast<double>(pairs.size());
  mean.matches /= count;
  mean.matching_score /= count;
  for (double& share : mean.accuracy) share /= count;
  for (double& share : mean.homography) share /= count;
  return mean;
}

// The pairs of the sequences whose name begins so.
std::vector<const PlaneScore*> pairs_of(const std::vector<MatchedSequence>& sequences, std::string_view prefix) {
  std::vector<const PlaneScore*> pairs;
  for (const MatchedSequence& sequence : sequences) {
    if (!sequence.name.starts_with(prefix)) continue;
    for (const PlaneScore& pair : sequence.pairs) pairs.push_back(&pair);
  }
  return pairs;
}

std::vector<const PlaneScore*> pairs_of(const MatchedSequence& sequence) {
  std::vector<const PlaneScore*> pairs;
  for (const PlaneScore& pair : sequence.pairs) pairs.push_back(&pair);
  return pairs;
}

ordered_json to_json(const Means& mean) {
  ordered_json object = {{"matches", mean.matches}, {"matching_score", mean.matching_score}};
  for (size_t t = 0; t < mean.accuracy.size(); ++t) object["mma"][std::to_string(t + 1)] = mean.accuracy[t];
  object["homography"] = nullptr;
  for (size_t t = 0; mean.estimated && t < mean.homography.size(); ++t) {
    object["homography"][std::to_string(kCornerPixels[t])] = mean.homography[t];
  }
  return object;
}

ordered_json to_json(const MatchedSequence& sequence) {
  ordered_json object = to_json(mean_of(pairs_of(sequence)));
  object["keypoints"] = sequence.keypoints;
  for (size_t i = 0; i < sequence.pairs.size(); ++i) {
    const PlaneScore& pair = sequence.pairs[i];
    ordered_json& entry = object["pairs"][std::to_string(i + 2)];
    entry = to_json(mean_of({&pair}));
    entry["shown"] = {pair.shown_ref, pair.shown_target};
    entry["corner_error"] = nullptr;
    if (pair.corner_error) entry["corner_error"] = *pair.corner_error;
  }
  return object;
}

std::string line(const std::string& name, const Means& mean) {
  std::string text = fmt::format("{:<20}{:>8.0f}{:>8.2f}", name, mean.matches, 100 * mean.matching_score);
  for (const size_t t : {1, 3, 5, 10}) text += fmt::format("{:>8.2f}", 100 * mean.accuracy[t - 1]);
  for (const double share : mean.homography) {
    text += mean.estimated ? fmt::format("{:>8.2f}", 100 * share) : fmt::format("{:>8}", "-");
  }
  return text + "\n";
}

}  // namespace

ordered_json matching_json(const std::vector<MatchedSequence>& sequences, const FeatureOptions& options) {
  ordered_json object = {
      {"protocol", "sequences"},
      {"definition",
       {{"matches", "mutual nearest neighbours, reference with each other picture; means over such pairs"},
        {"matching_score", "matches within 3 px over the keypoints both pictures show, mean of the two sides"},
        {"mma", "share of the matches within 1 .. 10 px of where the true homography puts them"},
        {"homography", "share of pairs whose estimated homography moves the corners by 1, 3, 5 px at most"}}},
      {"detector", options.detector},
      {"max_keypoints", options.max_keypoints},
      {"region", options.region_factor},
      {"size", options.size}};
  const std::vector<const PlaneScore*> all = pairs_of(sequences, "");
  object.update(to_json(mean_of(all)));
  for (const char* kind : {"i_", "v_"}) {
    const std::vector<const PlaneScore*> some = pairs_of(sequences, kind);
    if (!some.empty() && some.size() < all.size()) object["per"][kind] = to_json(mean_of(some));
  }
  object["left_out"] = ordered_json::array();
  if (object["homography"].is_null()) object["left_out"].push_back("homography: built without OpenCV");
  for (const MatchedSequence& sequence : sequences) object["sequences"][sequence.name] = to_json(sequence);
  return object;
}

std::string matching_table(const std::vector<MatchedSequence>& sequences) {
  std::string text = fmt::format("{:<20}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}{:>8}\n", "%", "matches", "score",
                                 "MMA 1", "MMA 3", "MMA 5", "MMA 10", "H 1 px", "H 3 px", "H 5 px");
  for (const MatchedSequence& sequence : sequences) text += line(sequence.name, mean_of(pairs_of(sequence)));
  const std::vector<const PlaneScore*> all = pairs_of(sequences, "");
  for (const auto& [prefix, name] : {std::pair{"i_", "light"}, {"v_", "viewpoint"}}) {
    const std::vector<const PlaneScore*> some = pairs_of(sequences, prefix);
    if (!some.empty() && some.size() < all.size()) text += line(name, mean_of(some));
  }
  text += line("all", mean_of(all));
  if (!all.front()->estimated) return text + "no homographies estimated: built without OpenCV";
  text.pop_back();
  return text;
}

}  // namespace adasample
