// SPDX-License-Identifier: Apache-2.0
// Options to start from: ours, and those that make a method of the field (train/run/methods.h).
#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/engine/engine.h"
#include "adasample/gpu/gpu.h"
#include "adasample/train/options.h"
#include "adasample/train/pass/kernels.h"
#include "adasample/train/run/methods.h"

namespace adasample {
namespace {

// int8, with assumed ranges: the draws agree with those of fp32 (bench/README.md). By what the machine has and never by
// the clock: a run that goes on takes what it took.
std::string default_sampling_engine() {
  const auto runs = [](const char* engine) { return engine_here(engine).name == engine; };
  for (const char* engine : {"simd-int8", "onednn-int8"}) {
    if (runs(engine)) return engine;
  }
  return default_engine() == "reference" ? "torch" : default_engine();  // LibTorch is much faster than the former
}

template <typename Number>
void read_setting(Number& field, const std::string& value) {
  ADA_ASSERT(parse_number(value, field));
}

// What the command line would do with --option value; the settings of methods take no others.
void apply_setting(TrainOptions& o, const std::string& option, const std::string& value) {
  if (option == "network") return void(o.network = value);
  if (option == "sampler") return void(o.sampler = value);
  if (option == "weights") return void(o.weights = value);
  if (option == "informativeness") return void(o.informativeness = value);
  if (option == "alpha") return read_setting(o.alpha.emplace(), value);
  if (option == "loss") return void(o.loss.name = value);
  if (option == "terms") return void(o.loss.terms = parse_terms(value));
  if (option == "negatives") return void(o.loss.mining.negatives = parse_negatives(value));
  if (option == "mining") return void(o.loss.mining.choice = parse_negative_choice(value));
  if (option == "separate-bn") return void(o.separate_batch_norm = value == "true");
  if (option == "batch") return read_setting(o.batch, value);
  if (option == "members") return read_setting(o.members, value);
  if (option == "pairs") return read_setting(o.pairs_per_epoch, value);
  if (option == "epochs") return read_setting(o.epochs, value);
  if (option == "margin") return read_setting(o.loss.margin, value);
  if (option == "optimiser") return void(o.optimiser = value);
  if (option == "lr") return read_setting(o.learning_rate, value);
  if (option == "momentum") return read_setting(o.momentum, value);
  if (option == "dampening") return read_setting(o.dampening, value);
  if (option == "dropout") return read_setting(o.dropout, value);
  if (option == "warmup") return read_setting(o.warmup_quantile_share, value);
  if (option == "ramp") return read_setting(o.warmup_exponent_share, value);
  ADA_THROW_KIND(kBug, "no setting {}", option);
}

}  // namespace

std::vector<std::string> preset_names() { return method_names(); }

TrainOptions make_preset(const std::string& name, const std::string& device) {
  const Method& method = find_method(name);
  TrainOptions options;
  options.preset = name;
  options.device = device;
  if (device == "cpu") options.sampling_engine = default_sampling_engine();
  if (device == "cpu" && pass::machine_here() != pass::Machine::kAny) options.training_engine = "simd";
  if (device != "cpu") {
    options.precision = gpu::built() ? "bf16" : "tf32";
    options.log_every = 50;  // each reading makes the GPU wait
  }
  if (name == "paper") {
    if (device != "cpu" && gpu::built())
      options.precision = "fp16";  // nearer to fp32 than bf16, as fast (bench/gpu.md)
    options.loss.mining = {Negatives::kEq14, /*duplicate_distance=*/0};
    options.schedule = "steps";
    options.warmup_quantile_share = 0;
    options.warmup_exponent_share = 0;
  } else {
    options.loss.mining = {Negatives::kAll, /*duplicate_distance=*/0.008};
    options.batch = device == "cpu" ? 256 : 1024;
    options.lambda = 5;  // experiments/sampling/README.md
    options.weights = "none";
  }
  for (const auto& [option, value] : method.settings) apply_setting(options, option, value);
  return options;
}

}  // namespace adasample
