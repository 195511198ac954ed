// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "adasample/eval/hpatches/hpatches_evaluation.h"

namespace adasample {
namespace {

using nlohmann::ordered_json;

// `extra` names the third figure; null: there is none.
ordered_json to_json(const TaskScore& score, const char* extra) {
  ordered_json object = {{"trapezoid", score.trapezoid}, {"step", score.step}};
  if (extra != nullptr) object[extra] = score.extra;
  return object;
}

ordered_json verification_json(const VerificationScores& scores) {
  ordered_json object = to_json(mean_of(scores), "auc");
  for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
    for (size_t kind = 0; kind < kVerificationKinds.size(); ++kind) {
      object["per"][kHpatchesLevels[level]][kVerificationKinds[kind]] = to_json(scores[level][kind], "auc");
    }
  }
  return object;
}

ordered_json matching_json(const MatchingResult& result) {
  ordered_json object = to_json(result.mean, "success");
  for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
    object["per"][kHpatchesLevels[level]] = to_json(result.levels[level], "success");
  }
  return object;
}

ordered_json retrieval_json(const RetrievalResult& result) {
  ordered_json object = to_json(result.mean, nullptr);
  for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
    for (size_t pool = 0; pool < kPoolSizes.size(); ++pool) {
      object["per"][kHpatchesLevels[level]][std::to_string(kPoolSizes[pool])] =
          to_json(result.levels[level][pool], nullptr);
    }
  }
  return object;
}

ordered_json sequences_json(const HpatchesFigures& figures) {
  ordered_json object;
  for (size_t s = 0; s < figures.shapes.size(); ++s) {
    const SequenceShape& shape = figures.shapes[s];
    const auto& matching = figures.matching.sequences[s];
    const auto& verification = figures.verification.sequences[s];
    std::vector<TaskScore> retrieval;
    for (const auto& level : figures.retrieval.sequences[s]) retrieval.push_back(level.back());
    ordered_json& entry = object[shape.name];
    entry = {{"patches", shape.patches},
             {"images", shape.images},
             {"verification", to_json(mean_of(figures.verification.sequences[s]), "auc")},
             {"matching", to_json(mean_of(std::vector(matching.begin(), matching.end())), "success")},
             {"retrieval", to_json(mean_of(retrieval), nullptr)}};
    for (size_t level = 0; level < kHpatchesLevels.size(); ++level) {
      const char* name = kHpatchesLevels[level];
      entry["matching"]["per"][name] = to_json(matching[level], "success");
      for (size_t kind = 0; kind < kVerificationKinds.size(); ++kind) {
        entry["verification"]["per"][name][kVerificationKinds[kind]] = to_json(verification[level][kind], "auc");
      }
      entry["retrieval"]["per"][name][std::to_string(kPoolSizes.back())] = to_json(retrieval[level], nullptr);
    }
    if (figures.corrected) {
      entry["corrected"]["verification"] = to_json(mean_of(figures.corrected->sequences[s]), "auc");
    }
  }
  return object;
}

// A line of the table: the three levels and their mean, per cent.
std::string line(const std::string& name, std::array<double, 3> levels) {
  const double mean = std::accumulate(levels.begin(), levels.end(), 0.0) / 3;
  return fmt::format("{:<28}{:>8.2f}{:>8.2f}{:>8.2f}{:>8.2f}\n", name, 100 * levels[0], 100 * levels[1],
                     100 * levels[2], 100 * mean);
}

template <typename Pick>
std::string verification_lines(const std::string& name, const VerificationScores& scores, const Pick& pick) {
  std::string text;
  std::array<double, 3> both{};
  for (size_t kind = 0; kind < kVerificationKinds.size(); ++kind) {
    std::array<double, 3> levels;
    for (size_t level = 0; level < levels.size(); ++level) {
      levels[level] = pick(scores[level][kind]);
      both[level] += levels[level] / 2;
    }
    text += line(fmt::format("{}, {}", name, kVerificationKinds[kind]), levels);
  }
  return text + line(name, both);
}

template <typename Pick>
std::string block(const char* title, const HpatchesFigures& figures, const Pick& pick) {
  std::string text = fmt::format("{:<28}{:>8}{:>8}{:>8}{:>8}\n", title, "easy", "hard", "tough", "mean");
  text += verification_lines("verification", figures.verification.scores, pick);
  if (figures.corrected) text += verification_lines("  corrected", figures.corrected->scores, pick);
  std::array<double, 3> matching, retrieval;
  for (size_t level = 0; level < 3; ++level) {
    matching[level] = pick(figures.matching.levels[level]);
    retrieval[level] = pick(figures.retrieval.levels[level].back());
  }
  return text + line("matching", matching) + line("retrieval", retrieval);
}

// Of the lists of one task, which are all read or all drawn.
const char* origin_text(std::span<const ListOrigin> lists) {
  const bool published =
      std::all_of(lists.begin(), lists.end(), [](const ListOrigin& list) { return list.published.value_or(false); });
  if (lists.front().read) return published ? "read, the benchmark's" : "read";
  return published ? "drawn, equal to the benchmark's" : "drawn";
}

}  // namespace

ordered_json figures_json(const HpatchesFigures& figures, const HpatchesEvalOptions& options) {
  ordered_json lists;
  for (const ListOrigin& list : figures.lists) {
    lists[list.file] = {{"origin", list.read ? "read" : "drawn"}, {"git_blob", list.git_blob}, {"published", nullptr}};
    if (list.published) lists[list.file]["published"] = *list.published;
  }
  ordered_json object = {
      {"protocol", "HPatches"},
      {"definition",
       {{"trapezoid", "area under precision over recall as the benchmark's python prints it"},
        {"step", "average precision as its MATLAB code and paper have it"},
        {"verification", "mean over level x {inter, intra}, all negatives and a fifth of the positives"},
        {"matching", "mean over level, sequence and image; nearest neighbours, ranked by distance"},
        {"retrieval", "mean over level and query at the largest pool"}}},
      {"split", options.split},
      {"dist", norm_name(options.norm)},
      {"verification", verification_json(figures.verification.scores)},
      {"matching", matching_json(figures.matching)},
      {"retrieval", retrieval_json(figures.retrieval)}};
  if (figures.corrected) object["corrected"]["verification"] = verification_json(figures.corrected->scores);
  object["sequences"] = sequences_json(figures);
  object["lists"] = lists;
  object["seconds"] = {{"lists", figures.seconds.lists},
                       {"verification", figures.seconds.verification},
                       {"matching", figures.seconds.matching},
                       {"retrieval", figures.seconds.retrieval}};
  return object;
}

std::string figures_table(const HpatchesFigures& figures, const HpatchesEvalOptions& options) {
  int64_t patches = 0;
  for (const SequenceShape& shape : figures.shapes) patches += shape.patches;
  std::string text = fmt::format("HPatches, split {}, {}: {} sequences, {} patches\n", options.split,
                                 norm_name(options.norm), figures.shapes.size(), patches);
  text += block("mAP %, trapezoid (python)", figures, [](const auto& score) { return score.trapezoid; });
  text += block("mAP %, step (MATLAB, paper)", figures, [](const auto& score) { return score.step; });
  const std::span<const ListOrigin> lists(figures.lists);
  text += fmt::format("lists: verification {}; retrieval {}", origin_text(lists.first(kVerificationLists)),
                      origin_text(lists.subspan(kVerificationLists)));
  return text;
}

}  // namespace adasample
