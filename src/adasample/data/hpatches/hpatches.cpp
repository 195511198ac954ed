// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches.h"

#include <algorithm>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/log.h"
#include "adasample/base/parallel.h"
#include "adasample/image/files/png.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr const char* kEverything = "full";
constexpr size_t kTargets = 5;  // pictures beside the reference
static_assert(kHpatchesStrips.size() == 1 + 3 * kTargets);

// Those of `wanted` that are present, in its order; the rest goes to `absent`.
std::vector<std::string> pick(const std::vector<std::string>& wanted, const std::set<std::string>& present,
                              std::vector<std::string>& absent) {
  std::vector<std::string> picked;
  for (const std::string& name : wanted) (present.contains(name) ? picked : absent).push_back(name);
  return picked;
}

}  // namespace

std::span<const uint8_t> HpatchesSequence::patch(size_t strip, int64_t index) const {
  ADA_ASSERT(index >= 0 && index < count);
  constexpr size_t kArea = size_t{kHpatchesSide} * kHpatchesSide;
  return std::span(strips.at(strip).pixels).subspan(static_cast<size_t>(index) * kArea, kArea);
}

bool is_hpatches_sequence(const fs::path& folder, const char* extension) {
  const std::string name = folder.filename().string();
  std::error_code error;
  if (!fs::is_directory(folder, error) || name.starts_with(".")) return false;
  if (name.starts_with("i_") || name.starts_with("v_")) return true;
  return std::any_of(kHpatchesStrips.begin(), kHpatchesStrips.end(),
                     [&](const char* strip) { return fs::exists(folder / (std::string(strip) + extension), error); });
}

std::vector<std::string> list_hpatches(const fs::path& root) {
  std::error_code error;
  const fs::directory_iterator entries(root, error);
  ADA_CHECK(!error, "[hpatches] {}: cannot be listed: {}", root.string(), error.message());
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : entries) {
    if (is_hpatches_sequence(entry.path())) names.push_back(entry.path().filename().string());
  }
  ADA_CHECK(!names.empty(),
            "[hpatches] {}: expected folders i_* and v_* with 16 strips each, found none - the release unpacks to "
            "hpatches-release, which is the root to give",
            root.string());
  std::sort(names.begin(), names.end());
  return names;
}

bool made_by_sequences(const fs::path& root) {
  std::error_code error;
  return fs::exists(root / kSequencesFile, error);
}

std::vector<size_t> sequence_strips(const fs::path& root, const std::string& sequence, const char* extension) {
  size_t targets = made_by_sequences(root) ? 1 : kTargets;
  for (size_t s = 1; s < kHpatchesStrips.size(); ++s) {
    std::error_code error;
    if (fs::exists(strip_path(root, sequence, s, extension), error))
      targets = std::max(targets, (s - 1) % kTargets + 1);
  }
  std::vector<size_t> strips = {0};
  for (size_t s = 1; s < kHpatchesStrips.size(); ++s) {
    if ((s - 1) % kTargets < targets) strips.push_back(s);
  }
  return strips;
}

fs::path strip_path(const fs::path& root, const std::string& sequence, size_t strip, const char* extension) {
  return root / sequence / (std::string(kHpatchesStrips.at(strip)) + extension);
}

ByteImage read_strip(const fs::path& path) {
  std::error_code error;
  ADA_CHECK(fs::exists(path, error), "[hpatches] {}: is missing - a sequence of six pictures has 16 strips: {}",
            path.string(), fmt::join(kHpatchesStrips, ", "));
  ByteImage strip = read_png(path);
  ADA_CHECK(strip.width == kHpatchesSide, "[hpatches] {}: expected a strip of 65 pixels width, found {} - resized?",
            path.string(), strip.width);
  ADA_CHECK(strip.height % kHpatchesSide == 0,
            "[hpatches] {}: expected a height that is a multiple of 65, found {} = {} patches and {} rows - cut off?",
            path.string(), strip.height, strip.height / kHpatchesSide, strip.height % kHpatchesSide);
  return strip;
}

HpatchesSequence load_hpatches(const fs::path& root, const std::string& sequence) {
  const std::vector<size_t> strips = sequence_strips(root, sequence);
  HpatchesSequence loaded{.name = sequence, .count = 0, .strips = std::vector<ByteImage>(strips.size())};
  parallel_for(std::ssize(strips), [&](int64_t i) {
    const auto slot = static_cast<size_t>(i);
    loaded.strips[slot] = read_strip(strip_path(root, sequence, strips[slot]));
  });
  loaded.count = loaded.strips[0].height / kHpatchesSide;
  for (size_t i = 0; i < strips.size(); ++i) {
    const int found = loaded.strips[i].height / kHpatchesSide;
    ADA_CHECK(found == loaded.count, "[hpatches] {}: expected {} patches as in ref.png, found {} - mixed versions?",
              strip_path(root, sequence, strips[i]).string(), loaded.count, found);
  }
  return loaded;
}

void HpatchesChoice::validate() const {
  ADA_USAGE(!split.empty(), "HpatchesChoice::split = \"\", must be the name of a split");
  ADA_USAGE(part == "train" || part == "test", "HpatchesChoice::part = \"{}\", must be train or test", part);
}

std::vector<std::string> choose_hpatches(const fs::path& root, const HpatchesSplits& splits,
                                         const HpatchesChoice& choice) {
  choice.validate();
  return choose_hpatches(root, list_hpatches(root), splits, choice);
}

std::vector<std::string> choose_hpatches(const fs::path& root, const std::vector<std::string>& listed,
                                         const HpatchesSplits& splits, const HpatchesChoice& choice) {
  choice.validate();
  const bool everything = choice.split == kEverything && choice.part == "test";
  const std::vector<std::string>& wanted =
      split_part(everything && !splits.contains(kEverything) ? benchmark_splits() : splits, choice.split, choice.part);
  std::set<std::string> present(listed.begin(), listed.end());
  std::vector<std::string> absent;
  std::vector<std::string> chosen = pick(wanted, present, absent);
  if (everything) {
    if (!chosen.empty() && !absent.empty() && !made_by_sequences(root)) {
      log_warning("{}: {} of the {} sequences of split {} are missing, {} first: this is not the whole split",
                  root.string(), absent.size(), wanted.size(), choice.split, absent.front());
    }
    for (const std::string& name : chosen) present.erase(name);
    chosen.insert(chosen.end(), present.begin(), present.end());
    return chosen;
  }
  ADA_CHECK(!chosen.empty(),
            "[hpatches] {}: none of the {} sequences of split {} ({}) is there, but {} - another split?", root.string(),
            wanted.size(), choice.split, choice.part, fmt::join(listed, ", "));
  ADA_CHECK(absent.empty() || choice.allow_missing,
            "[hpatches] {}: {} of the {} sequences of split {} ({}) are missing: {} - go on without them by "
            "--allow-missing",
            root.string(), absent.size(), wanted.size(), choice.split, choice.part, fmt::join(absent, ", "));
  for (std::string& name : absent) name = fmt::format("left out {}: it is not in {}", name, root.string());
  log_first_warnings(absent, "sequences");
  return chosen;
}

}  // namespace adasample
