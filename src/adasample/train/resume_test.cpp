// SPDX-License-Identifier: Apache-2.0
// A run that was stopped and restored is, bit for bit, the run that never stopped.
#include <gtest/gtest.h>

#include <torch/torch.h>

#include <algorithm>
#include <set>

#include "adasample/base/error.h"
#include "adasample/engine/engine.h"
#include "adasample/train/policy_of.h"
#include "adasample/train/run/run_folder.h"
#include "adasample/train/trainer.h"
#include "tests/support/expect_error.h"
#include "tests/support/graded_store.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

struct Finished {
  TrainResult result;
  Checkpoint last;
  std::vector<MetricRecord> records;
};

TrainOptions resumable_options() {
  TrainOptions options = make_preset("robust", "cpu");
  options.batch = 4;
  options.k = 3;
  options.iterations = 9;
  options.log_every = 4;
  return options;
}

// Deterministic, not monotonous: the best is in the middle.
double score_of(Descriptor& descriptor) {
  std::vector<uint8_t> patch(32 * 32);
  for (size_t i = 0; i < patch.size(); ++i) patch[i] = static_cast<uint8_t>(i * i);
  std::vector<float> out(128);
  descriptor.describe(patch, 1, 32, out);
  return out[0];
}

// Runs to the end, or to iteration `stop`; from `start` where given.
Finished run_to(const TrainOptions& options, const PatchStore& store, int64_t stop = -1,
                const Finished* start = nullptr) {
  Finished finished;
  Trainer trainer(options, {&store});
  if (start != nullptr) trainer.restore(start->last, start->result.best);
  MemorySink sink;
  TrainHooks hooks;
  int64_t asked = start != nullptr ? start->last.state.iteration : 0;
  hooks.stop = [&] { return asked++ == stop; };
  hooks.save = [&](Checkpoint c) { finished.last = std::move(c); };
  if (options.eval_every > 0) hooks.evaluate = score_of;
  finished.result = trainer.run(sink, hooks);
  if (start != nullptr) finished.records = start->records;
  finished.records.insert(finished.records.end(), sink.records.begin(), sink.records.end());
  return finished;
}

bool is_timing(const std::string& name) { return name == "pairs_per_s" || name.starts_with("time_"); }

void expect_equal(const Finished& a, const Finished& b) {
  EXPECT_EQ(a.result.end, b.result.end);
  EXPECT_EQ(a.result.reason, b.result.reason);
  EXPECT_EQ(a.result.weights, b.result.weights);
  EXPECT_EQ(a.result.best, b.result.best);
  EXPECT_EQ(a.result.best_score, b.result.best_score);
  EXPECT_EQ(a.last.network, b.last.network);
  EXPECT_EQ(a.last.optimiser, b.last.optimiser);
  EXPECT_EQ(a.last.average, b.last.average);
  ASSERT_EQ(a.records.size(), b.records.size());
  for (size_t i = 0; i < a.records.size(); ++i) {
    EXPECT_EQ(a.records[i].iteration, b.records[i].iteration);
    ASSERT_EQ(a.records[i].values.size(), b.records[i].values.size());
    for (size_t v = 0; v < a.records[i].values.size(); ++v) {
      const auto& [name, value] = a.records[i].values[v];
      if (is_timing(name)) continue;
      EXPECT_EQ(value, b.records[i].values[v].second) << name << " of line " << i;
    }
  }
}

TEST(Resume, IsBitForBitForEverySampler) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  for (const std::string& sampler : sampler_names()) {
    SCOPED_TRACE(sampler);
    TrainOptions options = resumable_options();
    options.sampler = sampler;
    const Finished whole = run_to(options, store);
    ASSERT_EQ(whole.result.iterations, 9);
    for (const int64_t stop :
         sampler == TrainOptions().sampler ? std::vector<int64_t>{0, 3, 8} : std::vector<int64_t>{5}) {
      SCOPED_TRACE(stop);
      const Finished part = run_to(options, store, stop);
      ASSERT_EQ(part.result.end, TrainResult::End::kStopped);
      ASSERT_EQ(part.result.iterations, stop);
      expect_equal(run_to(options, store, -1, &part), whole);
    }
  }
}

// What the field has, together: a loss with terms of the batch, drawn by AdaSample; a loss with a state; a network and
// a loss that looks into it, by Adam; more than two patches a class.
TEST(Resume, IsBitForBitForTheFieldsMethods) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 5);
  std::vector<TrainOptions> runs(4, resumable_options());
  runs[0].loss.name = "sosnet";
  runs[0].loss.terms = {{"gor", 1}, {"sos", 1}};
  runs[1].loss.name = "dynamic-margin";
  runs[1].ema_decay = 0.9;
  runs[2].network = runs[2].loss.name = "hynet";
  runs[2].optimiser = "adam";
  runs[2].learning_rate = 0.01;
  runs[2].ema_decay = 0.9;
  runs[3].loss.name = "doap";
  runs[3].members = 3;
  for (const TrainOptions& options : runs) {
    SCOPED_TRACE(options.loss.name);
    const Finished whole = run_to(options, store), part = run_to(options, store, 4);
    ASSERT_EQ(part.result.iterations, 4);
    EXPECT_EQ(part.last.weights().metadata.at("architecture"), options.network);
    expect_equal(run_to(options, store, -1, &part), whole);
    // The same through a folder on disk.
    write_checkpoint(part.last, folder / options.loss.name);
    Finished read = part;
    read.last = read_checkpoint(folder / options.loss.name);
    expect_equal(run_to(options, store, -1, &read), whole);
  }
  TrainOptions by_sgd = runs[2];
  by_sgd.optimiser = "sgd";
  testing::expect_error([&] { Trainer(by_sgd, {&store}).restore(run_to(runs[2], store, 1).last, {}); }, "momentum.");
  const Finished hynet = run_to(runs[2], store, 1), margin = run_to(runs[1], store, 1);
  TrainOptions other = resumable_options();
  testing::expect_error([&] { Trainer(other, {&store}).restore(hynet.last, {}); }, "'hynet'", "learns l2net");
  other.ema_decay = 0.9;
  testing::expect_error([&] { Trainer(other, {&store}).restore(margin.last, {}); }, "state of another loss than aht");
}

// Average of the weights, validation with its best, momentum with dampening, two stops.
TEST(Resume, IsBitForBitWithEverythingOn) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  TrainOptions options = resumable_options();
  options.ema_decay = 0.7;
  const std::vector<std::string> engines = engine_names();
  if (std::find(engines.begin(), engines.end(), "onednn-int8") != engines.end())
    options.sampling_engine = "onednn-int8";
  options.training_engine = "simd";
  options.eval_every = 2;
  options.dampening = 0.5;
  options.momentum = 0.9;
  const Finished whole = run_to(options, store);
  ASSERT_TRUE(whole.result.best);
  const Finished part = run_to(options, store, 4);  // before the evaluation at 4
  const Finished further = run_to(options, store, 7, &part);
  expect_equal(run_to(options, store, -1, &further), whole);
}

// The remembered descriptors are part of a checkpoint.
TEST(Resume, IsBitForBitWithRememberedDescriptors) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 9, 4);
  TrainOptions options = resumable_options();
  options.refresh = 0.5;
  options.warmup_quantile_share = options.warmup_exponent_share = 0;
  const Finished whole = run_to(options, store);
  ASSERT_TRUE(whole.last.optimiser.contains("memory.rows"));
  Finished part = run_to(options, store, 6);
  expect_equal(run_to(options, store, -1, &part), whole);
  part.last.optimiser.erase("memory.rows");  // a run that had none till now goes on with an empty one
  part.last.optimiser.erase("memory.embedded");
  EXPECT_NE(run_to(options, store, -1, &part).result.weights, whole.result.weights);
}

// What a run learns besides its weights: how far apart views of given strengths usually are. And terms of the batch.
TEST(Resume, IsBitForBitWithWhatIsLearnedBesides) {
  testing::TempFolder folder;
  const PatchStore store = testing::graded_store(folder / "s", 20, 4);
  TrainOptions options = resumable_options();
  options.informativeness = "strength";
  options.loss.terms = {{"gor", 1}, {"sos", 0.5}};
  const Finished whole = run_to(options, store);
  ASSERT_TRUE(whole.last.optimiser.contains("usual_distances"));
  Finished part = run_to(options, store, 5);
  expect_equal(run_to(options, store, -1, &part), whole);

  TrainOptions plainly = options;
  plainly.informativeness = "distance";
  EXPECT_NE(run_to(plainly, store).result.weights, whole.result.weights);
  plainly = options;
  plainly.loss.terms.clear();
  EXPECT_NE(run_to(plainly, store).result.weights, whole.result.weights);

  part.last.optimiser["loss.histogram"] = part.last.optimiser["l_avg"];
  testing::expect_error([&] { run_to(options, store, -1, &part); }, "loss.histogram", "state of another loss");
}

// A signal that comes while the validation store is described: saved, and evaluated again afterwards.
TEST(Resume, AnInterruptedEvaluationSavesFirst) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  TrainOptions options = resumable_options();
  options.eval_every = 4;
  const Finished whole = run_to(options, store);
  for (const int stopped_evaluation : {1, 2, 3}) {  // at 4, 8 and 9, the end
    SCOPED_TRACE(stopped_evaluation);
    Finished part;
    Trainer trainer(options, {&store});
    MemorySink sink;
    TrainHooks hooks;
    int asked = 0;
    hooks.evaluate = [&](Descriptor& descriptor) {
      if (++asked == stopped_evaluation) ADA_THROW_KIND(kInterrupted, "[eval] interrupted");
      return score_of(descriptor);
    };
    hooks.save = [&](Checkpoint c) { part.last = std::move(c); };
    part.result = trainer.run(sink, hooks);
    part.records = sink.records;
    EXPECT_EQ(part.result.end, TrainResult::End::kStopped);
    EXPECT_EQ(part.last.state.iteration, std::min(4 * stopped_evaluation, 9));
    expect_equal(run_to(options, store, -1, &part), whole);
  }
}

// The best weights come back from the checkpoint of that evaluation.
TEST(Resume, TheBestIsInItsCheckpoint) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  for (const double ema : {0.0, 0.7}) {
    TrainOptions options = resumable_options();
    options.eval_every = 3;
    options.ema_decay = ema;
    std::map<int64_t, Checkpoint> saved;
    Trainer trainer(options, {&store});
    MemorySink sink;
    TrainHooks hooks;
    hooks.save = [&](Checkpoint c) { saved[c.state.iteration] = c; };
    hooks.evaluate = score_of;
    const TrainResult result = trainer.run(sink, hooks);
    const int64_t best = saved.at(9).state.best_iteration;
    ASSERT_TRUE(saved.contains(best));
    EXPECT_EQ(saved.at(best).weights().arrays, result.best->arrays);
    EXPECT_EQ(saved.at(9).weights().arrays, result.weights.arrays);
  }
}

// A run that breaks down does so at the same iteration, also when it was stopped in between.
TEST(Resume, ABreakdownComesWhenItWouldHaveCome) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  TrainOptions options = resumable_options();
  options.iterations = 40;
  options.learning_rate = 1e39;
  const Finished whole = run_to(options, store);
  ASSERT_EQ(whole.result.end, TrainResult::End::kNotFinite);
  for (const int64_t stop : {int64_t{2}, whole.result.iterations - 1}) {
    const Finished part = run_to(options, store, stop);
    ASSERT_EQ(part.result.end, TrainResult::End::kStopped);
    const Finished resumed = run_to(options, store, -1, &part);
    EXPECT_EQ(resumed.result.iterations, whole.result.iterations);
    EXPECT_EQ(resumed.result.reason, whole.result.reason);
  }
}

TEST(Resume, AnotherArchitectureIsRefused) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  Trainer trainer(resumable_options(), {&store});
  Checkpoint wrong = trainer.checkpoint();
  wrong.network.begin()->second.shape = {1};
  testing::expect_error([&] { trainer.restore(wrong, std::nullopt); }, "another architecture",
                        wrong.network.begin()->first);
  wrong = trainer.checkpoint();
  wrong.optimiser.erase("l_avg");
  testing::expect_error([&] { trainer.restore(wrong, std::nullopt); }, "l_avg", "missing");
}

TEST(RunFolder, ALogShorterThanItsCheckpointIsNotPatchedOver) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  const TrainOptions options = resumable_options();
  {
    Trainer trainer(options, {&store});
    RunFolder run = RunFolder::create(folder / "run", {}, trainer.checkpoint());
    TrainHooks hooks;
    hooks.save = [&](Checkpoint c) { run.save_checkpoint(std::move(c)); };
    run.save(trainer.run(run.metrics(), hooks), options.weights_metadata());
    testing::expect_error([&] { RunFolder::reopen(folder / "run"); }, "is in use by process");
  }
  write_file_atomically(folder / "run/metrics.jsonl", "short\n");
  RunFolder run = RunFolder::reopen(folder / "run");
  EXPECT_EQ(run.start().state.iteration, 9);
  EXPECT_EQ(run.result()["end"].get<std::string>(), "complete");
  testing::expect_error([&] { run.go_on({}); }, "metrics.jsonl", "has 6 bytes");
  testing::expect_error([&] { RunFolder::reopen(folder / "s"); }, "is no run folder");
}

// Changes survive a process that dies before its next checkpoint, and a damaged best is no reason not to go on.
TEST(RunFolder, WhatIsChangedStaysChangedAndALostBestIsForgotten) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  TrainOptions options = resumable_options();
  options.eval_every = 2;
  int64_t best = -1, last = -1;
  {
    Trainer trainer(options, {&store});
    RunFolder run = RunFolder::create(folder / "run", {}, trainer.checkpoint());
    TrainHooks hooks;
    hooks.evaluate = [asked = 0](Descriptor&) mutable { return ++asked == 1 ? 0.1 : 0.5; };
    hooks.save = [&](Checkpoint c) {
      best = c.state.best_iteration;
      last = c.state.iteration;
      run.save_checkpoint(std::move(c));
    };
    run.save(trainer.run(run.metrics(), hooks), options.weights_metadata());
  }
  ASSERT_EQ(best, 2);
  ASSERT_EQ(last, 9);
  const RunDescription other{"x = 1\n", {{"lambda", "5"}}, {{"threads", 3}}};
  RunFolder::reopen(folder / "run").go_on(other);
  {
    RunFolder run = RunFolder::reopen(folder / "run");
    EXPECT_EQ(run.start().state.configuration, other.configuration);
    EXPECT_EQ(run.start().state.environment, other.environment);
    EXPECT_TRUE(run.best());
    EXPECT_TRUE(run.result().is_null());
  }
  write_file_atomically(folder / "run/checkpoints/step_000000002/network.safetensors", "rubbish");
  RunFolder run = RunFolder::reopen(folder / "run");
  EXPECT_FALSE(run.best());
  EXPECT_EQ(run.start().state.best_iteration, -1);
  EXPECT_EQ(testing::take_warnings().size(), 1u);
  Trainer trainer(options, {&store});
  EXPECT_NO_THROW(trainer.restore(run.start(), std::nullopt));
}

// Snapshots say what the sampler saw: as many counts as candidates, and the pictures that were trained on.
class KeepingSink : public MemorySink {
 public:
  void snapshot(const nlohmann::ordered_json& json) override { snapshots.push_back(json); }
  std::vector<nlohmann::ordered_json> snapshots;
};

TEST(Snapshot, CountsAndPictures) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 20, 4);
  for (const std::string& sampler : sampler_names()) {
    TrainOptions options = resumable_options();
    options.sampler = sampler;
    KeepingSink sink;
    Trainer(options, {&store}).run(sink);
    ASSERT_EQ(sink.snapshots.size(), 9u);
    std::set<std::string> names;
    for (const auto& snapshot : sink.snapshots) {
      for (const auto& histogram : snapshot["histograms"]) {
        const std::string name = histogram["name"];
        names.insert(name);
        int64_t sum = 0;
        for (const int64_t count : histogram["counts"]) sum += count;
        EXPECT_EQ(sum, name == "d_pos" || name == "d_neg" ? 4 : 4 * 2) << name;
      }
    }
    EXPECT_EQ(names.contains("d_candidates"), policy_of(options).needs_descriptors());
    EXPECT_TRUE(names.contains("p_candidates"));
    for (const auto& pick : sink.snapshots[5]["picks"]) {
      const int64_t anchor = pick["anchor"], drawn = pick["drawn"];
      EXPECT_NE(anchor, drawn);
      EXPECT_EQ(pick["patches"].size(), 3u);
      EXPECT_TRUE(pick["p"][static_cast<size_t>(anchor)].is_null());
      double sum = 0;
      for (const auto& p : pick["p"]) sum += p.is_null() ? 0 : p.get<double>();
      EXPECT_NEAR(sum, 1, 1e-6);
    }
    EXPECT_EQ(sink.snapshots[5]["picks"].size(), 4u);
    EXPECT_EQ(sink.snapshots[6]["picks"].size(), 0u);
  }
}

}  // namespace
}  // namespace adasample
