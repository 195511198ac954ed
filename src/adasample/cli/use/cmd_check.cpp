// SPDX-License-Identifier: Apache-2.0
// adasample check: do the engines of this machine compute what they should?
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "adasample/base/error.h"
#include "adasample/base/interrupt.h"
#include "adasample/base/parallel.h"
#include "adasample/base/progress.h"
#include "adasample/cli/context.h"
#include "adasample/cli/engine_choice.h"
#include "adasample/cli/model_argument.h"
#include "adasample/data/store/patch_sample.h"
#include "adasample/engine/calibrate.h"
#include "adasample/eval/descriptors/agreement.h"
#include "adasample/model/calibration.h"
#include "adasample/model/random_weights.h"

namespace adasample {
namespace {

constexpr const char* kUntrained = "untrained";

struct CheckArguments {
  std::string against = "reference", model, patches;
  int64_t count = 64;
  std::optional<double> max_error, max_angle;

  void validate() const {
    ADA_USAGE(!max_error || *max_error >= 0, "max_error = {}, must not be negative", *max_error);
    ADA_USAGE(!max_angle || (*max_angle >= 0 && *max_angle <= 180), "max_angle = {}, must be in [0, 180]", *max_angle);
  }
};

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

Bound bound_of(const std::string& engine, const CheckArguments& a, bool calibrated) {
  Bound bound{a.max_error, a.max_angle};
  if (bound.error || bound.angle) return bound;
  // Statistics that do not belong to the weights make activations with long tails; assumed ranges cost as much.
  if (engine == "onednn-int8") return {{}, a.model == kUntrained || !calibrated ? 10.0 : 5.0};
  if (engine == "cuda") return {{}, 1.0};
  return {1e-5, {}};
}

// The one asked for, or all that are there; never the one to compare with.
std::vector<EngineChoice> engines_to_check(const Context& context, const EngineChoice& against,
                                           const Machine& machine) {
  if (context.engine != "auto") {
    const EngineChoice one = choose_engine(context.engine, context.device, machine);
    ADA_USAGE(one != against, "--engine {} would be compared with itself - see --against", one.engine);
    return {one};
  }
  std::vector<EngineChoice> all;
  for (const std::string& name : machine.names()) {
    if (name != against.engine) all.push_back(choose_engine(name, name == "torch" ? context.device : "auto", machine));
  }
  ADA_USAGE(!all.empty(), "this program on this machine has one engine, {}: nothing to compare", against.engine);
  return all;
}

// Calibrated where something here asks for it: what nobody trained, nobody could have calibrated.
Weights untrained(const PatchSample& sample, uint64_t seed, const Machine& machine) {
  Weights weights = random_weights(l2net(), seed);
  if (machine.has("onednn-int8")) {
    set_calibration(weights, calibrate(weights, sample.pixels, sample.count, sample.size));
  }
  return weights;
}

std::vector<float> describe_sample(const EngineChoice& choice, const Weights& weights, const PatchSample& sample) {
  const auto network = make_network(choice, weights, choice.engine);
  const auto area = static_cast<int64_t>(sample.size) * sample.size;
  const int64_t dimension = network->dimension();
  std::vector<float> rows(static_cast<size_t>(sample.count * dimension));
  Progress progress(choice.engine, "patches", sample.count);
  const int64_t chunk = choice.engine == "reference" ? thread_count() : 1024;  // Ctrl-C is heard in between
  for (int64_t begin = 0; begin < sample.count; begin += chunk) {
    if (stop_requested()) ADA_THROW_KIND(kInterrupted, "check: interrupted");
    const int64_t count = std::min(chunk, sample.count - begin);
    const auto part = [begin, count](auto& all, int64_t width) {
      return std::span(all).subspan(static_cast<size_t>(begin * width), static_cast<size_t>(count * width));
    };
    network->describe(part(sample.pixels, area), count, sample.size, part(rows, dimension));
    progress.add(count);
  }
  return rows;
}

struct Checked {
  nlohmann::ordered_json object;
  std::string line;
  bool ok;
};

Checked compare_engine(const std::string& engine, const std::vector<float>& rows, const std::vector<float>& expected,
                       const PatchSample& sample, const CheckArguments& a, const std::string& against,
                       bool calibrated) {
  const auto dimension = static_cast<int>(std::ssize(rows) / sample.count);
  const Agreement found = compare_descriptors(rows, expected, dimension, engine, against);
  const Bound bound = bound_of(engine, a, calibrated);
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

int check(const Context& context, const CheckArguments& a) {
  a.validate();
  catch_interrupts();
  const Machine machine = this_machine();
  const EngineChoice against = choose_engine(a.against, a.against == "torch" ? context.device : "auto", machine);
  const std::vector<EngineChoice> engines = engines_to_check(context, against, machine);
  const PatchSample sample =
      a.patches.empty() ? made_up_patches(a.count, context.seed) : sample_patches(a.patches, a.count);
  const Weights weights =
      a.model == kUntrained ? untrained(sample, context.seed, machine) : load_safetensors(weights_file(a.model));
  const std::vector<float> expected = describe_sample(against, weights, sample);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string text = fmt::format("{} patches, compared with {}\n{:<12} {:<5} {:>12} {:>12} {:>12}", sample.count,
                                 against.engine, "engine", "", "difference", "p99 degrees", "max degrees");
  bool ok = true;
  for (const EngineChoice& one : engines) {
    const Checked checked = compare_engine(one.engine, describe_sample(one, weights, sample), expected, sample, a,
                                           against.engine, is_calibrated(weights));
    list.push_back(checked.object);
    text += "\n" + checked.line;
    ok = ok && checked.ok;
  }
  context.show({{"ok", ok},
                {"model", a.model},
                {"patches", a.patches},
                {"count", sample.count},
                {"against", against.engine},
                {"engines", list}},
               text);
  return ok ? 0 : 1;
}

}  // namespace

void add_check_command(CLI::App& app, Context& context) {
  CLI::App* command = add_command(
      app, "check", "Do all engines of this machine, or that of --engine, compute the same? Exit code 1 if not",
      "  adasample check --model untrained\n"
      "  adasample check --engine onednn-int8 --model runs/a --patches heldout\n"
      "  adasample check --engine cuda --against torch --model runs/a --count 4096\n");
  auto a = std::make_shared<CheckArguments>();
  std::vector<std::string> names = engine_choices();
  std::erase(names, "auto");
  command->add_option("--against", a->against, "The engine to compare with")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command->add_option("--model", a->model, "A weights file (.safetensors), a run folder, or: untrained")
      ->required()
      ->type_name("M");
  command
      ->add_option("--patches", a->patches,
                   "Patch store (pairs of it: FPR95 too) or .npy file of patches; without: procedural ones")
      ->type_name("X");
  command->add_option("--count", a->count, "Patches, at most; the reference describes a few a second")
      ->capture_default_str();
  command->add_option("--max-error", a->max_error,
                      "Largest difference of a number allowed [1e-5; onednn-int8, cuda: none]");
  command->add_option(
      "--max-angle", a->max_angle,
      "Angle allowed that 99 % of the descriptors keep, degrees [onednn-int8: 3, untrained 10; cuda: 1; others: none]");
  command->callback([&context, a] { context.action = [&context, a] { return check(context, *a); }; });
}

}  // namespace adasample
