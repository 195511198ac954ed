// SPDX-License-Identifier: Apache-2.0
// Everything that defines a training run. make_preset gives `robust`, the default of the program, `paper`, the paper's
// own, or another method of the field.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "adasample/loss/options.h"

namespace adasample {

struct TrainOptions {
  std::string preset = "robust";

  // Batches
  int64_t batch = 1024;  // n: classes, and so pairs, an iteration
  int64_t k = 15;        // candidates a class and iteration, at most
  int64_t members = 2;   // patches of a class that are learned from: the pair, and others drawn uniformly
  int64_t pairs_per_epoch = 1000000;
  int64_t epochs = 90;
  int64_t iterations = 0;  // overrides pairs and epochs where positive
  uint64_t seed = 0;
  bool flips = true;                // the "+" of the paper's tables
  std::vector<double> shares = {};  // of each store in a batch, any sum; empty: in proportion to their classes

  // Sampling
  std::string sampler = "adasample";         // sampler_names()
  double lambda = 10;                        // exponent = lambda / L_avg; may be infinite
  std::optional<double> alpha;               // fixed exponent 2 alpha - 1 instead
  std::string weights = "distance";          // weight_names(): of the pairs in the step
  std::string informativeness = "distance";  // informativeness_names(): what is raised to the exponent
  double refresh = 1;                        // share of a batch's classes whose candidates are embedded again
  double average_decay = 0.99;               // of L_avg
  double average_floor = 1e-3;               // L_avg is never below it once updated

  // Loss
  LossOptions loss;

  // Optimiser
  std::string optimiser = "sgd";  // optimiser_names(); adam has neither momentum nor dampening of its own choice
  double learning_rate = 10;
  double momentum = 0.5;
  double dampening = 0;
  double weight_decay = 1e-4;
  std::string schedule = "linear";  // schedule_names(): linear | steps | constant
  double ema_decay = 0;             // exponential average of weights, 0: off

  // Network
  std::string network = "l2net";  // find_network()
  double dropout = 0.3;
  bool separate_batch_norm = false;  // anchors and positives in two passes, as HardNet does

  // Warm-up, as shares of the run; 0 switches a part off
  double warmup_quantile_share = 0.05;  // negatives from the 0.5-quantile of similarity to the closest
  double warmup_exponent_share = 0.10;  // then the exponent from 0 to its value

  // Watching
  bool stop_on_collapse = true;  // false: warn only
  int64_t log_every = 10;        // iterations between two readings of the metrics ring
  int64_t eval_every = 0;        // iterations between evaluations on --val; 0: at the end only

  // Arithmetic
  std::string device = "cpu";
  std::string precision = "fp32";  // precision_names(): of the convolutions; weights, statistics and loss are fp32
  std::string sampling_engine = "torch";  // sampling_engine_names(): of the sampling pass on a CPU; a GPU has its own
  std::string training_engine = "torch";  // training_engine_names(): of the pass with gradient on a CPU
  bool deterministic = false;             // the same bits from the same run, where a GPU would not give them by itself
  double gpu_gigabytes = 0;               // of patches kept on the GPU at most; 0: what fits

  // Several processes
  bool local_batch_norm = false;  // statistics of each rank's own part of the batch
  bool local_negatives = false;   // negatives from each rank's own part of the batch
  int64_t shards = 0;             // the batch in so many parts, summed up in their order; 0: as is fastest
  // Shards that the batch is computed in, 0 for none: `shards`, or with `deterministic` on a CPU the most up to 16.
  int64_t ordered_shards() const;

  // Checkpoints; none of these changes what is learned
  double checkpoint_minutes = 5;  // between two; 0: not by time
  int64_t checkpoint_every = 0;   // and every so many iterations; 0: not by iterations
  int64_t keep_last = 2;          // checkpoints kept, besides the best on --val
  int64_t keep_every = 0;         // and for good those of every so many iterations; 0: none

  int64_t total_iterations() const;
  // Whether positives are drawn by remembered descriptors: changes Algorithm 1, see sampler/descriptor_memory.h.
  bool remembers() const;
  // Throws a usage Error that names value and bound.
  void validate() const;
  // What weights that were trained so say of it.
  std::map<std::string, std::string> weights_metadata() const;
};

// "robust", "paper" or another method of `adasample methods`, for a device: "cpu" or "cuda". Throws a usage Error for
// another name.
TrainOptions make_preset(const std::string& name, const std::string& device);
std::vector<std::string> preset_names();
std::vector<std::string> optimiser_names();
std::vector<std::string> precision_names();
std::vector<std::string> sampling_engine_names();
std::vector<std::string> training_engine_names();

}  // namespace adasample
