// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/check_hpatches.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/mapped_file.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/base/sha256.h"
#include "adasample/data/hpatches.h"
#include "adasample/data/hpatches_sequences.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

constexpr const char* kUnpackAgain = "unpack the sequence again from the release's archive";

// A strip as it was found.
struct Strip {
  fs::path path;
  std::string label;    // "i_dome/e3.png"
  int64_t patches = 0;  // 0: it cannot be read, and `problem` says why
  std::string problem;
};

struct Sequence {
  std::string name;
  const HpatchesCount* released = nullptr;  // what the release says of it, if it knows it
  std::vector<Strip> strips;                // those that are there
};

const HpatchesCount* find_released(const std::string& name) {
  const auto sequences = hpatches_release_sequences();
  const auto found = std::find_if(sequences.begin(), sequences.end(), [&](const auto& s) { return s.name == name; });
  return found == sequences.end() ? nullptr : &*found;
}

std::vector<Sequence> list_sequences(const fs::path& root) {
  std::vector<Sequence> sequences;
  for (const std::string& name : list_hpatches(root)) {
    Sequence sequence{name, find_released(name), {}};
    for (size_t s = 0; s < kHpatchesStrips.size(); ++s) {
      const fs::path path = strip_path(root, name, s);
      std::error_code error;
      if (!fs::exists(path, error)) continue;
      sequence.strips.push_back({path, fmt::format("{}/{}", name, path.filename().string()), 0, ""});
    }
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

std::vector<Strip*> all_strips(std::vector<Sequence>& sequences) {
  std::vector<Strip*> all;
  for (Sequence& sequence : sequences) {
    for (Strip& strip : sequence.strips) all.push_back(&strip);
  }
  return all;
}

// Side by side, with progress and Ctrl-C.
void for_each_strip(const char* title, const std::vector<Strip*>& strips,
                    const std::function<void(size_t, Strip&)>& body) {
  Progress progress(title, "strips", static_cast<int64_t>(strips.size()));
  parallel_for(static_cast<int64_t>(strips.size()), [&](int64_t i) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[hpatches] interrupted while reading the strips");
    body(static_cast<size_t>(i), *strips[static_cast<size_t>(i)]);
    progress.add(1);
  });
}

// The doctor's findings are the readers' errors, so here one is caught.
void read(Strip& strip) {
  try {
    strip.patches = read_strip(strip.path).height / kHpatchesSide;
  } catch (const Error& error) {
    const std::string message = error.what(), lead = strip.path.string() + ": ";
    const size_t at = message.find(lead);
    strip.problem = at == std::string::npos ? message : message.substr(at + lead.size());
  }
}

std::vector<std::string> sha256_of(const char* title, const std::vector<Strip*>& strips) {
  std::vector<std::string> sums(strips.size());
  for_each_strip(title, strips, [&](size_t i, Strip& strip) {
    const MappedFile file(strip.path);
    Sha256 sha;
    sha.update(file.bytes());
    sums[i] = sha.hex();
  });
  return sums;
}

// The count that most strips of the sequence have; 0 when none can be read.
int64_t usual_count(const Sequence& sequence) {
  std::map<int64_t, int> votes;
  for (const Strip& strip : sequence.strips) {
    if (strip.patches > 0) ++votes[strip.patches];
  }
  const auto most =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? 0 : most->first;
}

void check_strips(const Sequence& sequence, std::vector<Finding>& problems) {
  std::set<std::string> missing(kHpatchesStrips.begin(), kHpatchesStrips.end());
  const int64_t usual = usual_count(sequence);
  for (const Strip& strip : sequence.strips) {
    missing.erase(strip.path.stem().string());
    if (strip.patches == 0) {
      problems.push_back({strip.label, strip.problem, kUnpackAgain});
    } else if (strip.patches != usual) {
      problems.push_back(
          {strip.label,
           fmt::format("expected {} patches as in most strips of the sequence, found {}", usual, strip.patches),
           kUnpackAgain});
    }
  }
  if (!missing.empty()) {
    problems.push_back(
        {sequence.name,
         fmt::format("expected 16 strips, {} are missing: {}.png", missing.size(), fmt::join(missing, ".png, ")),
         kUnpackAgain});
  }
}

void check_against_release(const Sequence& sequence, std::vector<Finding>& problems) {
  const int64_t count = usual_count(sequence);
  if (const HpatchesCount* released = sequence.released) {
    if (count == 0 || (count >= released->low && count <= released->high)) return;
    const std::string expected = released->low == released->high
                                     ? std::to_string(released->low)
                                     : fmt::format("{} to {}", released->low, released->high);
    problems.push_back({sequence.name, fmt::format("expected {} patches as in the release, found {}", expected, count),
                        "fetch the present release: older copies have other counts, and scores on them compare with "
                        "nobody's"});
    return;
  }
  const std::string bare = sequence.name.substr(std::min<size_t>(2, sequence.name.size()));
  for (const std::string& name : {"i_" + bare, "v_" + bare, "i_" + sequence.name, "v_" + sequence.name}) {
    if (find_released(name) == nullptr) continue;
    problems.push_back({sequence.name, "no name of the release, which has " + name, "rename the folder to " + name});
    return;
  }
  problems.push_back({sequence.name, "the release has no sequence of this name",
                      "move the folder out of the root; tools that walk it take every folder for a sequence"});
}

void check_complete(const fs::path& root, const std::vector<Sequence>& sequences, std::vector<Finding>& problems) {
  std::set<std::string> missing;
  for (const HpatchesCount& released : hpatches_release_sequences()) missing.insert(released.name);
  const size_t all = missing.size();
  for (const Sequence& sequence : sequences) missing.erase(sequence.name);
  if (missing.empty()) return;
  problems.push_back(
      {root.string(),
       fmt::format("{} of the release's {} sequences are missing: {}", missing.size(), all, fmt::join(missing, ", ")),
       "unpack the whole release; to go on with a part of it, give --allow-missing or --split full"});
}

// The same bytes under two names. Only files of equal length are compared.
void check_copies(const std::vector<Strip*>& strips, std::vector<Finding>& problems) {
  std::map<uintmax_t, std::vector<Strip*>> by_length;
  for (Strip* strip : strips) {
    std::error_code error;
    const uintmax_t length = fs::file_size(strip->path, error);
    if (!error && length > 0) by_length[length].push_back(strip);
  }
  std::vector<Strip*> alike;
  for (const auto& [length, group] : by_length) {
    if (group.size() > 1) alike.insert(alike.end(), group.begin(), group.end());
  }
  const std::vector<std::string> sums = sha256_of("comparing", alike);
  std::map<std::string, std::string> first;
  for (size_t i = 0; i < alike.size(); ++i) {
    const auto [original, is_new] = first.emplace(sums[i], alike[i]->label);
    if (is_new) continue;
    problems.push_back({alike[i]->label, "has the same bytes as " + original->second,
                        "one of the two is a copy of the other: unpack both again"});
  }
}

void check_prefix(const Sequence& sequence, std::vector<Finding>& remarks) {
  if (sequence.name.starts_with("i_") || sequence.name.starts_with("v_")) return;
  remarks.push_back({sequence.name, "the name begins with neither i_ (the light changes) nor v_ (the viewpoint)",
                     "rename it when you want scores for each kind of change"});
}

void check_other_folders(const fs::path& root, std::vector<Finding>& remarks) {
  std::set<std::string> others;
  for (const fs::directory_entry& entry : fs::directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (entry.is_directory() && !name.starts_with(".") && !is_hpatches_sequence(entry.path())) others.insert(name);
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
  std::vector<Sequence> sequences = list_sequences(root);
  const std::vector<Strip*> strips = all_strips(sequences);
  for_each_strip("checking", strips, [](size_t, Strip& strip) { read(strip); });
  const auto count = [&](auto&& property) { return std::count_if(sequences.begin(), sequences.end(), property); };
  const auto known = count([](const Sequence& s) { return s.released != nullptr; });
  const bool is_release = 5 * static_cast<size_t>(known) >= 4 * sequences.size();

  Diagnosis diagnosis;
  diagnosis.kind = is_release ? "HPatches release" : "set like HPatches";
  int64_t patches = 0;
  if (is_release) check_complete(root, sequences, diagnosis.problems);
  for (const Sequence& sequence : sequences) {
    check_strips(sequence, diagnosis.problems);
    if (is_release) check_against_release(sequence, diagnosis.problems);
    if (!is_release) check_prefix(sequence, diagnosis.remarks);
    patches += usual_count(sequence);
  }
  check_copies(strips, diagnosis.problems);
  check_other_folders(root, diagnosis.remarks);
  if (!is_release) {
    diagnosis.remarks.push_back({root.string(),
                                 fmt::format("{} of {} sequences have names of the release: taken for a set of its "
                                             "own, counts were not compared with the release's",
                                             known, sequences.size()),
                                 "nothing, if that is what it is"});
  }
  diagnosis.inventory = {{"sequences", static_cast<int64_t>(sequences.size())},
                         {"i_ sequences", count([](const Sequence& s) { return s.name.starts_with("i_"); })},
                         {"v_ sequences", count([](const Sequence& s) { return s.name.starts_with("v_"); })},
                         {"strips", static_cast<int64_t>(strips.size())},
                         {"classes", patches}};
  return diagnosis;
}

std::string hpatches_fingerprint(const fs::path& root) {
  std::vector<Sequence> sequences = list_sequences(root);
  std::vector<Strip*> strips = all_strips(sequences);
  std::sort(strips.begin(), strips.end(), [](const Strip* a, const Strip* b) { return a->label < b->label; });
  const std::vector<std::string> sums = sha256_of("fingerprint", strips);
  Sha256 sha;
  for (size_t i = 0; i < strips.size(); ++i) {
    sha.update(fmt::format("{}  {}\n", sums[i], strips[i]->label));
  }
  return sha.hex();
}

}  // namespace adasample
