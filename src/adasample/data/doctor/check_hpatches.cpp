// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/doctor/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "adasample/base/files/fingerprint.h"
#include "adasample/data/hpatches/hpatches.h"
#include "adasample/data/hpatches/hpatches_survey.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr const char* kUnpackAgain = "unpack the sequence again, or make it again if it is your own";

void check_strips(const SurveyedSequence& sequence, std::vector<Finding>& problems) {
  const int64_t usual = sequence.usual_count();
  for (const SurveyedStrip& strip : sequence.strips) {
    if (strip.patches == 0) {
      problems.push_back({strip.label, strip.problem, kUnpackAgain});
    } else if (strip.patches != usual) {
      problems.push_back(
          {strip.label,
           fmt::format("expected {} patches as in most strips of the sequence, found {}", usual, strip.patches),
           kUnpackAgain});
    }
  }
  if (!sequence.missing.empty()) {
    problems.push_back(
        {sequence.name,
         fmt::format("expected {} strips, {} are missing: {}", sequence.strips.size() + sequence.missing.size(),
                     sequence.missing.size(), fmt::join(sequence.missing, ", ")),
         kUnpackAgain});
  }
}

void check_against_release(const SurveyedSequence& sequence, std::vector<Finding>& problems) {
  const int64_t count = sequence.usual_count();
  if (const HpatchesCount* released = sequence.released) {
    const std::string difference = differs_from_release(*released, count);
    if (count == 0 || difference.empty()) return;
    problems.push_back({sequence.name, difference,
                        "fetch the present release: older copies have other counts, and scores on them compare with "
                        "nobody's"});
    return;
  }
  const std::string bare = sequence.name.substr(std::min<size_t>(2, sequence.name.size()));
  for (const std::string& name : {"i_" + bare, "v_" + bare, "i_" + sequence.name, "v_" + sequence.name}) {
    if (find_hpatches_release(name) == nullptr) continue;
    problems.push_back({sequence.name, "no name of the release, which has " + name, "rename the folder to " + name});
    return;
  }
  problems.push_back({sequence.name, "the release has no sequence of this name",
                      "move the folder out of the root; tools that walk it take every folder for a sequence"});
}

void check_complete(const fs::path& root, const std::vector<SurveyedSequence>& sequences,
                    std::vector<Finding>& problems) {
  std::set<std::string> missing;
  for (const HpatchesCount& released : hpatches_release_sequences()) missing.insert(released.name);
  const size_t all = missing.size();
  for (const SurveyedSequence& sequence : sequences) missing.erase(sequence.name);
  if (missing.empty()) return;
  problems.push_back(
      {root.string(),
       fmt::format("{} of the release's {} sequences are missing: {}", missing.size(), all, fmt::join(missing, ", ")),
       "unpack the whole release; to go on with a part of it, give --allow-missing or --split full"});
}

// The same bytes under two names, among the sound strips. Only files of equal length are compared.
void check_copies(const std::vector<SurveyedStrip*>& strips, std::vector<Finding>& problems) {
  std::map<uintmax_t, std::vector<SurveyedStrip*>> by_length;
  for (SurveyedStrip* strip : strips) {
    if (strip->patches > 0) by_length[fs::file_size(strip->path)].push_back(strip);
  }
  std::vector<SurveyedStrip*> alike;
  for (const auto& [length, group] : by_length) {
    if (group.size() > 1) alike.insert(alike.end(), group.begin(), group.end());
  }
  const std::vector<std::string> sums = sha256_of_strips(alike);
  std::map<std::string, std::string> first;
  for (size_t i = 0; i < alike.size(); ++i) {
    const auto [original, is_new] = first.emplace(sums[i], alike[i]->label);
    if (is_new) continue;
    problems.push_back({alike[i]->label, "has the same bytes as " + original->second,
                        "one of the two is a copy of the other: unpack both again"});
  }
}

void check_prefix(const SurveyedSequence& sequence, std::vector<Finding>& remarks) {
  if (sequence.name.starts_with("i_") || sequence.name.starts_with("v_")) return;
  remarks.push_back({sequence.name, "the name begins with neither i_ (the light changes) nor v_ (the viewpoint)",
                     "rename it when you want scores for each kind of change"});
}

void check_other_folders(const fs::path& root, std::vector<Finding>& remarks) {
  std::set<std::string> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    std::error_code error;
    if (entry.is_directory(error) && !name.starts_with(".") && !is_hpatches_sequence(entry.path())) others.insert(name);
  }
  for (const std::string& name : others) {
    remarks.push_back({name, "this folder is no sequence and was passed over",
                       "nothing; if it should be one, its ref.png is missing"});
  }
}

}  // namespace

bool looks_like_hpatches(const fs::path& path) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
    if (!is_hpatches_sequence(entry.path())) continue;
    const std::string name = entry.path().filename().string();
    size_t strips = 0;
    for (size_t s = 0; s < kHpatchesStrips.size(); ++s) strips += fs::exists(strip_path(path, name, s), error) ? 1 : 0;
    if (strips >= 2) return true;
  }
  return false;
}

Diagnosis check_hpatches(const fs::path& root) {
  std::vector<SurveyedSequence> sequences = survey_hpatches(root);
  const std::vector<SurveyedStrip*> strips = all_strips(sequences);
  read_strips(strips);
  const auto count = [&](auto&& property) { return std::count_if(sequences.begin(), sequences.end(), property); };
  const auto known = count([](const SurveyedSequence& s) { return s.released != nullptr; });
  const bool is_own = made_by_sequences(root);
  const bool is_release = !is_own && 5 * static_cast<size_t>(known) >= 4 * sequences.size();

  Diagnosis diagnosis;
  diagnosis.kind = is_release ? "HPatches release" : "set like HPatches";
  int64_t patches = 0;
  if (is_release) check_complete(root, sequences, diagnosis.problems);
  for (const SurveyedSequence& sequence : sequences) {
    check_strips(sequence, diagnosis.problems);
    if (is_release) check_against_release(sequence, diagnosis.problems);
    if (!is_release) check_prefix(sequence, diagnosis.remarks);
    patches += sequence.usual_count();
  }
  check_copies(strips, diagnosis.problems);
  check_other_folders(root, diagnosis.remarks);
  if (!is_release) {
    const std::string why = is_own
                                ? fmt::format("there is a {}, which `data sequences` writes", kSequencesFile)
                                : fmt::format("{} of {} sequences have names of the release", known, sequences.size());
    diagnosis.remarks.push_back(
        {root.string(), why + ": taken for a set of its own, names and counts were not compared with the release's",
         "nothing, if that is what it is"});
  }
  diagnosis.inventory = {{"sequences", static_cast<int64_t>(sequences.size())},
                         {"i_ sequences", count([](const SurveyedSequence& s) { return s.name.starts_with("i_"); })},
                         {"v_ sequences", count([](const SurveyedSequence& s) { return s.name.starts_with("v_"); })},
                         {"strips", static_cast<int64_t>(strips.size())},
                         {"classes", patches}};
  return diagnosis;
}

std::string hpatches_fingerprint(const fs::path& root) {
  std::vector<SurveyedSequence> sequences = survey_hpatches(root);
  std::vector<fs::path> files;
  for (const SurveyedStrip* strip : all_strips(sequences)) files.push_back(strip->path);
  return fingerprint_files(root, files);
}

}  // namespace adasample
