// SPDX-License-Identifier: Apache-2.0
// Where a run stands, to and from a checkpoint.
#include "adasample/base/error.h"
#include "adasample/base/text.h"
#include "adasample/train/stored_tensor.h"
#include "adasample/train/trainer_state.h"

namespace adasample {
namespace {

constexpr const char* kUsualDistances = "usual_distances";
constexpr const char *kMemoryRows = "memory.rows", *kMemoryWhen = "memory.embedded";
const std::string kLossState = "loss.";

}  // namespace

Checkpoint Trainer::State::checkpoint() const {
  Checkpoint now;
  now.state.iteration = next;
  now.state.seconds = seconds;
  now.state.evaluated = evaluated;
  now.state.best_iteration = best_iteration;
  now.state.best_score = best_score;
  now.state.skipped_in_a_row = skipped_in_a_row;
  now.state.warned = warned;
  if (trouble) {
    now.state.trouble_end = to_string(trouble->end);
    now.state.trouble = trouble->reason;
  }
  now.state.average_mass = ema.mass();
  now.state.network = options.network;
  const auto parameters = net->named_parameters(), buffers = net->named_buffers();
  size_t i = 0;
  for (const auto& item : parameters) {
    now.network[item.key()] = store_tensor(item.value());
    if (ema.started()) now.average[item.key()] = store_tensor(ema.sums()[i]);
    ++i;
  }
  for (const auto& item : buffers) {
    now.network[item.key()] = store_tensor(item.value());
    if (ema.started()) now.average[item.key()] = store_tensor(ema.sums()[i]);
    ++i;
  }
  for (const auto& [name, tensor] : optimiser->state(parameters.keys())) now.optimiser[name] = store_tensor(tensor);
  now.optimiser["l_avg"] = store_tensor(average);
  if (policy_of(options).informativeness == Informativeness::kStrength) {
    now.optimiser[kUsualDistances] = store_tensor(usual);
  }
  if (memory) {
    now.optimiser[kMemoryRows] = store_tensor(memory->rows());
    now.optimiser[kMemoryWhen] = store_tensor(memory->embedded());
  }
  for (const auto& [name, tensor] : loss->state()) now.optimiser[kLossState + name] = store_tensor(tensor);
  std::vector<double> window;
  for (const auto& f : alarm.window()) {
    window.insert(window.end(), {f.loss, f.positive_distance, f.effective_rank, f.masked_share});
  }
  now.optimiser["alarm"] = store_tensor(at::tensor(window, at::kDouble).view({-1, 4}));
  return now;
}

void Trainer::State::restore(const Checkpoint& from, const std::optional<Weights>& best_weights) {
  const CheckpointState& state = from.state;
  ADA_CHECK(state.network == options.network, "[checkpoint] of a network {}, the run learns {}", shown(state.network),
            options.network);
  next = state.iteration;
  seconds = state.seconds;
  evaluated = state.evaluated;
  best = best_weights;
  best_iteration = state.best_iteration;
  best_score = state.best_score;
  ADA_ASSERT(best.has_value() == (best_iteration >= 0));
  skipped_in_a_row = state.skipped_in_a_row;
  warned = state.warned;
  if (!state.trouble.empty()) {
    trouble = {parse_end(state.trouble_end), state.trouble};
    ADA_CHECK(trouble->end == TrainResult::End::kCollapsed || trouble->end == TrainResult::End::kNotFinite,
              "[checkpoint] '{}' is no trouble", state.trouble_end);
  }
  ADA_CHECK(from.average.empty() == (state.average_mass == 0),
            "[checkpoint] an average of the weights and its mass belong together");
  size_t i = 0;
  for (const auto& item : net->named_parameters()) {
    load_tensor(from.network, item.key(), item.value());
    if (ema.enabled() && !from.average.empty()) load_tensor(from.average, item.key(), ema.sums()[i]);
    ++i;
  }
  for (const auto& item : net->named_buffers()) {
    load_tensor(from.network, item.key(), item.value());
    if (ema.enabled() && !from.average.empty()) load_tensor(from.average, item.key(), ema.sums()[i]);
    ++i;
  }
  if (ema.enabled()) ema.set_mass(state.average_mass);
  for (const auto& [name, tensor] : optimiser->state(net->named_parameters().keys())) {
    load_tensor(from.optimiser, name, tensor);
  }
  load_tensor(from.optimiser, "l_avg", average);
  // A run that has drawn by something else till now begins to learn them.
  if (from.optimiser.contains(kUsualDistances)) load_tensor(from.optimiser, kUsualDistances, usual);
  if (memory && from.optimiser.contains(kMemoryRows)) {
    load_tensor(from.optimiser, kMemoryRows, memory->rows());
    load_tensor(from.optimiser, kMemoryWhen, memory->embedded());
  }
  const LossState state_of_loss = loss->state();
  for (const auto& [name, tensor] : state_of_loss) {
    ADA_CHECK(from.optimiser.contains(kLossState + name), "[checkpoint] the state {} of the loss {} is missing", name,
              options.loss.name);
    load_tensor(from.optimiser, kLossState + name, tensor);
  }
  for (const auto& [name, array] : from.optimiser) {
    ADA_CHECK(!name.starts_with(kLossState) || state_of_loss.contains(name.substr(kLossState.size())),
              "[checkpoint] holds {}, the state of another loss than {}", name, options.loss.name);
  }
  const auto rows = from.optimiser.find("alarm");
  ADA_CHECK(rows != from.optimiser.end() && rows->second.shape.size() == 2 &&
                rows->second.shape[0] <= CollapseAlarm::kWindow && rows->second.shape[1] == 4,
            "[checkpoint] the array alarm is missing or not [0..{}, 4]", CollapseAlarm::kWindow);
  at::Tensor window = at::zeros({rows->second.shape[0], 4}, at::kDouble);
  load_tensor(from.optimiser, "alarm", window);
  std::deque<CollapseAlarm::Figures> figures;
  for (int64_t row = 0; row < window.size(0); ++row) {
    const double* f = window.data_ptr<double>() + 4 * row;
    figures.push_back({f[0], f[1], f[2], f[3]});
  }
  alarm.set_window(std::move(figures));
}

}  // namespace adasample
