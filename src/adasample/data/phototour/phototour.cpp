// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/phototour/phototour.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "adasample/base/log.h"
#include "adasample/base/text.h"
#include "adasample/data/phototour/phototour_text.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr PhotoTourSet kPublished[] = {{"liberty", 450'092},          {"notredame", 468'159},
                                       {"yosemite", 633'587},         {"liberty_harris", 379'587},
                                       {"notredame_harris", 325'295}, {"yosemite_harris", 450'912}};
constexpr const char* kCustomaryList = "m50_100000_100000_0.txt";

// The number, of nine digits at most, between `before` and `behind`, which make up the rest of the name; else -1.
int64_t number_in(std::string_view name, std::string_view before, std::string_view behind) {
  if (name.size() <= before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind)) return -1;
  name = name.substr(before.size(), name.size() - before.size() - behind.size());
  int64_t number = -1;
  return name.size() <= 9 && name[0] >= '0' && name[0] <= '9' && parse_number(name, number) ? number : -1;
}

int64_t list_size(const std::string& name) {
  const int64_t n = number_in(name.substr(0, name.find('_', 4)), "m50_", "");
  return name == fmt::format("m50_{}_{}_0.txt", n, n) ? n : -1;
}

}  // namespace

std::span<const PhotoTourSet> published_phototour_sets() { return kPublished; }

std::string_view phototour_set_name(int64_t patches) {
  for (const PhotoTourSet& set : kPublished) {
    if (set.patches == patches) return set.name;
  }
  return "";
}

PhotoTourFiles list_phototour(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  ADA_CHECK(!error, "[phototour] {}: cannot be listed: {} - give the folder that holds patches0000.bmp",
            folder.string(), error.message());
  PhotoTourFiles files;
  files.folder = folder;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    const int64_t sheet = number_in(name, "patches", ".bmp"), list = list_size(name);
    if (sheet >= 0) files.sheets.push_back({entry.path(), sheet});
    if (list >= 0) files.match_lists.push_back({entry.path(), list});
  }
  std::sort(files.sheets.begin(), files.sheets.end(), [](auto& a, auto& b) { return a.path < b.path; });
  std::sort(files.match_lists.begin(), files.match_lists.end(), [](auto& a, auto& b) { return a.number < b.number; });
  files.has_info = fs::exists(files.info());
  files.has_interest = fs::exists(files.interest());
  return files;
}

BmpView view_sheet(const MappedFile& file) {
  const BmpView bitmap(file.bytes(), file.path().string());
  ADA_CHECK(bitmap.width() == kPhotoTourSheet && bitmap.height() == kPhotoTourSheet,
            "[phototour] {}: expected {} x {} pixels, found {} x {} - a sheet that was cut or scaled?",
            file.path().string(), kPhotoTourSheet, kPhotoTourSheet, bitmap.width(), bitmap.height());
  return bitmap;
}

void read_from_sheet(const BmpView& sheet, int number, std::span<uint8_t> out) {
  constexpr size_t kSide = kPhotoTourPatch;
  ADA_ASSERT(number >= 0 && number < kPhotoTourPerSheet && out.size() == kSide * kSide);
  constexpr int kAcross = kPhotoTourSheet / kPhotoTourPatch;
  const int left = number % kAcross * kPhotoTourPatch, top = number / kAcross * kPhotoTourPatch;
  for (int y = 0; y < kPhotoTourPatch; ++y) {
    sheet.read_row(left, top + y, out.subspan(static_cast<size_t>(y) * kSide, kSide));
  }
}

bool is_blank_from(const BmpView& sheet, int first) {
  std::vector<uint8_t> patch(size_t{kPhotoTourPatch} * kPhotoTourPatch);
  std::set<uint8_t> values;
  for (int i = first; i < kPhotoTourPerSheet; ++i) {
    read_from_sheet(sheet, i, patch);
    values.insert(patch.begin(), patch.end());
  }
  return values.size() <= 1;
}

// The last sheet is padded: its size does not tell whether info.txt has a line too many or too few.
void PhotoTour::check_last_sheet() const {
  const std::string info = files_.info().string(), sheet = files_.sheets.back().path.string();
  const auto used = static_cast<int>((patch_count() - 1) % kPhotoTourPerSheet + 1);
  ADA_CHECK(!is_blank_from(sheets_.back().bitmap, used - 1),
            "[phototour] {}:{}: expected a patch for this label, found blank padding in {} - more labels than patches?",
            info, patch_count(), sheet);
  for (const PhotoTourSet& known : kPublished) {
    const int64_t sheets = (known.patches + kPhotoTourPerSheet - 1) / kPhotoTourPerSheet;
    ADA_CHECK(sheets != sheet_count() || known.patches == patch_count(),
              "[phototour] {}: expected {} lines for the {} sheets of {}, found {} - truncated download?", info,
              known.patches, sheets, known.name, patch_count());
  }
  if (used < kPhotoTourPerSheet && !is_blank_from(sheets_.back().bitmap, used)) {
    log_warning(
        "{}: the {} places behind the last of {} patches are not blank - patches without labels, if {} lost lines",
        sheet, kPhotoTourPerSheet - used, patch_count(), info);
  }
}

PhotoTour PhotoTour::open(const fs::path& folder) {
  PhotoTour set;
  set.files_ = list_phototour(folder);
  const auto& sheets = set.files_.sheets;
  ADA_CHECK(!sheets.empty(), "[phototour] {}: no patches0000.bmp in it - is this an unpacked PhotoTour set?",
            folder.string());
  ADA_CHECK(set.files_.has_info, "[phototour] {}: no info.txt beside {} sheets - without labels there are no classes",
            folder.string(), sheets.size());
  set.points_ = parse_phototour_info(read_text(set.files_.info()), set.files_.info().string());

  const auto needed = static_cast<size_t>((set.patch_count() + kPhotoTourPerSheet - 1) / kPhotoTourPerSheet);
  for (size_t i = 0; i < std::min(needed, sheets.size() + 1); ++i) {
    ADA_CHECK(i < sheets.size() && sheets[i].number == static_cast<int64_t>(i),
              "[phototour] {}: expected {} sheets for the {} lines of info.txt, found {}, and patches{:04}.bmp is "
              "missing - truncated download?",
              folder.string(), needed, set.patch_count(), sheets.size(), i);
  }
  ADA_CHECK(sheets.size() == needed,
            "[phototour] {}: expected {} lines or more for {} sheets of {} patches, found {} - truncated download, or "
            "sheets of two sets in one folder?",
            set.files_.info().string(), (static_cast<int64_t>(sheets.size()) - 1) * kPhotoTourPerSheet + 1,
            sheets.size(), kPhotoTourPerSheet, set.patch_count());
  set.sheets_.reserve(needed);
  for (const auto& sheet : sheets) {
    MappedFile file(sheet.path);
    const BmpView bitmap = view_sheet(file);
    set.sheets_.push_back({std::move(file), bitmap});
  }
  set.check_last_sheet();
  return set;
}

void PhotoTour::read(int64_t patch, std::span<uint8_t> out) const {
  ADA_ASSERT(patch >= 0 && patch < patch_count());
  const Sheet& sheet = sheets_[static_cast<size_t>(patch / kPhotoTourPerSheet)];
  read_from_sheet(sheet.bitmap, static_cast<int>(patch % kPhotoTourPerSheet), out);
}

std::vector<std::vector<int64_t>> PhotoTour::classes() const {
  std::vector<std::vector<int64_t>> classes;
  std::unordered_map<int64_t, size_t> class_of_point;
  for (int64_t patch = 0; patch < patch_count(); ++patch) {
    const auto [found, is_new] = class_of_point.try_emplace(points_[static_cast<size_t>(patch)], classes.size());
    if (is_new) classes.emplace_back();
    classes[found->second].push_back(patch);
  }
  return classes;
}

fs::path PhotoTour::match_list(const std::optional<std::string>& name) const {
  const auto& lists = files_.match_lists;
  ADA_CHECK(
      !lists.empty() || name,
      "[phototour] {}: no match list (m50_*.txt) in it, nothing can be evaluated - fetch {} of this set; it comes "
      "in the same archive as the sheets",
      files_.folder.string(), kCustomaryList);
  fs::path wanted = files_.folder / name.value_or(kCustomaryList);
  if (fs::exists(wanted)) return wanted;
  std::string names;
  for (const auto& list : lists) names += " " + list.path.filename().string();
  ADA_CHECK(!name, "[phototour] {}: no such match list; there are:{}", wanted.string(),
            names.empty() ? " none" : names);
  log_info("{}: no {}; using the largest list there is, {}", files_.folder.string(), kCustomaryList,
           lists.back().path.filename().string());
  return lists.back().path;
}

PatchPairs PhotoTour::read_matches(const fs::path& list) const {
  PatchPairs pairs = parse_phototour_matches(read_text(list), patch_count(), list.string());
  const int64_t promised = list_size(list.filename().string()), found = static_cast<int64_t>(pairs.labels.size());
  if (promised >= 0 && found != promised) {
    log_warning("{}: {} pairs, its name says {} - truncated? The figures compare with nobody's", list.string(), found,
                promised);
  }
  return pairs;
}

}  // namespace adasample
