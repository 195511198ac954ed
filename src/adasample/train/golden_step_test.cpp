// SPDX-License-Identifier: Apache-2.0
// One iteration of the real trainer against independent PyTorch code in double precision
// (tests/golden/training_step/make_training_step.py): draws, figures, and digests of all weights after the step. Each
// sampler with each kind of weights and each loss, and what else changes an iteration.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "adasample/base/random/rng.h"
#include "adasample/sampler/pair_weights.h"
#include "adasample/train/policy_of.h"
#include "adasample/train/trainer.h"
#include "tests/support/golden.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensors.h"

namespace adasample {
namespace {

using Json = nlohmann::json;

// Single precision against double. Sums through seven convolutions with batch norm are off by 1e-6 or so. So about one
// ReLU in a million falls on the other side of 0, and a gradient without that share of its terms is off by the root of
// it, 1e-3 of its length; 3e-3 was the largest difference seen. Weights left out or taken twice make 0.1 and more.
constexpr double kFigure = 2e-5;        // losses and distances, which are near 1
constexpr double kAfterASecond = 5e-3;  // the second iteration starts from weights that are off by the above
constexpr double kChange = 1e-2;        // of a digest, relative to the length of the change
// Running statistics come from the forward pass alone, which no ReLU makes jump. Two batch-norm passes in the wrong
// order move them by 1e-3 of their change.
constexpr double kStatistics = 5e-5;

// The store that make_training_step.py describes: blocks of the class, mixed with more and more of the view's own.
PatchStore golden_store(const std::filesystem::path& folder, const std::vector<int64_t>& sizes) {
  PatchStoreWriter writer(folder, 32);
  for (uint64_t c = 0; c < sizes.size(); ++c) {
    std::vector<uint8_t> patches;
    for (uint64_t view = 0; view < static_cast<uint64_t>(sizes[c]); ++view) {
      const uint64_t share = 5 + 6 * view;
      for (uint64_t y = 0; y < 32; ++y) {
        for (uint64_t x = 0; x < 32; ++x) {
          const uint64_t coarse = RngKey(1, Draw::kScene).at(c).at(y / 4 * 8 + x / 4).bits() >> 56;
          const uint64_t fine = RngKey(2, Draw::kScene).at(c).at(view).at(y / 2 * 16 + x / 2).bits() >> 56;
          patches.push_back(static_cast<uint8_t>((coarse * (64 - share) + fine * share) >> 6));
        }
      }
    }
    writer.add_class(patches);
  }
  writer.finish({{"source", "test"}});
  return PatchStore::open(folder);
}

NamedArray filled(const std::vector<int64_t>& shape, RngKey key, double scale, double offset) {
  int64_t count = 1;
  for (const int64_t extent : shape) count *= extent;
  NamedArray array{shape, {}};
  for (int64_t i = 0; i < count; ++i) {
    array.values.push_back(static_cast<float>(scale * key.at(static_cast<uint64_t>(i)).uniform() + offset));
  }
  return array;
}

Weights golden_start() {
  const LayerTable& table = l2net();
  Weights weights;
  weights.metadata["architecture"] = table.name;
  for (uint64_t l = 0; l < table.layers.size(); ++l) {
    const ConvLayer& layer = table.layers[l];
    const double bound = std::sqrt(6.0 / (layer.in_channels * layer.kernel * layer.kernel));
    const auto key = [&](uint64_t seed) { return RngKey(seed, Draw::kInit).at(l); };
    weights.arrays[table.conv_weight(layer)] =
        filled({layer.out_channels, layer.in_channels, layer.kernel, layer.kernel}, key(3), 2 * bound, -bound);
    weights.arrays[table.running_mean(layer)] = filled({layer.out_channels}, key(4), 0.4, -0.2);
    weights.arrays[table.running_var(layer)] = filled({layer.out_channels}, key(5), 1, 0.5);
  }
  return weights;
}

// The case's own options over the usual ones.
TrainOptions golden_options(const Json& usual, const Json& changes) {
  Json all = usual;
  all.update(changes);
  TrainOptions options;
  options.sampler = all["sampler"];
  options.weights = all["weights"];
  options.lambda = all["lambda"];
  if (!all["alpha"].is_null()) options.alpha = all["alpha"].get<double>();
  options.loss.name = all["loss"];
  options.loss.margin = all["margin"];
  options.loss.mining.negatives = parse_negatives(all["negatives"].get<std::string>());
  options.seed = all["seed"];
  options.batch = all["batch"];
  options.k = all["k"];
  options.flips = all["flips"];
  options.separate_batch_norm = all["separate_batch_norm"];
  options.learning_rate = all["learning_rate"];
  options.momentum = all["momentum"];
  options.dampening = all["dampening"];
  options.weight_decay = all["weight_decay"];
  options.average_decay = all["average_decay"];
  options.warmup_quantile_share = all["warmup_quantile_share"];
  options.warmup_exponent_share = all["warmup_exponent_share"];
  options.iterations = all["iterations"];
  options.dropout = 0;
  options.log_every = 1;
  return options;
}

class SnapshotSink : public MemorySink {
 public:
  void snapshot(const nlohmann::ordered_json& snapshot) override { snapshots.push_back(snapshot); }
  std::vector<nlohmann::ordered_json> snapshots;
};

void expect_figures(const MetricRecord& record, const Json& golden, double tolerance) {
  const at::Tensor w = testing::vector_tensor(golden["w"]);
  for (const auto& [name, value] : record.values) {
    if (name == "effective_pairs") {
      EXPECT_NEAR(value, (w.sum().square() / w.square().sum()).item<double>(), 10 * tolerance * value) << "from w";
    }
    const auto found = golden.find(name);
    if (found == golden.end()) continue;
    if (found->is_null()) {
      EXPECT_EQ(value, std::numeric_limits<double>::infinity()) << name;
    } else {
      EXPECT_NEAR(value, found->get<double>(), tolerance * std::max(1.0, std::abs(value))) << name;
    }
  }
}

// The snapshot shows the first four classes of the batch; the anchor has neither d nor p there.
void expect_draws(const nlohmann::ordered_json& snapshot, const Json& golden) {
  ASSERT_EQ(snapshot["picks"].size(), 4u);
  for (size_t j = 0; j < 4; ++j) {
    const auto& pick = snapshot["picks"][j];
    const Json& expected = golden["draws"][j];
    EXPECT_EQ(pick["class"], expected["class"].get<int64_t>()) << "place " << j;
    EXPECT_EQ(pick["anchor"], expected["anchor"].get<int64_t>()) << "place " << j;
    EXPECT_EQ(pick["drawn"], expected["positive"].get<int64_t>()) << "place " << j;
    ASSERT_EQ(pick["p"].size(), expected["p"].size() + 1) << "place " << j;
    size_t candidate = 0;
    for (size_t slot = 0; slot < pick["p"].size(); ++slot) {
      if (pick["p"][slot].is_null()) continue;
      EXPECT_NEAR(pick["p"][slot].get<double>(), expected["p"][candidate].get<double>(), 1e-3) << "place " << j;
      if (pick["d"][slot].is_number()) {
        EXPECT_NEAR(pick["d"][slot].get<double>(), expected["d"][candidate].get<double>(), kFigure) << "place " << j;
      }
      ++candidate;
    }
  }
}

// Sum of squares of the change, and its dot product with pseudo-random numbers: the second tells where it happened.
void expect_change(const Weights& before, const Weights& after, const Json& golden, double statistics) {
  const LayerTable& table = l2net();
  for (uint64_t l = 0; l < table.layers.size(); ++l) {
    const ConvLayer& layer = table.layers[l];
    const std::string names[] = {table.conv_weight(layer), table.running_mean(layer), table.running_var(layer)};
    for (uint64_t part = 0; part < 3; ++part) {
      const std::vector<float>&from = before.at(names[part]).values, &to = after.at(names[part]).values;
      double squares = 0, along = 0;
      for (size_t i = 0; i < from.size(); ++i) {
        const double change = double{to[i]} - double{from[i]};
        squares += change * change;
        along += change * (2 * RngKey(6, Draw::kInit).at(l).at(part).at(i).uniform() - 1);
      }
      const double length = std::sqrt(golden.at(names[part])[0].get<double>());
      const double tolerance = part == 0 ? kChange : statistics;
      EXPECT_NEAR(std::sqrt(squares) / length, 1, tolerance) << names[part];
      EXPECT_NEAR(along / length, golden.at(names[part])[1].get<double>() / length, tolerance) << names[part];
    }
  }
}

// Runs the cases that `chosen` takes, by one training engine.
template <typename Chosen>
void check_cases(const std::string& engine, const Chosen& chosen) {
  const Json file = testing::golden("training_step/cases.json");
  testing::TempFolder folder;
  const PatchStore store = golden_store(folder / "s", file["class_sizes"]);
  const Weights start = golden_start();
  int checked = 0;
  for (const auto& [name, golden] : file["cases"].items()) {
    if (!chosen(name)) continue;
    TrainOptions options = golden_options(file["usual"], golden["options"]);
    options.training_engine = engine;
    SCOPED_TRACE(fmt::format("{} by {}", name, engine));
    SnapshotSink sink;
    const TrainResult result = Trainer(options, {&store}, start).run(sink);
    ASSERT_EQ(sink.records.size(), golden["iterations"].size());
    ASSERT_FALSE(sink.snapshots.empty());
    for (size_t t = 0; t < sink.records.size(); ++t) {
      expect_figures(sink.records[t], golden["iterations"][t], t == 0 ? kFigure : kAfterASecond);
    }
    expect_draws(sink.snapshots[0], golden["iterations"][0]);
    expect_change(start, result.weights, golden["change"], sink.records.size() == 1 ? kStatistics : kChange);
    if (::testing::Test::HasFailure()) return;  // the others would fail alike
    ++checked;
  }
  EXPECT_GE(checked, 10);
}

template <typename Chosen>
void check_cases(const Chosen& chosen) {
  for (const std::string& engine : training_engine_names()) check_cases(engine, chosen);
}

TEST(GoldenStep, AngularHinge) {
  check_cases([](const std::string& name) { return name.ends_with("-aht"); });
}
TEST(GoldenStep, EuclideanHinge) {
  check_cases([](const std::string& name) { return name.ends_with("-ht"); });
}
TEST(GoldenStep, HardNet) {
  check_cases([](const std::string& name) { return name.ends_with("-hardnet") && !name.starts_with("warm"); });
}
// Other negatives, two batch-norm passes, flips, a part of the classes, the warm-up, a second iteration.
TEST(GoldenStep, WhatElseChangesAnIteration) {
  check_cases([](const std::string& name) {
    return name.starts_with("warm") || !(name.ends_with("-aht") || name.ends_with("-ht") || name.ends_with("-hardnet"));
  });
}

// w by the golden distances and probabilities, apart from everything else.
TEST(GoldenStep, WeightsOfThePairs) {
  const Json file = testing::golden("training_step/cases.json");
  for (const auto& [name, golden] : file["cases"].items()) {
    SCOPED_TRACE(name);
    const TrainOptions options = golden_options(file["usual"], golden["options"]);
    const Json& line = golden["iterations"][0];
    const int64_t n = options.batch, k = options.k;
    PairDraw draw;
    draw.anchor = at::zeros({n}, at::kLong);
    draw.distance = at::zeros({n}, at::kDouble);
    draw.distances = at::zeros({n, k}, at::kDouble);
    draw.probability = at::zeros({n, k}, at::kDouble);
    SamplerInput input;
    input.k = k;
    input.counts = at::zeros({n}, at::kLong);
    const double exponent =
        line["exponent"].is_null() ? std::numeric_limits<double>::infinity() : line["exponent"].get<double>();
    input.exponent = torch::tensor(exponent, at::kDouble);
    for (int64_t i = 0; i < n; ++i) {
      const Json& pair = line["draws"][static_cast<size_t>(i)];
      const int64_t anchor = pair["anchor"], count = static_cast<int64_t>(pair["d"].size()) + 1;
      draw.anchor[i] = anchor;
      input.counts[i] = count;
      for (int64_t slot = 0; slot < count; ++slot) {
        if (slot == anchor) continue;
        const auto candidate = static_cast<size_t>(slot < anchor ? slot : slot - 1);
        draw.distances[i][slot] = pair["d"][candidate].get<double>();
        draw.probability[i][slot] = pair["p"][candidate].get<double>();
      }
      draw.distance[i] = draw.distances[i][pair["positive"].get<int64_t>()];
    }
    const at::Tensor w = pair_weights(policy_of(options).weights, draw.distance, draw, input);
    const at::Tensor expected = testing::vector_tensor(line["w"]);
    // The file has seven digits of d and p; an exponent of 17 makes 1e-5 of it.
    EXPECT_LT(testing::largest_difference(w / expected.clamp_min(1), expected / expected.clamp_min(1)), 1e-5);
  }
}

// Runs of a few iterations that learn nothing: what changes are the draws.
class FrozenRuns : public ::testing::Test {
 protected:
  std::vector<MetricRecord> run(const std::string& sampler, int64_t iterations) {
    TrainOptions options;
    options.sampler = sampler;
    options.lambda = 10;
    options.batch = static_cast<int64_t>(sizes_.size());
    options.k = 6;
    options.flips = false;
    options.dropout = 0;
    options.learning_rate = 1e-30;
    options.warmup_quantile_share = options.warmup_exponent_share = 0;
    options.iterations = iterations;
    MemorySink sink;
    Trainer(options, {&store_}, golden_start()).run(sink);
    return sink.records;
  }
  static double figure(const MetricRecord& record, const std::string& name) {
    for (const auto& [key, value] : record.values) {
      if (key == name) return value;
    }
    ADD_FAILURE() << "no figure " << name;
    return 0;
  }

  const std::vector<int64_t> sizes_ = std::vector<int64_t>(12, 6);
  testing::TempFolder folder_;
  const PatchStore store_ = golden_store(folder_ / "s", sizes_);
};

// The later views of a class hold more of their own and less of the class.
TEST_F(FrozenRuns, HarderSamplersDrawFartherPositives) {
  constexpr int64_t kIterations = 4;
  const auto mean_distance = [&](const std::string& sampler) {
    double sum = 0;
    for (const MetricRecord& record : run(sampler, kIterations)) sum += figure(record, "d_pos");
    return sum / kIterations;
  };
  const double uniform = mean_distance("random"), adaptive = mean_distance("adasample"),
               farthest = mean_distance("hardest");
  // The figures are of the pass that learns, whose batch norm is another than that of the draw: there `hardest` need
  // not be ahead of lambda = 10. Samplers.HarderOnesDrawFartherPositives looks at the draw itself.
  EXPECT_GT(adaptive, uniform + 0.06);
  EXPECT_GT(farthest, uniform + 0.06);
}

// The batch is the same in every iteration but for its order; the pairs must not be.
TEST_F(FrozenRuns, EveryIterationDrawsAnew) {
  const std::vector<MetricRecord> records = run("adasample", 3);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_GT(std::abs(figure(records[1], "d_pos") - figure(records[0], "d_pos")), 1e-4);
  EXPECT_GT(std::abs(figure(records[2], "d_pos") - figure(records[1], "d_pos")), 1e-4);
}

}  // namespace
}  // namespace adasample
