// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/files/fingerprint.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/phototour/phototour.h"
#include "adasample/data/phototour/phototour_text.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr int64_t kListSizes[] = {1000, 2000, 5000, 10000, 20000, 50000, 100000, 200000, 500000};
constexpr int64_t kCustomarySize = 100000;
constexpr const char* kFetchSet = "fetch or unpack the set's archive again";

std::string sheet_name(int64_t number) { return fmt::format("patches{:04}.bmp", number); }
std::string list_name(int64_t size) { return fmt::format("m50_{}_{}_0.txt", size, size); }

void stop_if_asked() {
  if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[phototour] interrupted; the check is not complete");
}

std::string sha256_of(std::span<const uint8_t> bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

class Doctor {
 public:
  explicit Doctor(const fs::path& folder) : files_(list_phototour(folder)) { result_.kind = "PhotoTour set"; }

  Diagnosis examine() {
    read_labels();
    check_totals();
    check_numbers();
    check_sheets();
    check_padding();
    check_interest();
    check_lists();
    return std::move(result_);
  }

 private:
  void problem(const fs::path& path, std::string what, std::string mend = kFetchSet) {
    result_.problems.push_back({path.string(), std::move(what), std::move(mend)});
  }
  void remark(const fs::path& path, std::string what, std::string mend) {
    result_.remarks.push_back({path.string(), std::move(what), std::move(mend)});
  }
  void count(const std::string& what, int64_t number) { result_.inventory.emplace_back(what, number); }
  int64_t patch_count() const { return static_cast<int64_t>(points_.size()); }
  int64_t sheet_count() const { return static_cast<int64_t>(files_.sheets.size()); }

  void read_labels() {
    count("sheets", sheet_count());
    if (!files_.has_info) {
      problem(files_.info(), "is missing: without labels there are no classes, only patches to look at");
      return;
    }
    const auto points = attempt(result_.problems, files_.info(), kFetchSet,
                                [&] { return parse_phototour_info(read_text(files_.info()), files_.info().string()); });
    if (!points) return;
    points_ = *points;
    std::map<int64_t, int64_t> sizes;
    for (const int64_t point : points_) ++sizes[point];
    const auto single = std::count_if(sizes.begin(), sizes.end(), [](const auto& point) { return point.second == 1; });
    count("patches", patch_count());
    count("classes", static_cast<int64_t>(sizes.size()));
    if (single > 0) {
      remark(files_.info(), fmt::format("{} points have a single patch", single),
             "'data phototour --positives 15' fills them up, '--positives 0' drops them");
    }
  }

  // Against the published sets: by the labels where there are any, else by the sheets.
  void check_totals() {
    const auto sets = published_phototour_sets();
    const auto same_sheets =
        std::find_if(sets.begin(), sets.end(), [&](auto& set) { return set.sheets() == sheet_count(); });
    const std::string_view name = phototour_set_name(patch_count());
    if (!name.empty()) result_.kind += fmt::format(" {}", name);
    if (patch_count() > 0 && name.empty()) {
      if (same_sheets != sets.end()) {
        problem(files_.info(), fmt::format("expected {} lines, as {} sheets are those of {}, found {}",
                                           same_sheets->patches, sheet_count(), same_sheets->name, patch_count()));
      } else {
        remark(files_.info(), fmt::format("{} patches: none of the published sets", patch_count()),
               "nothing, if the set is your own");
      }
    } else if (patch_count() == 0 && same_sheets == sets.end()) {
      remark(files_.folder,
             fmt::format("{} sheets: none of the published sets is complete with so many", sheet_count()), kFetchSet);
    }
    const int64_t fewest = (sheet_count() - 1) * kPhotoTourPerSheet + 1;
    if (patch_count() > 0 && sheet_count() > 0 && patch_count() < fewest) {
      problem(files_.info(),
              fmt::format("expected {} lines or more for {} sheets, found {}", fewest, sheet_count(), patch_count()));
    }
  }

  // Runs of missing numbers, up to the last sheet that there is or that info.txt asks for.
  void check_numbers() {
    std::set<int64_t> there;
    for (const auto& sheet : files_.sheets) {
      there.insert(sheet.number);
      if (sheet.path.filename() != sheet_name(sheet.number)) {
        problem(sheet.path, fmt::format("expected the name {}", sheet_name(sheet.number)), "rename or remove it");
      }
    }
    there.insert(std::max((patch_count() + kPhotoTourPerSheet - 1) / kPhotoTourPerSheet,
                          there.empty() ? 0 : *there.rbegin() + 1));  // one behind the last
    int64_t next = 0;
    for (const int64_t number : there) {
      if (number > next) {
        problem(files_.folder, number == next + 1 ? fmt::format("{} is missing", sheet_name(next))
                                                  : fmt::format("{} to {} are missing: {} sheets", sheet_name(next),
                                                                sheet_name(number - 1), number - next));
      }
      next = number + 1;
    }
  }

  // Extent, length and twins. Hashing takes the time, so sheets are read side by side.
  void check_sheets() {
    std::vector<std::string> hashes(files_.sheets.size());
    std::vector<std::vector<Finding>> found(files_.sheets.size());
    Progress progress("checking", "sheets", sheet_count());
    parallel_for(sheet_count(), [&](int64_t i) {
      stop_if_asked();
      const auto at = static_cast<size_t>(i);
      const fs::path& path = files_.sheets[at].path;
      attempt(found[at], path, kFetchSet, [&] {
        const MappedFile file(path);
        hashes[at] = sha256_of(file.bytes());
        const size_t expected = view_sheet(file).file_size(), size = file.bytes().size();
        ADA_CHECK(size == expected, "[phototour] {}: expected {} bytes, found {} - was something appended?",
                  path.string(), expected, size);
        return true;
      });
      progress.add(1);
    });
    std::map<std::string, fs::path> first_with;
    for (size_t i = 0; i < hashes.size(); ++i) {
      const fs::path& path = files_.sheets[i].path;
      result_.problems.insert(result_.problems.end(), found[i].begin(), found[i].end());
      if (hashes[i].empty()) continue;  // it could not be opened
      const auto [twin, is_new] = first_with.try_emplace(hashes[i], path);
      if (!is_new) problem(path, fmt::format("the same bytes as {}", twin->second.filename().string()));
    }
  }

  // Behind the last patch all pixels should be alike; if not, info.txt may be short of a few lines.
  void check_padding() {
    const int64_t last = patch_count() / kPhotoTourPerSheet;
    const auto used = static_cast<int>(patch_count() % kPhotoTourPerSheet);
    const auto sheet = std::find_if(files_.sheets.begin(), files_.sheets.end(),
                                    [&](const auto& candidate) { return candidate.number == last; });
    if (used == 0 || sheet == files_.sheets.end()) return;
    std::vector<Finding> said_before;  // what is wrong with the sheet itself
    const auto blank = attempt(said_before, sheet->path, kFetchSet, [&] {
      const MappedFile file(sheet->path);
      return is_blank_from(view_sheet(file), used);
    });
    if (blank && !*blank) {
      remark(sheet->path, fmt::format("the {} places behind the last patch are not blank", kPhotoTourPerSheet - used),
             "nothing, if info.txt has all its lines");
    }
  }

  void check_interest() {
    if (!files_.has_interest) {
      remark(files_.interest(), "is missing: which photograph a patch comes from is not known",
             "nothing; training and FPR95 do without");
      return;
    }
    const auto images = attempt(result_.problems, files_.interest(), kFetchSet, [&] {
      return parse_phototour_interest(read_text(files_.interest()), files_.interest().string());
    });
    if (images && patch_count() > 0 && images->size() != points_.size()) {
      problem(files_.interest(),
              fmt::format("expected {} lines, as info.txt has, found {}", points_.size(), images->size()));
    }
  }

  void check_lists() {
    count("match lists", static_cast<int64_t>(files_.match_lists.size()));
    std::vector<std::string> missing;
    for (const int64_t size : kListSizes) {
      const bool there = std::any_of(files_.match_lists.begin(), files_.match_lists.end(),
                                     [&](const auto& list) { return list.number == size; });
      if (!there && size == kCustomarySize) {
        problem(files_.folder / list_name(size), "is missing: the customary FPR95 cannot be measured");
      } else if (!there) {
        missing.push_back(std::to_string(size));
      }
    }
    if (!missing.empty()) {
      remark(files_.folder, fmt::format("no match lists of {} pairs", fmt::join(missing, ", ")),
             "nothing; figures are given for 100000");
    }
    for (const auto& list : files_.match_lists) {
      stop_if_asked();
      check_list(list.path, list.number);
    }
  }

  void check_list(const fs::path& path, int64_t size) {
    const int64_t patches = patch_count() > 0 ? patch_count() : sheet_count() * kPhotoTourPerSheet;
    const auto pairs = attempt(result_.problems, path, kFetchSet,
                               [&] { return parse_phototour_matches(read_text(path), patches, path.string()); });
    if (!pairs) return;
    const auto lines = static_cast<int64_t>(pairs->labels.size());
    const auto matches = std::count(pairs->labels.begin(), pairs->labels.end(), 1);
    if (lines != size) problem(path, fmt::format("expected {} lines, as its name says, found {}", size, lines));
    if (2 * matches != lines) {
      problem(path, fmt::format("expected as many matches as others, found {} and {}", matches, lines - matches));
    }
    if (points_.empty()) return;
    int64_t wrong = 0, first_wrong = 0;
    for (size_t i = 0; i < pairs->labels.size(); ++i) {
      const bool same = points_[static_cast<size_t>(pairs->first[i])] == points_[static_cast<size_t>(pairs->second[i])];
      if (same != (pairs->labels[i] == 1) && wrong++ == 0) first_wrong = static_cast<int64_t>(i) + 1;
    }
    if (wrong > 0) {
      problem(fmt::format("{}:{}", path.string(), first_wrong),
              fmt::format("{} pairs are labelled otherwise than info.txt says, this is the first", wrong),
              "do list and info.txt belong to the same set? " + std::string(kFetchSet));
    }
  }

  PhotoTourFiles files_;
  std::vector<int64_t> points_;
  Diagnosis result_;
};

}  // namespace

bool looks_like_phototour(const fs::path& folder) {
  std::error_code ignored;  // what cannot be looked at looks like nothing
  if (!fs::is_directory(folder, ignored)) return false;
  const PhotoTourFiles files = list_phototour(folder);
  return !files.sheets.empty() || !files.match_lists.empty();
}

Diagnosis check_phototour(const fs::path& folder) { return Doctor(folder).examine(); }

std::string phototour_fingerprint(const fs::path& folder) {
  const PhotoTourFiles files = list_phototour(folder);
  std::vector<fs::path> all;
  for (const auto& sheet : files.sheets) all.push_back(sheet.path);
  for (const auto& list : files.match_lists) all.push_back(list.path);
  if (files.has_info) all.push_back(files.info());
  if (files.has_interest) all.push_back(files.interest());
  return fingerprint_files(folder, all);
}

}  // namespace adasample
