// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/hpatches/hpatches_survey.h"

#include <algorithm>
#include <functional>
#include <map>

#include "adasample/base/bytes/sha256.h"
#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/data/hpatches/hpatches.h"

namespace adasample {
namespace fs = std::filesystem;

namespace {

void for_each_strip(const char* title, size_t count, const std::function<void(size_t)>& body) {
  Progress progress(title, "strips", static_cast<int64_t>(count));
  parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "[hpatches] interrupted while reading the strips");
    body(static_cast<size_t>(i));
    progress.add(1);
  });
}

}  // namespace

int64_t SurveyedSequence::usual_count() const {
  std::map<int64_t, int> votes;
  for (const SurveyedStrip& strip : strips) {
    if (strip.patches > 0) ++votes[strip.patches];
  }
  const auto most =
      std::max_element(votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == votes.end() ? 0 : most->first;
}

const HpatchesCount* find_hpatches_release(const std::string& name) {
  const auto sequences = hpatches_release_sequences();
  const auto found = std::find_if(sequences.begin(), sequences.end(), [&](const auto& s) { return s.name == name; });
  return found == sequences.end() ? nullptr : &*found;
}

std::string differs_from_release(const HpatchesCount& released, int64_t patches) {
  const auto& [name, low, high] = released;
  if (patches >= low && patches <= high) return "";
  return fmt::format("expected {} patches as in the release, found {}",
                     low == high ? std::to_string(low) : fmt::format("{} to {}", low, high), patches);
}

std::vector<SurveyedSequence> survey_hpatches(const fs::path& root) {
  std::vector<SurveyedSequence> sequences;
  for (const std::string& name : list_hpatches(root)) {
    SurveyedSequence sequence{name, find_hpatches_release(name), {}, {}};
    for (const size_t s : sequence_strips(root, name)) {
      const fs::path path = strip_path(root, name, s);
      std::error_code error;
      const std::string file = path.filename().string();
      if (fs::exists(path, error)) {
        sequence.strips.push_back({path, fmt::format("{}/{}", name, file), 0, ""});
      } else {
        sequence.missing.push_back(file);
      }
    }
    sequences.push_back(std::move(sequence));
  }
  return sequences;
}

std::vector<SurveyedStrip*> all_strips(std::vector<SurveyedSequence>& sequences) {
  std::vector<SurveyedStrip*> all;
  for (SurveyedSequence& sequence : sequences) {
    for (SurveyedStrip& strip : sequence.strips) all.push_back(&strip);
  }
  return all;
}

void read_strips(const std::vector<SurveyedStrip*>& strips) {
  for_each_strip("reading", strips.size(), [&](size_t i) {
    SurveyedStrip& strip = *strips[i];
    try {
      strip.patches = read_strip(strip.path).height / kHpatchesSide;
    } catch (const Error& error) {  // what a reader would stop at is what a survey is for
      if (error.kind() != Error::Kind::kWork) throw;
      const std::string message = error.what(), lead = strip.path.string() + ": ";
      const size_t at = message.find(lead);
      strip.problem = at == std::string::npos ? message : message.substr(at + lead.size());
    }
  });
}

std::vector<std::string> sha256_of_strips(const std::vector<SurveyedStrip*>& strips) {
  std::vector<std::string> sums(strips.size());
  for_each_strip("hashing", strips.size(), [&](size_t i) { sums[i] = sha256_of_file(strips[i]->path); });
  return sums;
}

}  // namespace adasample
