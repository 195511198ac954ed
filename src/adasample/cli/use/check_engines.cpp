// SPDX-License-Identifier: Apache-2.0
#include "adasample/cli/use/check_engines.h"

#include <fmt/format.h>

#include <algorithm>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/cli/model_argument.h"
#include "adasample/data/store/patch_sample.h"
#include "adasample/engine/calibrate.h"
#include "adasample/engine/engine.h"
#include "adasample/eval/descriptors/agreement.h"
#include "adasample/model/calibration.h"
#include "adasample/model/default_weights.h"
#include "adasample/model/random_weights.h"

namespace adasample {
namespace {

// What an engine may be off. fp32 differs by the order of its sums; fewer bits turn descriptors.
struct Bound {
  std::optional<double> error, angle;

  bool holds(const Agreement& found) const {
    return (!error || found.largest_difference <= *error) && (!angle || found.p99_angle <= *angle);
  }
  std::string text() const {
    std::vector<std::string> parts;
    if (error) parts.push_back(fmt::format("difference {:g}", *error));
    if (angle) parts.push_back(fmt::format("p99 angle {:g}", *angle));
    return fmt::format("{}", fmt::join(parts, ", "));
  }
};

// Engines of fewer bits, in degrees. Statistics that do not belong to the weights make activations with long tails;
// assumed ranges cost as much.
struct FewerBits {
  const char* engine;
  double calibrated, otherwise;
};
constexpr FewerBits kFewerBits[] = {{"onednn-int8", 5, 10}, {"simd-int8", 5, 10}, {"cuda", 1, 1}};
constexpr double kFp32Error = 1e-5;

Bound bound_of(const std::string& engine, const EngineCheck& check, bool calibrated) {
  if (check.max_error || check.max_angle) return {check.max_error, check.max_angle};
  for (const FewerBits& kind : kFewerBits) {
    if (engine == kind.engine) return {{}, calibrated && check.model != kUntrained ? kind.calibrated : kind.otherwise};
  }
  return {kFp32Error, {}};
}

// --device is for what runs on several.
std::string device_for(const std::string& engine, const std::string& device) {
  const auto kinds = registered_descriptors();
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& k) { return k.name == engine; });
  return kind != kinds.end() && kind->devices.size() > 1 ? device : "auto";
}

// The one asked for, or all that are there; never the one to compare with.
std::vector<EngineChoice> engines_to_check(const EngineCheck& check, const EngineChoice& against) {
  if (check.engine != "auto") {
    const EngineChoice one = choose_engine(check.engine, check.device);
    ADA_USAGE(one != against, "--engine {} would be compared with itself - see --against", one.engine);
    return {one};
  }
  std::vector<EngineChoice> all;
  for (const std::string& name : engines_here()) {
    if (name != against.engine) all.push_back(choose_engine(name, device_for(name, check.device)));
  }
  ADA_USAGE(!all.empty(), "this program on this machine has one engine, {}: nothing to compare", against.engine);
  return all;
}

// Calibrated where something here asks for it: what nobody trained, nobody could have calibrated.
Weights untrained(const PatchSample& sample, uint64_t seed) {
  Weights weights = random_weights(l2net(), seed);
  const std::vector<std::string> here = engine_names();
  const auto has = [&](const std::string& name) { return std::find(here.begin(), here.end(), name) != here.end(); };
  if (has("onednn-int8") || (has("simd-int8") && has("onednn"))) {  // onednn measures
    set_calibration(weights, calibrate(weights, sample.pixels, sample.count, sample.size));
  }
  return weights;
}

std::vector<float> describe_sample(OpenedModel& opened, const PatchSample& sample) {
  const auto area = static_cast<int64_t>(sample.size) * sample.size;
  const int64_t dimension = opened.descriptor->dimension();
  std::vector<float> rows(static_cast<size_t>(sample.count * dimension));
  Progress progress(opened.engine, "patches", sample.count);
  const int64_t chunk = opened.engine == "reference" ? thread_count() : 1024;  // Ctrl-C is heard in between
  for (int64_t begin = 0; begin < sample.count; begin += chunk) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "check: interrupted");
    const int64_t count = std::min(chunk, sample.count - begin);
    const auto part = [begin, count](auto& all, int64_t width) {
      return std::span(all).subspan(static_cast<size_t>(begin * width), static_cast<size_t>(count * width));
    };
    opened.descriptor->describe(part(sample.pixels, area), count, sample.size, part(rows, dimension));
    progress.add(count);
  }
  return rows;
}

struct ComparedEngine {
  nlohmann::ordered_json object;
  std::string line;
  bool ok;
};

ComparedEngine compare_engine(const std::string& engine, const std::vector<float>& rows,
                              const std::vector<float>& expected, const PatchSample& sample, const EngineCheck& check,
                              const std::string& against, bool calibrated) {
  const auto dimension = static_cast<int>(std::ssize(rows) / sample.count);
  const Agreement found = compare_descriptors(rows, expected, dimension, engine, against);
  const Bound bound = bound_of(engine, check, calibrated);
  const bool ok = bound.holds(found);
  nlohmann::ordered_json object = {{"engine", engine},
                                   {"ok", ok},
                                   {"largest_difference", found.largest_difference},
                                   {"p99_angle", found.p99_angle},
                                   {"largest_angle", found.largest_angle},
                                   {"max_error", nullptr},
                                   {"max_angle", nullptr}};
  if (bound.error) object["max_error"] = *bound.error;
  if (bound.angle) object["max_angle"] = *bound.angle;
  std::string line =
      fmt::format("{:<12} {:<5} {:>12.3g} {:>12.3g} {:>12.3g}   allowed: {}", engine, ok ? "ok" : "FAILS",
                  found.largest_difference, found.p99_angle, found.largest_angle, bound.text());
  if (sample.paired && sample.count >= 4) {
    const double here = paired_fpr95(rows, dimension), there = paired_fpr95(expected, dimension);
    object["fpr95"] = here;
    object["fpr95_against"] = there;
    object["fpr95_shift"] = here - there;
    line += fmt::format("; FPR95 {:.2f} %, {:.2f} % by {}", 100 * here, 100 * there, against);
  }
  return {object, line, ok};
}

}  // namespace

void EngineCheck::validate() const {
  ADA_USAGE(!max_error || *max_error >= 0, "max_error = {}, must not be negative", *max_error);
  ADA_USAGE(!max_angle || (*max_angle >= 0 && *max_angle <= 180), "max_angle = {}, must be in [0, 180]", *max_angle);
}

EngineCheckResult check_engines(const EngineCheck& check) {
  check.validate();
  const EngineChoice against = choose_engine(check.against, device_for(check.against, check.device));
  const std::vector<EngineChoice> engines = engines_to_check(check, against);
  const PatchSample sample =
      check.patches.empty() ? made_up_patches(check.count, check.seed) : sample_patches(check.patches, check.count);
  const Weights weights =
      check.model == kUntrained ? untrained(sample, check.seed) : load_safetensors(weights_file(check.model));
  OpenedModel reference = open_and_tell(weights, against.engine, against);
  std::vector<OpenedModel> opened;  // all of them first: whether they can be had is known before the slow work
  for (const EngineChoice& one : engines) opened.push_back(open_and_tell(weights, one.engine, one));
  const std::vector<float> expected = describe_sample(reference, sample);

  EngineCheckResult result;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  result.text = fmt::format("{} patches, compared with {}\n{:<12} {:<5} {:>12} {:>12} {:>12}", sample.count,
                            against.engine, "engine", "", "difference", "p99 degrees", "max degrees");
  for (OpenedModel& one : opened) {
    const ComparedEngine compared = compare_engine(one.engine, describe_sample(one, sample), expected, sample, check,
                                                   against.engine, is_calibrated(weights));
    list.push_back(compared.object);
    result.text += "\n" + compared.line;
    result.ok = result.ok && compared.ok;
  }
  result.object = {{"ok", result.ok},       {"model", check.model},      {"patches", check.patches},
                   {"count", sample.count}, {"against", against.engine}, {"engines", list}};
  return result;
}

}  // namespace adasample
