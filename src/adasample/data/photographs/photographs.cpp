// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/photographs/photographs.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/appear_together.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/random/feistel.h"
#include "adasample/data/patch_store.h"
#include "adasample/data/photographs/photograph_keypoints.h"
#include "adasample/data/store/provenance.h"
#include "adasample/image/files/images.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr int kPhotographsPerThread = 2;  // worked on before they are written: bounds the memory

// A photograph is known by what is in it: renaming or adding files changes nothing for the others.
struct Photograph {
  std::string file;
  std::string sha256;
  uint64_t word = 0;  // the first 64 bits of the hash, for the random draws
  std::string problem;
};

Photograph identify(const fs::path& folder, const std::string& file) {
  Photograph photograph;
  photograph.file = file;
  try {
    photograph.sha256 = sha256_of_file(folder / file);
    photograph.word = std::stoull(photograph.sha256.substr(0, 16), nullptr, 16);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kWork) throw;
    photograph.problem = error.what();
  }
  return photograph;
}

// The distinct photographs in the order of their names; copies and files that cannot be opened are reported.
std::vector<Photograph> distinct_photographs(const fs::path& folder, const std::vector<std::string>& files,
                                             PhotographReport& report) {
  std::vector<Photograph> all(files.size());
  parallel_for(static_cast<int64_t>(all.size()),
               [&](int64_t i) { all[static_cast<size_t>(i)] = identify(folder, files[static_cast<size_t>(i)]); });
  std::vector<Photograph> distinct;
  std::map<std::string, std::string> first_with;  // hash -> file
  for (Photograph& p : all) {
    if (p.problem.empty() && !first_with.emplace(p.sha256, p.file).second) {
      p.problem = fmt::format("the same picture as {}", first_with[p.sha256]);
    }
    if (p.problem.empty()) {
      distinct.push_back(std::move(p));
    } else {
      report.skipped.push_back({p.file, p.problem});
    }
  }
  return distinct;
}

// Which photographs are held out: those with the smallest draws, so that another file seldom moves them.
std::vector<bool> choose_heldout(const std::vector<Photograph>& photographs, const PhotographOptions& options) {
  std::vector<std::pair<double, size_t>> draws;
  for (size_t i = 0; i < photographs.size(); ++i) {
    draws.emplace_back(RngKey(options.seed, Draw::kHoldout).at(photographs[i].word).uniform(), i);
  }
  std::sort(draws.begin(), draws.end());
  std::vector<bool> heldout(photographs.size(), false);
  auto count = static_cast<size_t>(std::lround(options.holdout * static_cast<double>(photographs.size())));
  if (options.holdout > 0) {
    ADA_CHECK(photographs.size() >= 2, "[images] one photograph cannot be split into two parts - drop --holdout");
    count = std::clamp<size_t>(count, 1, photographs.size() - 1);
  }
  for (size_t i = 0; i < count; ++i) heldout[draws[i].second] = true;
  return heldout;
}

// Classes of a picture, at most per_image of those that its keypoints give, drawn at random.
std::vector<GradedClass> cut_classes(const ScalePyramid& pyramid, const std::vector<Keypoint>& keypoints,
                                     const PhotographKeypoints& places, const PhotographOptions& options, RngKey key) {
  std::vector<GradedClass> found;
  if (options.redetect.on) {
    found = redetect_classes(pyramid, keypoints, key.at(1), options.cut, places.view_detector(), options.redetect);
  }
  std::vector<GradedClass> classes;
  const FeistelPermutation shuffled(keypoints.size(), key.at(0));
  for (size_t i = 0; i < keypoints.size() && classes.size() < static_cast<size_t>(options.per_image); ++i) {
    const uint64_t chosen = shuffled.image(i);
    GradedClass one = options.redetect.on
                          ? std::move(found[chosen])
                          : GradedClass{cut_view_class(pyramid, keypoints[chosen], key.at(1).at(chosen), options.cut),
                                        view_strengths(options.cut)};
    if (!one.patches.empty()) classes.push_back(std::move(one));
  }
  return classes;
}

// All classes of one photograph; `problem` is set when there is none.
std::vector<GradedClass> cut_photograph(const fs::path& folder, const PhotographKeypoints& places,
                                        const PhotographOptions& options, Photograph& photograph) {
  std::vector<GradedClass> classes;
  try {
    ReducedImage reduced = reduce_to(read_image(folder / photograph.file), options.max_side);
    const ScalePyramid pyramid(std::move(reduced.image));
    const std::vector<Keypoint> keypoints = places.of(photograph.file, pyramid, reduced.reduction);
    if (!keypoints.empty()) {
      const RngKey key = RngKey(options.seed, Draw::kView).at(photograph.word);
      classes = cut_classes(pyramid, keypoints, places, options, key);
    }
    if (classes.empty()) photograph.problem = fmt::format("none of its {} keypoints gives a patch", keypoints.size());
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kWork) throw;
    photograph.problem = error.what();
  }
  return classes;
}

// One of the two stores, and which photographs went into it.
struct Part {
  std::string name;
  PatchStoreWriter writer;
  std::vector<std::string> files, scenes;

  void finish(const PhotographOptions& options) {
    nlohmann::json details = options.cut.describe();
    details["keypoints"] = options.list.empty() ? options.keypoints.detector : "listed";
    details["per_image"] = options.per_image;
    details["max_side"] = options.max_side;
    details["holdout"] = options.holdout;
    if (options.redetect.on) details["redetect"] = options.redetect.describe();
    writer.finish({{"source", "photographs"},
                   {"seed", options.seed},
                   {"part", name},
                   {"photographs", files},
                   {"scenes", scenes},
                   {"options", details}});
  }
};

}  // namespace

void PhotographOptions::validate() const {
  keypoints.validate();
  cut.validate();
  redetect.validate();
  ADA_USAGE(!redetect.on || list.empty(), "keypoints of a list cannot be detected again: give a detector, not a list");
  ADA_USAGE(per_image >= 1, "PhotographOptions::per_image = {}, must be >= 1", per_image);
  ADA_USAGE(max_side >= 64 && max_side <= 16384, "PhotographOptions::max_side = {}, must be 64 to 16384", max_side);
  ADA_USAGE(holdout >= 0 && holdout < 1, "PhotographOptions::holdout = {}, must be 0 or more and below 1", holdout);
}

PhotographReport make_photograph_stores(const fs::path& folder, const PhotographOptions& options, const fs::path& out,
                                        const fs::path& heldout_out) {
  options.validate();
  std::unique_ptr<AppearTogether> together;
  if (options.holdout > 0) together = std::make_unique<AppearTogether>(out, heldout_out);
  refuse_existing(out);
  if (options.holdout > 0) refuse_existing(heldout_out);
  const PhotographKeypoints places(folder, options);
  PhotographReport report;
  std::vector<Photograph> photographs = distinct_photographs(folder, places.files(), report);
  const std::vector<bool> heldout = choose_heldout(photographs, options);
  Part train{.name = "train", .writer = PatchStoreWriter(out, options.cut.patch_size), .files = {}, .scenes = {}};
  std::unique_ptr<Part> other;
  if (options.holdout > 0) {
    other.reset(new Part{
        .name = "heldout", .writer = PatchStoreWriter(heldout_out, options.cut.patch_size), .files = {}, .scenes = {}});
  }

  Progress progress("cutting", "photographs", static_cast<int64_t>(photographs.size()));
  const size_t block_size = static_cast<size_t>(kPhotographsPerThread * thread_count());
  for (size_t begin = 0; begin < photographs.size(); begin += block_size) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[images] interrupted; nothing was written");
    // A block side by side, then written in order: the store does not show how many threads there were.
    std::vector<std::vector<GradedClass>> block(std::min(block_size, photographs.size() - begin));
    parallel_for(static_cast<int64_t>(block.size()), [&](int64_t i) {
      block[static_cast<size_t>(i)] =
          cut_photograph(folder, places, options, photographs[begin + static_cast<size_t>(i)]);
      progress.add(1);
    });
    for (size_t i = 0; i < block.size(); ++i) {
      const Photograph& photograph = photographs[begin + i];
      if (!photograph.problem.empty()) {
        report.skipped.push_back({photograph.file, photograph.problem});
        continue;
      }
      Part& part = heldout[begin + i] ? *other : train;
      for (const GradedClass& one : block[i]) part.writer.add_class(one.patches, one.strengths);
      part.files.push_back(photograph.file);
      part.scenes.push_back(scene_of(photograph.sha256));
    }
  }
  report.used = static_cast<int64_t>(train.files.size());
  report.heldout = other ? static_cast<int64_t>(other->files.size()) : 0;
  const std::string example = report.skipped.empty() ? "" : ": " + report.skipped.front().why;
  ADA_CHECK(report.used > 0, "[images] {}: none of {} pictures is usable{}", folder.string(), places.files().size(),
            example);
  ADA_CHECK(!other || report.heldout > 0, "[images] {}: none of the held-out pictures is usable{}", folder.string(),
            example);
  if (other) {
    together->commit(
        other->writer.work(), [&] { other->finish(options); }, [&] { train.finish(options); });
  } else {
    train.finish(options);
  }
  report.skipped.insert(report.skipped.begin(), places.missing().begin(), places.missing().end());
  return report;
}

}  // namespace adasample
