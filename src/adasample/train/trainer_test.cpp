// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/trainer.h"

#include <gtest/gtest.h>

#include <torch/torch.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "adasample/engine/engine.h"
#include "adasample/net/net_descriptor.h"
#include "adasample/sampler/policy.h"
#include "adasample/train/distributed/communicator.h"
#include "adasample/train/effective_rank.h"
#include "adasample/train/run/collapse_alarm.h"
#include "adasample/train/run/run_folder.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensors.h"
#include "tests/support/warnings.h"

namespace adasample {
namespace {

using testing::largest_difference;

TrainOptions tiny_options() {
  TrainOptions options = make_preset("robust", "cpu");
  options.batch = 8;
  options.k = 4;
  options.iterations = 12;
  options.log_every = 5;
  return options;
}

double value_of(const MetricRecord& record, const std::string& name) {
  for (const auto& [key, value] : record.values) {
    if (key == name) return value;
  }
  ADD_FAILURE() << "no metric " << name;
  return 0;
}

TEST(EffectiveRank, BetweenOneAndTheDimension) {
  torch::manual_seed(1);
  const at::Tensor line = at::randn({1, 16}).repeat({40, 1});
  EXPECT_NEAR(effective_rank(gram_matrix(line)), 1, 1e-5);
  EXPECT_TRUE(std::isfinite(effective_rank(gram_matrix(line / 0))));
  EXPECT_NEAR(effective_rank(gram_matrix(at::eye(16))), 16, 1e-4);
  EXPECT_NEAR(effective_rank(gram_matrix(at::eye(16).narrow(0, 0, 5))), 5, 1e-4);
}

// Each as its preset has it, only smaller; those that read 64x64 patches say so where there are none.
TEST(Trainer, EveryMethodOfTheFieldLearns) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5),
                   large = testing::small_store(folder / "l", 30, 5, 64);
  for (const std::string& preset : preset_names()) {
    SCOPED_TRACE(preset);
    TrainOptions options = make_preset(preset, "cpu");
    EXPECT_NO_THROW(options.validate());
    options.batch = 8;
    options.k = 4;
    options.iterations = 3;
    if (find_network(options.network).input_size == 64) {
      testing::expect_error([&] { Trainer(options, {&store}); }, "32x32", "training reads 64x64");
    }
    const Weights before = untrained_weights(options.seed, options.network);
    MemorySink sink;
    const TrainResult result = Trainer(options, {&large}).run(sink);  // halved where the network reads 32x32
    EXPECT_EQ(result.end, TrainResult::End::kComplete);
    EXPECT_NO_THROW(result.weights.check_against(find_network(options.network)));
    EXPECT_NE(result.weights.arrays, before.arrays);
    for (const MetricRecord& record : sink.records) EXPECT_TRUE(std::isfinite(value_of(record, "loss")));
  }
}

TEST(Trainer, WhatDoesNotFitIsRefused) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  const auto refused = [&](auto change, const auto&... parts) {
    TrainOptions options = tiny_options();
    change(options);
    testing::expect_error([&] { Trainer(options, {&store}); }, parts...);
  };
  refused([](TrainOptions& o) { o.network = "resnet"; }, "network = 'resnet', must be one of l2net");
  refused([](TrainOptions& o) { o.network = "tfeat"; }, "loss = aht, needs unit descriptors", "--network tfeat");
  refused([](TrainOptions& o) { o.network = "matchnet"; }, "network = matchnet", "would not be learned by --loss aht");
  refused([](TrainOptions& o) { o.loss.name = "matchnet"; }, "loss = matchnet, learns a metric", "l2net has none");
  refused([](TrainOptions& o) { o.optimiser = "lbfgs"; }, "optimiser = 'lbfgs', must be one of sgd, adam");
  refused([](TrainOptions& o) { o.members = 1; }, "members = 1, must be in [2, k = 4]");
  refused([](TrainOptions& o) { o.members = 5; }, "members = 5");
  // A draw that looks at the whole batch cannot be made in parts of it.
  const auto in_parts = [](TrainOptions& o) {
    o.weights = "none";
    o.shards = 4;
  };
  refused(
      [&](TrainOptions& o) {
        in_parts(o);
        o.refresh = 0.5;
      },
      "shards = 4: --refresh below 1 does not go with them");
  refused(
      [&](TrainOptions& o) {
        in_parts(o);
        o.informativeness = "residual";
      },
      "shards = 4: --informativeness residual or gradient does not go with them");
  refused(
      [&](TrainOptions& o) {
        in_parts(o);
        o.local_negatives = true;
      },
      "negatives-from = rank, with --shards and --deterministic it must be batch");
  TrainOptions options = tiny_options();
  options.network = "hynet";
  testing::expect_error([&] { Trainer(options, {&store}, untrained_weights(1)); }, "needs a network hynet", "'l2net'");
}

// Where nothing asks for parts by name, --deterministic leaves the batch whole for what looks at all of it.
TEST(Trainer, DeterministicGoesWithWhatLooksAtTheWholeBatch) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  TrainOptions options = tiny_options();
  options.weights = "none";
  options.refresh = 0.25;
  options.iterations = 4;
  MemorySink plain, deterministic;
  const TrainResult expected = Trainer(options, {&store}).run(plain);
  options.deterministic = true;
  EXPECT_EQ(Trainer(options, {&store}).run(deterministic).weights, expected.weights);
}

// One process that loses "the others" when `lost` is set.
class Loses : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string place_of(int) const override { return "here"; }
  void all_gather(const void* mine, size_t bytes, void* all) override { std::memmove(all, mine, bytes); }
  void add(double*, size_t) override {}
  void start_add(float*, size_t) override {}
  void wait() override {}
  void broadcast(void*, size_t) override {
    if (lost) throw LostRank(Error::Kind::kWork, "[ranks] rank 1 is gone", __FILE__, __LINE__);
  }
  double waited() const override { return 0; }
  int64_t sent() const override { return 0; }
  void tell(const Error&) override {}

  bool lost = false;
};

// During the last validation, say, which rank 0 makes while the others wait.
TEST(Trainer, ARankLostAfterTheLastIterationCostsNothing) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  Loses ranks;
  MemorySink sink;
  std::vector<int64_t> saved;
  TrainHooks hooks;
  hooks.save = [&](const Checkpoint& checkpoint) { saved.push_back(checkpoint.state.iteration); };
  hooks.evaluate = [&](Descriptor&) {
    ranks.lost = true;
    return 0.5;
  };
  TrainOptions options = tiny_options();
  options.checkpoint_minutes = 0;
  testing::expect_error([&] { Trainer(options, {&store}, std::nullopt, &ranks).run(sink, hooks); }, "rank 1 is gone");
  EXPECT_EQ(saved, std::vector<int64_t>{12});
}

TEST(Trainer, EverySamplerAndLossTakesALineAStep) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  for (const std::string& sampler : sampler_names()) {
    for (const std::string& loss : loss_names()) {
      const bool ours = loss == "aht" || loss == "ht" || loss == "hardnet";
      if (!ours && sampler != TrainOptions().sampler) continue;  // one sampler is enough to see them learn
      if (loss == "matchnet") continue;                          // for a network of its own, above
      TrainOptions options = tiny_options();
      options.sampler = sampler;
      options.loss.name = loss;
      options.iterations = 4;
      MemorySink sink;
      const TrainResult result = Trainer(options, {&store}).run(sink);
      SCOPED_TRACE(sampler + " " + loss);
      EXPECT_EQ(result.end, TrainResult::End::kComplete);
      EXPECT_EQ(result.pairs, 4 * 8);
      ASSERT_EQ(sink.records.size(), 4u);
      for (int64_t t = 0; t < 4; ++t) {
        const MetricRecord& record = sink.records[static_cast<size_t>(t)];
        EXPECT_EQ(record.iteration, t);
        for (const char* name :
             {"loss", "l_avg", "d_pos", "d_neg", "active", "entropy", "effective_rank", "lr", "pairs_per_s",
              "time_load", "time_embed", "time_sample", "time_forward", "time_backward", "time_step"}) {
          EXPECT_TRUE(std::isfinite(value_of(record, name))) << name;
        }
      }
      EXPECT_NO_THROW(result.weights.check_against(l2net()));
    }
  }
}

TEST(Trainer, TermsOfTheBatchAreInTheStepAndNotInTheLoss) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  const auto train = [&](const std::string& terms, MemorySink& sink) {
    TrainOptions options = tiny_options();
    options.weights = "distance";
    options.loss.terms = parse_terms(terms);
    options.iterations = 3;
    return Trainer(options, {&store}).run(sink).weights;
  };
  MemorySink plain, with;
  EXPECT_NE(train("none", plain), train("gor=5,sos=2", with));
  for (const char* name : {"loss", "l_avg", "d_pos"}) {
    EXPECT_EQ(value_of(plain.records[0], name), value_of(with.records[0], name)) << name;
  }
  EXPECT_NE(value_of(plain.records[2], "loss"), value_of(with.records[2], "loss"));
  EXPECT_GT(value_of(with.records[0], "terms"), 0);
  for (const auto& [name, value] : plain.records[0].values) EXPECT_NE(name, "terms");
}

TEST(Trainer, SameSeedSameBits) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  const auto train = [&](uint64_t seed) {
    TrainOptions options = tiny_options();
    options.seed = seed;
    MemorySink sink;
    return Trainer(options, {&store}).run(sink).weights;
  };
  const Weights first = train(5);
  EXPECT_EQ(first, train(5));
  EXPECT_NE(first.arrays, train(6).arrays);
}

// What each iteration drew, as far as entropy tells. An engine that kept the weights it was made with would stay where
// the first iteration was.
TEST(Trainer, SamplingEnginesDrawAlike) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 70, 5);
  const auto entropies = [&](const std::string& engine) {
    TrainOptions options = tiny_options();
    options.batch = 64;
    options.iterations = 4;
    options.warmup_quantile_share = options.warmup_exponent_share = 0;  // else the first draw is uniform
    options.sampling_engine = engine;
    MemorySink sink;
    Trainer(options, {&store}).run(sink);
    std::vector<double> values;
    for (const MetricRecord& record : sink.records) values.push_back(value_of(record, "entropy"));
    return values;
  };
  const std::vector<double> expected = entropies("torch");
  ASSERT_EQ(expected.size(), 4u);
  EXPECT_GT(std::abs(expected[3] - expected[0]), 0.05) << "the draws change with the weights";
  for (const std::string& engine : engine_names()) {
    if (engine == "reference" || engine == "cuda") continue;
    const bool fp32 = !engine.ends_with("-int8");
    const std::vector<double> found = entropies(engine);
    EXPECT_NEAR(found[0], expected[0], fp32 ? 1e-4 : 0.03) << engine;
    if (!fp32) continue;  // a few other draws, and the runs part
    for (size_t t = 1; t < 4; ++t) EXPECT_NEAR(found[t], expected[t], 0.01) << t;
  }
}

TEST(Trainer, LambdaZeroIsTheRandomSampler) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  const auto train = [&](const std::string& sampler, double lambda) {
    TrainOptions options = tiny_options();
    options.sampler = sampler;
    options.lambda = lambda;
    options.weights = "none";
    MemorySink sink;
    return Trainer(options, {&store}).run(sink).weights.arrays;
  };
  EXPECT_EQ(train("adasample", 0), train("random", 10));
  EXPECT_EQ(train("adasample", std::numeric_limits<double>::infinity()), train("hardest", 10));
}

TEST(Trainer, LearnsAnEasySet) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 60, 4);
  TrainOptions options = tiny_options();
  options.batch = 16;
  options.iterations = 60;
  MemorySink sink;
  Trainer(options, {&store}).run(sink);
  const auto mean_loss = [&](size_t begin, size_t end) {
    double sum = 0;
    for (size_t i = begin; i < end; ++i) sum += value_of(sink.records[i], "loss");
    return sum / static_cast<double>(end - begin);
  };
  EXPECT_LT(mean_loss(50, 60), 0.5 * mean_loss(3, 8));  // the first three iterations still have the median negative
}

// L_avg of each line follows from the losses: m <- b m + (1 - b) L, from t on; and the exponent from L_avg.
TEST(Trainer, RunningLoss) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  TrainOptions options = tiny_options();
  options.average_decay = 0.9;
  options.warmup_quantile_share = options.warmup_exponent_share = 0;
  MemorySink sink;
  Trainer(options, {&store}).run(sink);
  double average = options.loss.margin;
  for (const MetricRecord& record : sink.records) {
    EXPECT_NEAR(value_of(record, "exponent"), options.lambda / average, 1e-9);
    average = std::max(1e-3, 0.9 * average + 0.1 * value_of(record, "loss"));
    EXPECT_NEAR(value_of(record, "l_avg"), average, 1e-9);
  }
}

TEST(Trainer, InitStopAndValidation) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  TrainOptions options = tiny_options();
  options.eval_every = 4;
  options.ema_decay = 0.5;
  MemorySink sink;
  int asked = 0;
  TrainHooks hooks;
  hooks.evaluate = [&](Descriptor&) { return ++asked == 2 ? 0.25 : 0.5; };
  const TrainResult result = Trainer(options, {&store}).run(sink, hooks);
  EXPECT_EQ(asked, 3) << "at 4, 8 and at the end";
  ASSERT_TRUE(result.best);
  EXPECT_EQ(result.best_score, 0.25);
  EXPECT_NE(result.best->arrays, result.weights.arrays);

  hooks.evaluate = nullptr;
  hooks.stop = [] { return true; };
  const TrainResult stopped = Trainer(options, {&store}, result.weights).run(sink, hooks);
  EXPECT_EQ(stopped.end, TrainResult::End::kStopped);
  EXPECT_EQ(stopped.iterations, 0);
  EXPECT_EQ(stopped.weights.arrays, result.weights.arrays) << "what --init gave";
}

TEST(Trainer, AlphaFixesTheExponent) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  TrainOptions options = tiny_options();
  options.alpha = 3;
  options.lambda = std::numeric_limits<double>::infinity();  // alpha wins
  options.iterations = 3;
  options.warmup_quantile_share = options.warmup_exponent_share = 0;
  MemorySink sink;
  Trainer(options, {&store}).run(sink);
  for (const MetricRecord& record : sink.records) EXPECT_EQ(value_of(record, "exponent"), 5);
}

TEST(Trainer, StopsWhenNothingIsFinite) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  TrainOptions options = tiny_options();
  options.iterations = 40;
  options.ema_decay = 0.9;
  for (const double rate : {1e37, 1e39}) {
    options.training_engine = rate == 1e37 ? "torch" : "simd";
    options.learning_rate = rate;
    MemorySink sink;
    const TrainResult result = Trainer(options, {&store}).run(sink);
    EXPECT_EQ(result.end, TrainResult::End::kNotFinite) << rate;
    EXPECT_NE(result.reason.find("lower --lr"), std::string::npos);
    EXPECT_LT(result.iterations, 40);
    EXPECT_NO_THROW(result.weights.check_against(l2net())) << "what is kept can be loaded again";
  }
}

// Its forward pass has moved the running statistics by then; they go back too.
TEST(Trainer, ASkippedStepLeavesNothing) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  TrainOptions options = tiny_options();
  options.iterations = 3;
  options.learning_rate = 1e39;
  const Weights before = untrained_weights(1);
  for (const std::string& engine : training_engine_names()) {
    options.training_engine = engine;
    MemorySink sink;
    const TrainResult result = Trainer(options, {&store}, before).run(sink);
    for (const MetricRecord& record : sink.records) EXPECT_EQ(value_of(record, "stepped"), 0);
    for (const auto& [name, array] : before.arrays) EXPECT_EQ(result.weights.arrays.at(name), array) << name;
  }
}

// The same iterations but for rounding: the figures of the first are equal, later ones drift apart slowly. Positives
// are uniform and not weighted: where distances choose them, rounding can choose others. Dropout multiplies the drift,
// so it is looked at in the first iteration alone.
TEST(Trainer, TrainingEnginesLearnAlike) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  const auto losses = [&](const std::string& engine, double dropout) {
    TrainOptions options = tiny_options();
    options.iterations = 4;
    options.batch = 24;
    options.sampler = "random";
    options.weights = "none";
    options.warmup_quantile_share = options.warmup_exponent_share = 0;
    options.dropout = dropout;
    options.training_engine = engine;
    MemorySink sink;
    Trainer(options, {&store}).run(sink);
    std::vector<double> values;
    for (const MetricRecord& record : sink.records) values.push_back(value_of(record, "loss"));
    return values;
  };
  const std::vector<double> expected = losses("torch", 0), found = losses("simd", 0);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(found[0], expected[0], 1e-4);
  for (size_t t = 1; t < 4; ++t) EXPECT_NEAR(found[t], expected[t], 0.02) << t;
  const double dropped = losses("simd", 0.3)[0];
  EXPECT_NEAR(dropped, losses("torch", 0.3)[0], 1e-4) << "the same masks";
  EXPECT_GT(std::abs(dropped - found[0]), 1e-3) << "dropout is there";
}

// Weights that have collapsed stay so: with all filters of the last convolution equal, every descriptor lies on one
// line and the gradient keeps it there. The alarm ends the run, names sign and cure, and the weights are kept; with
// `warn` the run goes on.
TEST(Trainer, CollapseIsNoticed) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 3);
  Weights collapsed = untrained_weights(1);
  std::vector<float>& last = collapsed.arrays.at("features.19.weight").values;
  const size_t filter = last.size() / 128;
  for (size_t i = filter; i < last.size(); ++i) last[i] = last[i % filter];
  TrainOptions options = make_preset("paper", "cpu");
  options.batch = 4;
  options.k = 2;
  options.iterations = 115;
  MemorySink sink;
  const TrainResult result = Trainer(options, {&store}, collapsed).run(sink);
  EXPECT_EQ(result.end, TrainResult::End::kCollapsed);
  EXPECT_EQ(result.iterations, CollapseAlarm::kWindow) << "as soon as the window is full";
  EXPECT_NE(result.reason.find("effective rank"), std::string::npos) << result.reason;
  EXPECT_NE(result.reason.find("--preset robust"), std::string::npos) << result.reason;
  EXPECT_NO_THROW(result.weights.check_against(l2net()));

  options.stop_on_collapse = false;
  const TrainResult warned = Trainer(options, {&store}, collapsed).run(sink);
  EXPECT_EQ(warned.end, TrainResult::End::kComplete);
  const auto warnings = testing::take_warnings();
  ASSERT_EQ(warnings.size(), 1u) << "once";
  EXPECT_NE(warnings[0].find("collapsed"), std::string::npos);
}

TEST(RunFolder, HoldsConfigurationMetricsAndWeights) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 30, 5);
  const TrainOptions options = tiny_options();
  Trainer trainer(options, {&store});
  RunFolder run = RunFolder::create(folder / "run", {"batch = 8\n"}, trainer.checkpoint());
  const TrainResult result = trainer.run(run.metrics());
  run.save(result, options.weights_metadata());
  const Weights read = load_safetensors(folder / "run/model.safetensors");
  EXPECT_EQ(read.arrays, result.weights.arrays);
  EXPECT_EQ(read.metadata.at("training"), "batch = 8\n");
  EXPECT_EQ(read.metadata.at("architecture"), "l2net");
  std::ifstream metrics(folder / "run/metrics.jsonl");
  int lines = 0;
  for (std::string line; std::getline(metrics, line); ++lines)
    EXPECT_EQ(nlohmann::json::parse(line)["iteration"], lines);
  EXPECT_EQ(lines, 12);
  testing::expect_error([&] { RunFolder::create(folder / "run", {}, trainer.checkpoint()); }, "already exists");
}

}  // namespace
}  // namespace adasample
