// SPDX-License-Identifier: Apache-2.0
// Everything from which a training run can go on as if it had never stopped. A folder with
//   network.safetensors    parameters and running statistics, F32, named as in Network::arrays()
//   optimiser.safetensors  momentum of each parameter F32, l_avg F64, the alarm's window F64 [., 4]
//   average.safetensors    the running average of the weights, F64; only where the run keeps one
//   state.json             counters, configuration, fingerprints of the data, sha256 of the other files
// Written beside its name, fsynced and renamed: a checkpoint is complete or absent. It knows no framework.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "adasample/model/weights.h"

namespace adasample {

// An array with its bytes as they lie in memory.
struct StoredArray {
  std::string dtype;  // as in safetensors: "F32", "F64", "I64", "BOOL"
  std::vector<int64_t> shape;
  std::string bytes;

  bool operator==(const StoredArray&) const = default;
};
using StoredArrays = std::map<std::string, StoredArray>;

struct CheckpointState {
  int64_t iteration = 0;        // the next one to do
  double seconds = 0;           // spent in the loop so far
  int64_t evaluated = -1;       // last iteration that was evaluated
  int64_t best_iteration = -1;  // of the best evaluation; its checkpoint is kept. -1: none
  double best_score = 0;
  int skipped_in_a_row = 0;          // steps that were not finite
  bool warned = false;               // of a collapse
  std::string trouble_end, trouble;  // seen, but not yet acted on: how the run will end, and why
  double average_mass = 0;           // of average.safetensors: 1 - decay^updates
  std::string network = "l2net";     // of which the arrays are

  // Where the run stood, filled in by the run folder.
  std::map<std::string, uint64_t> log_bytes;                // length of metrics.jsonl and snapshots.jsonl
  nlohmann::json configuration = nlohmann::json::object();  // option -> value
  nlohmann::json environment = nlohmann::json::object();    // run.json: data fingerprints, device, threads, versions

  nlohmann::ordered_json json() const;
  // Throws Error that names `label` and the key for anything else than what json() writes.
  static CheckpointState parse(std::string_view text, const std::string& label);
};

struct Checkpoint {
  CheckpointState state;
  StoredArrays network, optimiser, average;

  // The weights that the run would save now: the average where there is one, else the network.
  Weights weights() const;
};

// `folder` must not exist. Throws Error; what stands under other names is never touched.
void write_checkpoint(const Checkpoint& checkpoint, const std::filesystem::path& folder);
// What was lost of a checkpoint since it was written: a file is missing or its bytes are others. Nothing for one that
// is whole, also where this program cannot read it; throws Error when the disk does not let it look.
std::optional<std::string> checkpoint_damage(const std::filesystem::path& folder);
// Throws Error when a file is missing, damaged or not what state.json says it is.
Checkpoint read_checkpoint(const std::filesystem::path& folder);

}  // namespace adasample
