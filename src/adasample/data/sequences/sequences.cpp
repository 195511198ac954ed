// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/sequences/sequences.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/data/sequences/sequence_patches.h"
#include "adasample/features/detect/detector.h"
#include "adasample/image/files/png.h"

namespace adasample {
namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

constexpr int kMostPatches = 15000;  // libpng writes at most a million rows

void check_interrupt() {
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[sequences] interrupted; nothing was written");
}

void append(std::vector<double>& to, const std::vector<double>& values) {
  to.insert(to.end(), values.begin(), values.end());
}

// One value a line.
std::string column(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("{:.6f}\n", value);
  return text;
}

struct Prepared {
  SequenceFiles files;
  Sequence sequence;
  Selection selection;
};

Prepared prepare(const fs::path& folder, const SequenceOptions& options, const NoiseLevels& noise) {
  Prepared p;
  p.files = find_sequence(folder);
  p.sequence = read_sequence(p.files);
  p.selection = select_keypoints(p.sequence, p.files.name, options, noise);
  ADA_CHECK(!p.selection.keypoints.empty(), "[sequences] {}: none of {} keypoints can be cut from all its pictures",
            folder.string(), std::accumulate(p.selection.candidates.begin(), p.selection.candidates.end(), int64_t{0}));
  return p;
}

using LevelOverlaps = std::vector<std::vector<double>>;  // [level]: one number a patch

Json medians(const LevelOverlaps& overlaps, const NoiseLevels& noise) {
  Json result;
  for (size_t level = 0; level < overlaps.size(); ++level) {
    result[noise.levels[level].name] = median(overlaps[level]);
  }
  return result;
}

// Writes all strips of a sequence into `folder`. Returns the overlaps level by level.
LevelOverlaps write_strips(const Prepared& p, const fs::path& folder) {
  fs::create_directory(folder);
  const auto& levels = p.selection.noise.levels;
  const size_t targets = p.sequence.target_from_ref.size();
  LevelOverlaps by_strip(targets * levels.size());
  write_png(folder / "ref.png", reference_strip(p.sequence, p.selection));
  parallel_for(static_cast<int64_t>(by_strip.size()), [&](int64_t i) {
    check_interrupt();
    const auto strip = static_cast<size_t>(i);
    const size_t target = strip % targets, level = strip / targets;
    const std::string name = fmt::format("{}{}", levels[level].letter, target + 1);
    write_png(folder / (name + ".png"), target_strip(p.sequence, p.selection, target, level));
    by_strip[strip] = noise_overlaps(p.selection, target, level);
    write_file_atomically(folder / (name + ".overlap"), column(by_strip[strip]));
  });
  LevelOverlaps by_level(levels.size());
  for (size_t strip = 0; strip < by_strip.size(); ++strip) append(by_level[strip / targets], by_strip[strip]);
  return by_level;
}

Json describe(const Prepared& p, const SequenceOptions& options, const LevelOverlaps& overlaps) {
  const Selection& s = p.selection;
  Json candidates;
  for (size_t i = 0; i < s.candidates.size(); ++i) candidates[options.detectors[i]] = s.candidates[i];
  return {{"name", p.files.name},
          {"sha256", p.sequence.sha256},
          {"images", p.files.images.size()},
          {"patches", s.keypoints.size()},
          {"candidates", candidates},
          {"dropped",
           {{"outside_reference", s.outside_reference},
            {"outside_target", s.outside_target},
            {"flat", s.flat},
            {"overlapping", s.overlapping},
            {"beyond_max", s.beyond_max}}},
          {"median_overlap", medians(overlaps, s.noise)}};
}

Json describe(const NoiseLevels& noise) {
  Json factors;
  for (const NoiseLevel& level : noise.levels) factors[level.name] = level.factor;
  return {{"name", kFrameNoiseName},     {"rotation", noise.ranges.rotation},     {"shift", noise.ranges.shift},
          {"scale", noise.ranges.scale}, {"anisotropy", noise.ranges.anisotropy}, {"factor", factors}};
}

Json describe(const SequenceOptions& options, const NoiseLevels& noise) {
  return {{"detectors", options.detectors},         {"max_patches", options.max_patches},
          {"region_factor", options.region_factor}, {"min_contrast", options.min_contrast},
          {"max_overlap", options.max_overlap},     {"noise", describe(noise)}};
}

}  // namespace

void SequenceOptions::validate() const {
  ADA_USAGE(!detectors.empty(), "SequenceOptions::detectors is empty, must name at least one of {}",
            fmt::join(detector_names(), ", "));
  for (const std::string& name : detectors) {
    make_detector(name);
    ADA_USAGE(std::count(detectors.begin(), detectors.end(), name) == 1, "SequenceOptions::detectors names {} twice",
              name);
  }
  ADA_USAGE(max_patches >= 1 && max_patches <= kMostPatches, "SequenceOptions::max_patches = {}, must be 1 to {}",
            max_patches, kMostPatches);
  ADA_USAGE(region_factor >= 1 && region_factor <= 100, "SequenceOptions::region_factor = {}, must be 1 to 100",
            region_factor);
  ADA_USAGE(min_contrast >= 0 && min_contrast <= 60, "SequenceOptions::min_contrast = {}, must be 0 to 60",
            min_contrast);
  ADA_USAGE(max_overlap > 0 && max_overlap <= 1, "SequenceOptions::max_overlap = {}, must be in (0, 1]", max_overlap);
  noise.validate();
}

Json make_sequences(const fs::path& folder, const SequenceOptions& options, const fs::path& out) {
  options.validate();
  const NoiseLevels noise = noise_levels(options.noise);
  const std::vector<fs::path> folders = sequence_folders(folder);
  StagedFolder staged(out);
  Progress progress("sequences", "sequences", static_cast<int64_t>(folders.size()));
  LevelOverlaps overlaps(noise.levels.size());
  Json sequences = Json::array(), skipped = Json::array();
  for (const fs::path& sequence_folder : folders) {
    check_interrupt();
    std::optional<Prepared> prepared;
    try {
      prepared = prepare(sequence_folder, options, noise);
    } catch (const Error& error) {
      if (!options.skip_bad || error.kind() != Error::Kind::kWork) throw;
      log_warning("{} - left out", error.what());
      skipped.push_back({{"name", sequence_folder.filename().string()}, {"why", error.what()}});
    }
    if (prepared) {
      const LevelOverlaps these = write_strips(*prepared, staged.work() / prepared->files.name);
      for (size_t level = 0; level < these.size(); ++level) append(overlaps[level], these[level]);
      sequences.push_back(describe(*prepared, options, these));
    }
    progress.add(1);
  }
  ADA_CHECK(!sequences.empty(), "[sequences] {}: no sequence is left", folder.string());
  Json result = {{"source", "homography sequences"},          {"seed", options.seed},   {"patch_size", kHpatchesSide},
                 {"options", describe(options, noise)},       {"sequences", sequences}, {"skipped", skipped},
                 {"median_overlap", medians(overlaps, noise)}};
  // A folder's name need not be UTF-8; what is not is replaced rather than refused.
  write_file_atomically(staged.work() / kSequencesFile,
                        result.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  staged.commit();
  return result;
}

}  // namespace adasample
