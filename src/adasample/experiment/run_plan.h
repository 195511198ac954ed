// SPDX-License-Identifier: Apache-2.0
// What a run is to do, complete, and the words for it that its folder and its checkpoints keep.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/train/options.h"
#include "adasample/train/run/run_folder.h"

namespace adasample {

// Folders and files: stores to learn from, the run folder, weights to start from, and a store to validate on. The last
// two may be empty.
struct RunInputs {
  std::vector<std::string> data;
  std::string out, init, val;
  std::vector<double> share;  // empty, or one a store
};

struct RunPlan {
  TrainOptions options;
  RunInputs inputs;

  // Gives the options the inputs' shares. Throws a usage Error where they do not fit.
  void complete();
};

// Options by their names on the command line: whoever binds them there also writes them down and reads them back.
class OptionText {
 public:
  virtual ~OptionText() = default;
  // config.toml of a run: everything that `adasample train --config` needs to repeat it.
  virtual std::string config(const RunPlan& plan) const = 0;
  // Every option by name, as plain text; and the way back, which says whether that name exists and takes that value.
  virtual std::map<std::string, std::string> values(const TrainOptions& options) const = 0;
  virtual bool set(TrainOptions& options, const std::string& name, const std::string& value) const = 0;
};

// Everything a run was called with: its configuration (option -> value: all that decides what is learned but the data)
// and its environment (identities of the stores, device, threads, versions). `val` may be null.
RunDescription describe_run(const RunPlan& plan, const OptionText& text, const std::vector<const PatchStore*>& data,
                            const PatchStore* val);

// The plan as the run was called, but for inputs.out; throws Error for a description that this program cannot have
// written.
RunPlan restore_plan(const nlohmann::json& configuration, const nlohmann::json& environment, const OptionText& text);

}  // namespace adasample
