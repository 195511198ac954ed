// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/tracks/track_evaluation.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/store/provenance.h"
#include "adasample/eval/scores/average_precision.h"
#include "adasample/eval/scores/pair_evaluation.h"
#include "adasample/eval/tracks/pair_ranks.h"
#include "adasample/features/match/square_table.h"
#include "adasample/model/learned_metric.h"

namespace adasample {
namespace {

using nlohmann::ordered_json;

constexpr size_t kBlockQueries = 32;  // rows of the table at a time: they stay in the cache
constexpr size_t kJobBlocks = 16;     // a thread's share

// The patches of one picture, as rows.
struct DescribedPicture {
  std::vector<int64_t> patches;  // by index
  std::vector<int64_t> classes;  // of each patch; never falling, since classes lie one after another
  std::vector<float> rows;       // (patches, dimension)
  std::unique_ptr<SquareTable> table;
};

struct Range {
  size_t begin = 0, end = 0;
};

Range candidates_of(const DescribedPicture& picture, int64_t class_index) {
  const auto [begin, end] = std::equal_range(picture.classes.begin(), picture.classes.end(), class_index);
  return {static_cast<size_t>(begin - picture.classes.begin()), static_cast<size_t>(end - picture.classes.begin())};
}

struct ScoredPair {
  PicturePair pictures;
  std::vector<size_t> queries;  // patches of a, by their place there
  std::vector<Range> right;     // of each query: the candidates of its class
  std::vector<float> positives;
  std::vector<uint8_t> found;   // of each query: whether its nearest candidate is right
  std::vector<double> nearest;  // and how far it is, squared
  float decisive = 0;           // the distance with which 95 % of the pair's positives are in
  int64_t accepted = 0, negatives = 0;

  double top1() const {
    return static_cast<double>(std::count(found.begin(), found.end(), 1)) / static_cast<double>(found.size());
  }

  double matching() const {
    std::vector<double> scores;
    for (const double square : nearest) scores.push_back(-std::sqrt(square));
    return average_precision_trapezoid(ranked_curve(found, scores, std::ssize(found)));
  }
};

class SceneScorer {
 public:
  SceneScorer(const PatchStore& store, const std::vector<int64_t>& classes, const TrackScene& scene)
      : store_(store), classes_(classes), scene_(scene) {}

  void describe(Descriptor& descriptor, double& seconds) {
    dimension_ = static_cast<size_t>(descriptor.dimension());
    for (const PicturePair& pair : scene_.pairs) pictures_[pair.a], pictures_[pair.b];
    for (int64_t i = 0; i < store_.patch_count(); ++i) {
      const auto found = pictures_.find(store_.picture(i));
      if (found == pictures_.end()) continue;
      found->second.patches.push_back(i);
      found->second.classes.push_back(classes_[static_cast<size_t>(i)]);
    }
    int64_t patches = 0;
    for (const auto& entry : pictures_) patches += std::ssize(entry.second.patches);
    Progress progress("describing", "patches", patches);
    for (auto& [unused, picture] : pictures_) {
      picture.rows = describe_patches(source_of(store_), descriptor, picture.patches, progress, seconds);
      store_.check_intact();
    }
  }

  ordered_json score() {
    prepare();
    std::vector<float> positives;
    for (const ScoredPair& pair : pairs_)
      positives.insert(positives.end(), pair.positives.begin(), pair.positives.end());
    const PairRanks ranks(std::move(positives));
    const std::vector<int64_t> counts = count_negatives(ranks);
    return to_json(ranks.figures(counts), ranks.positives());
  }

 private:
  std::span<const float> row(const DescribedPicture& picture, size_t i) const {
    return std::span(picture.rows).subspan(i * dimension_, dimension_);
  }

  // Queries and positives of every pair.
  void prepare() {
    std::vector<DescribedPicture*> second;
    for (const PicturePair& pair : scene_.pairs) second.push_back(&pictures_.at(pair.b));
    std::sort(second.begin(), second.end());
    second.erase(std::unique(second.begin(), second.end()), second.end());
    parallel_for(std::ssize(second), [&](int64_t i) {
      DescribedPicture& picture = *second[static_cast<size_t>(i)];
      picture.table = std::make_unique<SquareTable>(picture.rows, static_cast<int>(dimension_));
    });
    pairs_.resize(scene_.pairs.size());
    parallel_for(std::ssize(pairs_), [&](int64_t i) {
      ScoredPair& pair = pairs_[static_cast<size_t>(i)];
      pair.pictures = scene_.pairs[static_cast<size_t>(i)];
      const DescribedPicture &a = pictures_.at(pair.pictures.a), &b = pictures_.at(pair.pictures.b);
      for (size_t q = 0; q < a.patches.size(); ++q) {
        const Range right = candidates_of(b, a.classes[q]);
        if (right.begin == right.end) continue;
        pair.queries.push_back(q);
        pair.right.push_back(right);
        for (size_t r = right.begin; r < right.end; ++r) {
          pair.positives.push_back(b.table->square(row(a, q), static_cast<int64_t>(r)));
        }
      }
      pair.found.resize(pair.queries.size());
      pair.nearest.resize(pair.queries.size());
      pair.negatives = std::ssize(pair.queries) * std::ssize(b.patches) - std::ssize(pair.positives);
      pair.decisive = PairRanks(pair.positives).distance_at(0.95);
    });
  }

  struct Job {
    size_t pair, first, end;  // queries
  };

  // Over the places of `ranks`; fills in what each pair wants to know on the way.
  std::vector<int64_t> count_negatives(const PairRanks& ranks) {
    std::vector<Job> jobs;
    int64_t queries = 0;
    for (size_t pair = 0; pair < pairs_.size(); ++pair) {
      const size_t count = pairs_[pair].queries.size(), step = kBlockQueries * kJobBlocks;
      queries += static_cast<int64_t>(count);
      for (size_t first = 0; first < count; first += step) {
        jobs.push_back({pair, first, std::min(count, first + step)});
      }
    }
    Progress progress("matching", "patches", queries);
    std::vector<int64_t> all(ranks.places());
    std::mutex mutex;
    parallel_for(std::ssize(jobs), [&](int64_t i) {
      if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted while matching tracks");
      const Job& job = jobs[static_cast<size_t>(i)];
      std::vector<int64_t> counts(ranks.places());
      int64_t accepted = 0;
      for (size_t first = job.first; first < job.end; first += kBlockQueries) {
        accepted += match_block(pairs_[job.pair], first, std::min(job.end, first + kBlockQueries), ranks, counts);
      }
      const std::lock_guard lock(mutex);
      pairs_[job.pair].accepted += accepted;
      for (size_t place = 0; place < all.size(); ++place) all[place] += counts[place];
      progress.add(static_cast<int64_t>(job.end - job.first));
    });
    return all;
  }

  // Returns how many negatives are no farther than the pair's decisive positive.
  int64_t match_block(ScoredPair& pair, size_t first, size_t end, const PairRanks& ranks,
                      std::vector<int64_t>& counts) const {
    const DescribedPicture &a = pictures_.at(pair.pictures.a), &b = pictures_.at(pair.pictures.b);
    const size_t candidates = b.patches.size();
    std::vector<float> queries, squares((end - first) * candidates);
    for (size_t q = first; q < end; ++q) {
      const std::span<const float> query = row(a, pair.queries[q]);
      queries.insert(queries.end(), query.begin(), query.end());
    }
    b.table->squares(queries, squares);
    int64_t accepted = 0;
    for (size_t q = first; q < end; ++q) {
      const std::span<const float> to = std::span(squares).subspan((q - first) * candidates, candidates);
      const Range right = pair.right[q];
      const auto nearest = static_cast<size_t>(std::min_element(to.begin(), to.end()) - to.begin());
      pair.found[q] = nearest >= right.begin && nearest < right.end ? 1 : 0;
      pair.nearest[q] = to[nearest];
      for (const auto& part : {to.first(right.begin), to.subspan(right.end)}) {
        for (const float square : part) {
          ++counts[ranks.place(square)];
          accepted += square <= pair.decisive ? 1 : 0;
        }
      }
    }
    return accepted;
  }

  ordered_json to_json(const PairRanks::Figures& figures, int64_t positives) const {
    double matching = 0, top1 = 0;
    int64_t queries = 0;
    ordered_json pairs = ordered_json::array();
    for (const ScoredPair& pair : pairs_) {
      const double precision = pair.matching(), share = pair.top1();
      matching += precision / static_cast<double>(pairs_.size());
      top1 += share / static_cast<double>(pairs_.size());
      queries += std::ssize(pair.queries);
      pairs.push_back({{"a", store_.picture_names()[static_cast<size_t>(pair.pictures.a)]},
                       {"b", store_.picture_names()[static_cast<size_t>(pair.pictures.b)]},
                       {"queries", pair.queries.size()},
                       {"candidates", pictures_.at(pair.pictures.b).patches.size()},
                       {"matching", precision},
                       {"top1", share},
                       {"fpr95", static_cast<double>(pair.accepted) / static_cast<double>(pair.negatives)}});
    }
    return {{"matching", matching},
            {"top1", top1},
            {"fpr95", figures.fpr95},
            {"verification", figures.average_precision},
            {"queries", queries},
            {"positives", positives},
            {"negatives", figures.negatives},
            {"pairs_left_out", scene_.left_out},
            {"pairs", pairs}};
  }

  const PatchStore& store_;
  const std::vector<int64_t>& classes_;  // of every patch
  const TrackScene& scene_;
  size_t dimension_ = 0;
  std::map<int64_t, DescribedPicture> pictures_;
  std::vector<ScoredPair> pairs_;
};

std::vector<int64_t> classes_of_patches(const PatchStore& store) {
  std::vector<int64_t> classes;
  for (int64_t c = 0; c < store.class_count(); ++c) {
    classes.insert(classes.end(), static_cast<size_t>(store.class_size(c)), c);
  }
  return classes;
}

// The pictures of a class, each once, in their order.
std::vector<int64_t> pictures_of(const PatchStore& store, int64_t c) {
  std::set<int64_t> pictures;
  for (int64_t i = 0; i < store.class_size(c); ++i) pictures.insert(store.picture(store.class_begin(c) + i));
  return {pictures.begin(), pictures.end()};
}

}  // namespace

void TrackOptions::validate() const {
  ADA_USAGE(min_shared >= 2, "TrackOptions::min_shared = {}, must be 2 at least", min_shared);
}

std::vector<TrackScene> track_scenes(const PatchStore& store, const TrackOptions& options) {
  options.validate();
  ADA_CHECK(store.has_pictures(),
            "[tracks] {}: expected a store whose patches know their pictures, found no pictures.npy - 'adasample data "
            "redetected' and 'adasample data colmap' make such stores",
            store.folder().string());
  const std::vector<std::string>& scene_of_picture = store.picture_scenes();
  const auto kind = store.meta().find("picture_pairs");
  const bool with_reference = kind != store.meta().end() && *kind == "reference";
  std::vector<TrackScene> scenes;
  std::map<std::string, size_t> numbers;
  std::vector<int64_t> references;  // the first picture of each scene
  for (size_t p = 0; p < scene_of_picture.size(); ++p) {
    if (!numbers.emplace(scene_of_picture[p], scenes.size()).second) continue;
    scenes.push_back({.name = scene_of_picture[p], .pairs = {}});
    references.push_back(static_cast<int64_t>(p));
  }

  const auto pictures = static_cast<int64_t>(scene_of_picture.size());
  std::unordered_map<int64_t, int64_t> shared;  // by a * pictures + b
  for (int64_t c = 0; c < store.class_count(); ++c) {
    const std::vector<int64_t> seen = pictures_of(store, c);
    for (size_t i = 0; i < seen.size(); ++i) {
      const std::string& scene = scene_of_picture[static_cast<size_t>(seen[i])];
      if (with_reference && seen[i] != references[numbers.at(scene)]) continue;
      for (size_t j = i + 1; j < seen.size(); ++j) {
        if (scene_of_picture[static_cast<size_t>(seen[j])] == scene) ++shared[seen[i] * pictures + seen[j]];
      }
    }
  }
  const std::map<int64_t, int64_t> sorted(shared.begin(), shared.end());
  for (const auto& [key, count] : sorted) {
    TrackScene& scene = scenes[numbers.at(scene_of_picture[static_cast<size_t>(key / pictures)])];
    if (count >= options.min_shared) {
      scene.pairs.push_back({.a = key / pictures, .b = key % pictures, .shared = count});
    } else {
      ++scene.left_out;
    }
  }
  std::erase_if(scenes, [](const TrackScene& scene) { return scene.pairs.empty(); });
  ADA_CHECK(!scenes.empty(),
            "[tracks] {}: expected two pictures of a scene that share {} classes, found none among {} pictures - lower "
            "--min-shared",
            store.folder().string(), options.min_shared, pictures);
  return scenes;
}

ordered_json evaluate_tracks(const PatchStore& store, Descriptor& descriptor, const TrackOptions& options,
                             double* seconds) {
  refuse_learned_metric(descriptor, "tracks");
  const std::vector<TrackScene> scenes = track_scenes(store, options);
  const std::vector<int64_t> classes = classes_of_patches(store);
  ordered_json result = {
      {"protocol", "tracks"},
      {"definition",
       {{"matching",
         "nearest patch in the other picture, ranked by distance: average precision by trapezoids; mean over pairs of "
         "pictures"},
        {"top1", "share of the patches whose nearest is right; mean over pairs of pictures"},
        {"fpr95", "share of all wrong pairs of such pictures no farther than the right one with which 95 % are in"},
        {"verification", "average precision, by trapezoids, of the same pairs; ties count against"}}},
      {"matching", 0.0},
      {"top1", 0.0},
      {"fpr95", 0.0},
      {"verification", 0.0},
      {"scenes", scenes.size()},
      {"pairs", 0},
      {"queries", 0},
      {"min_shared", options.min_shared}};
  double describing = 0;
  int64_t pairs = 0, queries = 0;
  std::map<std::string, double> sums;
  ordered_json by_scene;
  for (const TrackScene& scene : scenes) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[eval] interrupted while matching tracks");
    SceneScorer scorer(store, classes, scene);
    scorer.describe(descriptor, describing);
    ordered_json& figures = by_scene[scene.name] = scorer.score();
    pairs += std::ssize(scene.pairs);
    queries += figures["queries"].get<int64_t>();
    for (const char* figure : {"matching", "top1", "fpr95", "verification"}) {
      sums[figure] += figures[figure].get<double>();
    }
  }
  for (const auto& [figure, sum] : sums) result[figure] = sum / static_cast<double>(scenes.size());
  result["pairs"] = pairs;
  result["queries"] = queries;
  result["sequences"] = by_scene;
  if (seconds != nullptr) *seconds = describing;
  return result;
}

std::string tracks_table(const ordered_json& result) {
  std::string text = fmt::format("{:<24}{:>7}{:>10}{:>10}{:>8}{:>8}{:>14}\n", "%", "pairs", "queries", "matching",
                                 "top 1", "FPR95", "verification");
  const auto line = [](const std::string& name, size_t pairs, const ordered_json& figures) {
    const auto percent = [&](const char* key) { return 100 * figures[key].get<double>(); };
    return fmt::format("{:<24}{:>7}{:>10}{:>10.2f}{:>8.2f}{:>8.3f}{:>14.2f}\n", name, pairs,
                       figures["queries"].get<int64_t>(), percent("matching"), percent("top1"), percent("fpr95"),
                       percent("verification"));
  };
  for (const auto& [name, figures] : result["sequences"].items()) {
    text += line(name, figures["pairs"].size(), figures);
  }
  text += line("mean over scenes", result["pairs"].get<size_t>(), result);
  text.pop_back();
  return text;
}

void refuse_trained_on(const PatchStore& judge, const std::vector<std::string>& stores) {
  for (const std::string& folder : stores) {
    ADA_CHECK(!share_scenes(PatchStore::open(folder).meta(), judge.meta()),
              "[tracks] {} shows scenes of {}: a scene trained on never judges - make a store of other scenes",
              judge.folder().string(), folder);
  }
}

}  // namespace adasample
