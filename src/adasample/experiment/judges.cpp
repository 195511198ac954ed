// SPDX-License-Identifier: Apache-2.0
#include "adasample/experiment/judges.h"

#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/bytes/sha256.h"
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
  TrackJudge(const GridJudge&, const std::string& folder) : store_(PatchStore::open(folder)) {
    track_scenes(store_, {});
  }

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
  PairJudge(const GridJudge&, const std::string& folder)
      : store_(PatchStore::open(folder)), pairs_(draw_positives(store_, /*most=*/5000, /*seed=*/1)) {}

  ordered_json score(Descriptor& descriptor) const override {
    const FprAtRecall fpr = dense_fpr(pairs_, source_of(store_), descriptor);
    const bool learned = descriptor.metric() != nullptr;
    return {{"protocol", fmt::format("{} cross pairs of pairs drawn from a patch store", learned ? "some" : "all")},
            {"fpr95", fpr.value},
            {"positives", fpr.positives},
            {"negatives", fpr.negatives},
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

// The Brown protocol: FPR95 over the match list, which is read once.
class PhotoTourJudge : public Judge {
 public:
  PhotoTourJudge(const GridJudge&, const std::string& folder)
      : set_(PhotoTour::open(folder)),
        list_(set_.match_list(std::nullopt)),
        pairs_(set_.read_matches(list_)),
        sha256_(phototour_fingerprint(folder)),
        info_sha256_(sha256_of_file(set_.files().info())) {}

  ordered_json score(Descriptor& descriptor) const override {
    ordered_json result = scores_json(evaluate_pairs(pairs_, source_of(set_, descriptor.patch_size()), descriptor));
    result["protocol"] = "PhotoTour";
    result["list"] = list_.filename().string();
    result["data_sha256"] = sha256_;
    return result;
  }
  std::string fingerprint() const override { return sha256_; }
  void refuse_trained_on(const std::vector<std::string>& stores) const override {
    for (const std::string& folder : stores) {
      const nlohmann::json meta = PatchStore::open(folder).meta();
      ADA_CHECK(meta.value("info_sha256", std::string()) != info_sha256_,
                "[experiment] {}: the training data {} were made of it", set_.files().folder.string(), folder);
    }
  }

 private:
  PhotoTour set_;
  std::filesystem::path list_;
  PatchPairs pairs_;
  std::string sha256_, info_sha256_;
};

// The sequences of a split's test part; of "full" all that are there, whatever their names.
class HpatchesJudge : public Judge {
 public:
  HpatchesJudge(const GridJudge& judge, const std::string& folder)
      : options_{.split = judge.split},
        folder_(folder),
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
    const DescriptorSet set = describe_hpatches(folder_, names_, descriptor, descriptor.patch_size(), seconds);
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
  HpatchesEvalOptions options_;
  std::string folder_;
  std::vector<std::string> names_;
  std::string sha256_;
};

class SequenceJudge : public Judge {
 public:
  SequenceJudge(const GridJudge&, const std::string& folder)
      : folder_(folder), sha256_(sequences_fingerprint(folder)) {}

  ordered_json score(Descriptor& descriptor) const override {
    double seconds = 0;
    const FeatureOptions options;
    ordered_json result = figures_of(
        matching_json(match_sequences(folder_, descriptor, make_homography_estimator(), options, seconds), options));
    result["data_sha256"] = sha256_;
    return result;
  }
  std::string fingerprint() const override { return sha256_; }
  void refuse_trained_on(const std::vector<std::string>&) const override {}  // pictures have no record of scenes

 private:
  std::string folder_, sha256_;
};

template <typename Kind>
std::unique_ptr<Judge> make(const GridJudge& judge, const std::string& folder) {
  return std::make_unique<Kind>(judge, folder);
}

}  // namespace

std::unique_ptr<Judge> make_judge(const GridJudge& judge, const std::string& folder) {
  struct Named {
    const char* kind;
    std::unique_ptr<Judge> (*make)(const GridJudge& judge, const std::string& folder);
  };
  constexpr Named kMakers[] = {{"tracks", make<TrackJudge>},
                               {"hpatches", make<HpatchesJudge>},
                               {"phototour", make<PhotoTourJudge>},
                               {"patches", make<PairJudge>},
                               {"sequences", make<SequenceJudge>}};
  for (const Named& named : kMakers) {
    if (judge.kind == named.kind) return named.make(judge, folder);
  }
  ADA_THROW_KIND(kBug, "no judge of kind {}", judge.kind);
}

}  // namespace adasample
