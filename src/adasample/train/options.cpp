// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/options.h"

#include <algorithm>
#include <cmath>

#include "adasample/base/error.h"
#include "adasample/gpu/gpu.h"
#include "adasample/model/network.h"
#include "adasample/sampler/policy.h"
#include "adasample/train/schedule.h"

namespace adasample {
namespace {

void require_finite_in(const char* name, double value, double low, double high) {
  ADA_USAGE(std::isfinite(value) && value >= low && value <= high, "{} = {}, must be in [{}, {}]", name, value, low,
            high);
}

void require_name(const char* option, const std::string& value, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name == value) return;
  }
  ADA_THROW_KIND(kUsage, "{} = '{}', must be one of {}", option, value, fmt::join(names, ", "));
}

}  // namespace

bool TrainOptions::remembers() const {
  return refresh < 1 && make_sampler_policy(sampler, lambda, alpha, weights, informativeness).needs_descriptors();
}

int64_t TrainOptions::total_iterations() const {
  if (iterations > 0) return iterations;
  return (pairs_per_epoch + batch - 1) / batch * epochs;
}

int64_t TrainOptions::ordered_shards() const {
  if (shards > 0 || !deterministic || device != "cpu") return shards;
  constexpr int64_t kMost = 16;  // divided by 2, 4, 8 and 16 ranks
  int64_t most = 1;
  for (int64_t divisor = 2; divisor <= kMost; ++divisor) {
    if (batch % divisor == 0) most = divisor;
  }
  return most;
}

void TrainOptions::validate() const {
  ADA_USAGE(batch >= 2, "batch = {}, must be >= 2: a negative comes from another class of the batch", batch);
  ADA_USAGE(k >= 2, "k = {}, must be >= 2: a pair needs two patches of a class", k);
  ADA_USAGE(members >= 2 && members <= k, "members = {}, must be in [2, k = {}]", members, k);
  find_network(network);
  // Bounds that keep every product of two of them far from overflow.
  constexpr int64_t kMost = 1000000000;
  ADA_USAGE(batch <= kMost / 1000 && k <= kMost / 1000, "batch = {}, k = {}, must be at most {}", batch, k,
            kMost / 1000);
  ADA_USAGE(iterations >= 0 && iterations <= kMost, "iterations = {}, must be in [0, {}]", iterations, kMost);
  ADA_USAGE(pairs_per_epoch >= 1 && pairs_per_epoch <= kMost, "pairs = {}, must be in [1, {}]", pairs_per_epoch, kMost);
  ADA_USAGE(epochs >= 1 && epochs <= 1000000, "epochs = {}, must be in [1, 1000000]", epochs);
  for (const double share : shares) {
    ADA_USAGE(share >= 0 && share <= 1e6, "share = {}, must be in [0, 1e6]", share);
  }
  ADA_USAGE(shares.empty() || std::any_of(shares.begin(), shares.end(), [](double s) { return s > 0; }),
            "share = 0 for every store, must be positive for one at least");
  ADA_USAGE(lambda >= 0, "lambda = {}, must be >= 0 (0 draws uniformly, inf takes the farthest)", lambda);
  if (alpha)
    ADA_USAGE(*alpha >= 0.5 && std::isfinite(*alpha), "alpha = {}, must be >= 0.5 (0.5 draws uniformly)", *alpha);
  make_sampler_policy(sampler, lambda, alpha, weights, informativeness);  // refuses what does not fit
  ADA_USAGE(refresh > 0 && refresh <= 1, "refresh = {}, must be above 0 and at most 1 (1 embeds all candidates)",
            refresh);
  // Of a class that is not known yet the distances are made up: to draw by, and for nothing else.
  ADA_USAGE(!remembers() || (informativeness == "distance" && weights == "none"),
            "refresh = {}, remembered distances serve --informativeness distance with --weights none, not {} with {}",
            refresh, informativeness, weights);
  require_name("schedule", schedule, schedule_names());
  require_name("loss", loss.name, loss_names());
  require_name("optimiser", optimiser, optimiser_names());
  require_name("precision", precision, precision_names());
  require_name("sampling-engine", sampling_engine, sampling_engine_names());
  require_name("training-engine", training_engine, training_engine_names());
  ADA_USAGE(device != "cpu" || precision == "fp32",
            "precision = {}, a CPU trains in fp32 only (to go on there: --precision fp32 --allow-changes)", precision);
  ADA_USAGE(device == "cpu" || gpu::built() || precision == "fp32" || precision == "tf32",
            "precision = {}, without ADASAMPLE_CUDA a GPU trains in fp32 or tf32", precision);
  ADA_USAGE(std::isfinite(gpu_gigabytes) && gpu_gigabytes >= 0, "gpu-gigabytes = {}, must be >= 0", gpu_gigabytes);
  ADA_USAGE(shards >= 0 && shards <= batch, "shards = {}, must be in [0, batch = {}]", shards, batch);
  ADA_USAGE(ordered_shards() == 0 || !local_batch_norm,
            "batch-norm = local, with --shards and --deterministic it must be global");
  ADA_USAGE(ordered_shards() == 0 || !local_negatives,
            "negatives-from = rank, with --shards and --deterministic it must be batch");
  loss.validate();
  require_finite_in("average decay", average_decay, 0, 1);
  ADA_USAGE(average_floor > 0, "average floor = {}, must be positive", average_floor);
  ADA_USAGE(std::isfinite(learning_rate) && learning_rate > 0, "lr = {}, must be positive", learning_rate);
  require_finite_in("momentum", momentum, 0, 1);
  require_finite_in("dampening", dampening, 0, 1);
  require_finite_in("weight-decay", weight_decay, 0, 1);
  ADA_USAGE(ema_decay >= 0 && ema_decay < 1, "ema = {}, must be in [0, 1)", ema_decay);
  ADA_USAGE(dropout >= 0 && dropout < 1, "dropout = {}, must be in [0, 1)", dropout);
  require_finite_in("warm-up of the negatives", warmup_quantile_share, 0, 1);
  require_finite_in("ramp of the exponent", warmup_exponent_share, 0, 1);
  ADA_USAGE(warmup_quantile_share + warmup_exponent_share <= 1, "warm-up {} and ramp {} are longer than the run",
            warmup_quantile_share, warmup_exponent_share);
  ADA_USAGE(log_every >= 1 && log_every <= 1000000, "log-every = {}, must be >= 1", log_every);
  ADA_USAGE(eval_every >= 0, "eval-every = {}, must be >= 0", eval_every);
  require_finite_in("checkpoint-minutes", checkpoint_minutes, 0, 1e6);
  ADA_USAGE(checkpoint_every >= 0, "checkpoint-every = {}, must be >= 0", checkpoint_every);
  ADA_USAGE(keep_last >= 1 && keep_last <= 1000000, "keep-last = {}, must be in [1, 1000000]", keep_last);
  ADA_USAGE(keep_every >= 0, "keep-every = {}, must be >= 0", keep_every);
}

std::vector<std::string> optimiser_names() { return {"sgd", "adam"}; }
std::vector<std::string> precision_names() { return {"fp32", "tf32", "bf16", "fp16"}; }
std::vector<std::string> sampling_engine_names() { return {"torch", "onednn", "onednn-int8", "simd", "simd-int8"}; }
std::vector<std::string> training_engine_names() { return {"torch", "simd"}; }

std::map<std::string, std::string> TrainOptions::weights_metadata() const {
  return {{"sampler", sampler},
          {"weights", weights},
          {"loss", loss.name},
          {"lambda", fmt::format("{}", lambda)},
          {"batch", std::to_string(batch)},
          {"seed", std::to_string(seed)}};
}

}  // namespace adasample
