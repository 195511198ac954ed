// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/judges.h"

#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/conventions.h"
#include "adasample/base/error.h"
#include "adasample/base/files/fingerprint.h"
#include "adasample/data/doctor/doctor.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/eval/hpatches/hpatches_evaluation.h"
#include "adasample/eval/scores/dense_fpr.h"
#include "adasample/eval/scores/pair_evaluation.h"
#include "adasample/eval/sequences/sequence_matching.h"
#include "adasample/eval/tracks/track_evaluation.h"
#include "adasample/features/match/match_geometry.h"

namespace adasample {
namespace {

using nlohmann::ordered_json;

// What comparisons need, for hundreds of runs: without the words, the lists and what is below a sequence's figures.
ordered_json figures_of(ordered_json result) {
  for (const char* key : {"definition", "lists", "seconds"}) result.erase(key);
  if (const auto sequences = result.find("sequences"); sequences != result.end()) {
    for (auto& [name, entry] : sequences->items()) entry.erase("pairs");
  }
  return result;
}

class TrackJudge : public Judge {
 public:
  explicit TrackJudge(const std::string& folder) : store_(PatchStore::open(folder)) { track_scenes(store_, {}); }

  ordered_json score(Descriptor& descriptor) const override {
    ordered_json result = figures_of(evaluate_tracks(store_, descriptor, {}));
    result["data_sha256"] = fingerprint();
    return result;
  }
  std::string fingerprint() const override { return store_.fingerprint(); }
  void refuse_trained_on(const std::vector<std::string>& stores) const override {
    adasample::refuse_trained_on(store_, stores);
  }

 private:
  PatchStore store_;
};

// As `train --val` scores.
class PairJudge : public Judge {
 public:
  explicit PairJudge(const std::string& folder)
      : store_(PatchStore::open(folder)), pairs_(draw_positives(store_, /*most=*/5000, /*seed=*/1)) {}

  ordered_json score(Descriptor& descriptor) const override {
    return {{"protocol", "all cross pairs of pairs drawn from a patch store"},
            {"fpr95", dense_fpr(pairs_, source_of(store_), descriptor).value},
            {"positives", pairs_.first.size()},
            {"data_sha256", fingerprint()}};
  }
  std::string fingerprint() const override { return store_.fingerprint(); }
  void refuse_trained_on(const std::vector<std::string>& stores) const override {
    adasample::refuse_trained_on(store_, stores);
  }

 private:
  PatchStore store_;
  PositivePairs pairs_;
};

// All sequences that are there, whatever their names.
class HpatchesJudge : public Judge {
 public:
  explicit HpatchesJudge(const std::string& folder)
      : folder_(folder),
        names_(choose_hpatches(folder, benchmark_splits(), {.split = options_.split, .part = "test"})) {
    check_tasks(names_.size(), options_.split, options_.tasks);
    std::vector<std::filesystem::path> files;
    for (const std::string& name : names_) {
      for (const size_t strip : sequence_strips(folder_, name)) files.push_back(strip_path(folder_, name, strip));
    }
    sha256_ = fingerprint_files(folder_, files);
  }

  ordered_json score(Descriptor& descriptor) const override {
    double seconds = 0;
    const DescriptorSet set = describe_hpatches(folder_, names_, descriptor, kPatchSize, seconds);
    ordered_json result = figures_of(figures_json(evaluate_hpatches(set, options_), options_));
    result["data_sha256"] = sha256_;
    return result;
  }
  std::string fingerprint() const override { return sha256_; }
  void refuse_trained_on(const std::vector<std::string>& stores) const override {
    for (const std::string& folder : stores) {
      const nlohmann::json scenes = PatchStore::open(folder).meta().value("scenes", nlohmann::json());
      for (const std::string& name : names_) {
        ADA_CHECK(!scenes.is_array() || std::find(scenes.begin(), scenes.end(), name) == scenes.end(),
                  "[experiment] {}: {} is among the scenes of the training data {}", folder_, name, folder);
      }
    }
  }

 private:
  HpatchesEvalOptions options_{.split = "full"};
  std::string folder_;
  std::vector<std::string> names_;
  std::string sha256_;
};

class SequenceJudge : public Judge {
 public:
  explicit SequenceJudge(const std::string& folder) : folder_(folder), sha256_(sequences_fingerprint(folder)) {}

  ordered_json score(Descriptor& descriptor) const override {
    double seconds = 0;
    const FeatureOptions options;
    ordered_json result = figures_of(matching_json(
        match_sequences(folder_, descriptor, make_homography_estimator(), options, seconds), options));
    result["data_sha256"] = sha256_;
    return result;
  }
  std::string fingerprint() const override { return sha256_; }
  void refuse_trained_on(const std::vector<std::string>&) const override {}  // pictures have no record of scenes

 private:
  std::string folder_, sha256_;
};

template <typename Kind>
std::unique_ptr<Judge> make(const std::string& folder) {
  return std::make_unique<Kind>(folder);
}

}  // namespace

std::unique_ptr<Judge> make_judge(const GridJudge& judge, const std::string& folder) {
  struct Named {
    const char* kind;
    std::unique_ptr<Judge> (*make)(const std::string& folder);
  };
  constexpr Named kMakers[] = {{"tracks", make<TrackJudge>},
                               {"hpatches", make<HpatchesJudge>},
                               {"patches", make<PairJudge>},
                               {"sequences", make<SequenceJudge>}};
  for (const Named& named : kMakers) {
    if (judge.kind == named.kind) return named.make(folder);
  }
  ADA_THROW_KIND(kBug, "no judge of kind {}", judge.kind);
}

}  // namespace adasample
