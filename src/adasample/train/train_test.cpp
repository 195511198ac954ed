// SPDX-License-Identifier: Apache-2.0
// The parts of training: schedules, optimiser, running loss, averages of weights, loader, alarm.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "adasample/base/conventions.h"
#include "adasample/gpu/gpu.h"
#include "adasample/train/batch_loader.h"
#include "adasample/train/ema.h"
#include "adasample/train/optimiser/adam.h"
#include "adasample/train/optimiser/sgd.h"
#include "adasample/train/options.h"
#include "adasample/train/run/collapse_alarm.h"
#include "adasample/train/running_loss.h"
#include "adasample/train/schedule.h"
#include "tests/support/expect_error.h"
#include "tests/support/golden.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/tensors.h"

namespace adasample {
namespace {

using nlohmann::json;
using testing::expect_error;
using testing::golden;
using testing::largest_difference;
using testing::vector_tensor;

TEST(Schedule, LearningRate) {
  EXPECT_DOUBLE_EQ(learning_rate_factor("linear", 0, 200), 1);
  EXPECT_DOUBLE_EQ(learning_rate_factor("linear", 50, 200), 0.75);
  EXPECT_GT(learning_rate_factor("linear", 199, 200), 0);
  for (const auto& [t, factor] :
       {std::pair{0, 1.0}, {29, 1.0}, {30, 0.1}, {59, 0.1}, {60, 0.01}, {79, 0.01}, {80, 0.001}, {89, 0.001}}) {
    EXPECT_DOUBLE_EQ(learning_rate_factor("steps", t, 90), factor) << t;
  }
  EXPECT_DOUBLE_EQ(learning_rate_factor("constant", 77, 90), 1);
}

TEST(Schedule, WarmUp) {
  const auto at = [](int64_t t) { return warmup_at(0.05, 0.10, t, 1000); };
  EXPECT_FALSE(at(0).hardest);
  EXPECT_DOUBLE_EQ(at(0).quantile, 0.5);
  EXPECT_NEAR(at(25).quantile, 0.75, 1e-12);
  EXPECT_EQ(at(49).ramp, 0);
  EXPECT_TRUE(at(50).hardest);
  EXPECT_EQ(at(50).ramp, 0);
  EXPECT_NEAR(at(100).ramp, 0.5, 1e-12);
  EXPECT_EQ(at(150).ramp, 1);
  EXPECT_TRUE(warmup_at(0, 0, 0, 10).hardest);
  EXPECT_EQ(warmup_at(0, 0, 0, 10).ramp, 1) << "the paper's preset has neither part";
}

TEST(Sgd, Golden) {
  const json file = golden("sgd/expected.json");
  ASSERT_FALSE(file["runs"].empty());
  for (const auto& [name, run] : file["runs"].items()) {
    SCOPED_TRACE(name);
    const json& s = run["settings"];
    at::Tensor w = vector_tensor(file["w0"]).requires_grad_(true);
    Sgd sgd({w}, {s["momentum"], s["dampening"], s["weight_decay"]});
    for (size_t t = 0; t < file["grads"].size(); ++t) {
      w.mutable_grad() = vector_tensor(file["grads"][t]);
      EXPECT_TRUE(sgd.step(torch::tensor(s["lr"].get<double>(), at::kDouble)).item<bool>());
      EXPECT_LT(largest_difference(w, vector_tensor(run["w_after_each_step"][t])), 1e-9) << "step " << t;
    }
  }
}

TEST(Sgd, LeavesWeightsAloneWhenAGradientIsNotFinite) {
  at::Tensor a = at::ones({3}).requires_grad_(true), b = at::ones({2}).requires_grad_(true);
  Sgd sgd({a, b}, {0.5, 0, 0});
  const auto step = [&](float value) {
    a.mutable_grad() = at::full({3}, value);
    b.mutable_grad() = at::ones({2});
    return sgd.step(torch::tensor(0.1)).item<bool>();
  };
  EXPECT_TRUE(step(1));
  const at::Tensor before_a = a.detach().clone(), before_b = b.detach().clone();
  EXPECT_FALSE(step(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_FALSE(step(std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(at::equal(a.detach(), before_a) && at::equal(b.detach(), before_b));
  EXPECT_TRUE(step(1));
  EXPECT_LT(b[0].item<double>(), before_b[0].item<double>());
}

// PyTorch's own, in double: an independent hand wrote it.
TEST(Adam, IsPyTorchs) {
  torch::manual_seed(2);
  at::Tensor a = at::randn({3, 2}, at::kDouble).requires_grad_(true),
             b = at::randn({4}, at::kDouble).requires_grad_(true);
  at::Tensor c = a.detach().clone().requires_grad_(true), d = b.detach().clone().requires_grad_(true);
  Adam ours({a, b}, 0.01);
  torch::optim::Adam theirs({c, d}, torch::optim::AdamOptions(0.05).weight_decay(0.01));
  for (int t = 0; t < 6; ++t) {
    a.mutable_grad() = at::randn({3, 2}, at::kDouble);
    b.mutable_grad() = at::randn({4}, at::kDouble);
    c.mutable_grad() = a.grad().clone();
    d.mutable_grad() = b.grad().clone();
    EXPECT_TRUE(ours.step(torch::tensor(0.05, at::kDouble)).item<bool>());
    theirs.step();
    EXPECT_LT(largest_difference(a, c), 1e-12) << t;
    EXPECT_LT(largest_difference(b, d), 1e-12) << t;
  }
  const auto state = ours.state({"a", "b"});
  EXPECT_EQ(state.size(), 5u);
  EXPECT_EQ(state.at("steps").item<double>(), 6);
  const at::Tensor before = a.detach().clone(), first = state.at("first.a").clone();
  a.mutable_grad() = at::full({3, 2}, NAN, at::kDouble);
  b.mutable_grad() = at::zeros({4}, at::kDouble);
  EXPECT_FALSE(ours.step(torch::tensor(0.05, at::kDouble)).item<bool>());
  EXPECT_TRUE(a.detach().equal(before) && state.at("first.a").equal(first));
  EXPECT_EQ(state.at("steps").item<double>(), 6);
}

// Its square is beyond float, and would keep the weight where it is for good.
TEST(Adam, AHugeGradientIsNotTaken) {
  at::Tensor a = at::ones({2}).requires_grad_(true);
  Adam adam({a}, 0);
  a.mutable_grad() = torch::tensor({1e20f, 1.f});
  EXPECT_FALSE(adam.step(torch::tensor(0.05)).item<bool>());
  EXPECT_TRUE(at::equal(a.detach(), at::ones({2})));
  a.mutable_grad() = at::ones({2});
  EXPECT_TRUE(adam.step(torch::tensor(0.05)).item<bool>());
  EXPECT_LT(a.max().item<float>(), 1);
}

TEST(RunningLoss, GoldenAndFloor) {
  const json file = golden("adasample/moving_average.json");
  for (const auto& [decay, expected] : file["ema_init_first (m = b*m + (1-b)*x)"].items()) {
    at::Tensor average = torch::tensor(file["losses"][0].get<double>(), at::kDouble);
    for (size_t i = 1; i < expected.size(); ++i) {
      update_running_loss(average, torch::tensor(file["losses"][i].get<double>(), at::kDouble), std::stod(decay), 1e-3);
      EXPECT_NEAR(average.item<double>(), expected[i].get<double>(), 1e-12);
    }
  }
  at::Tensor average = torch::tensor(1.0, at::kDouble);
  update_running_loss(average, torch::tensor(std::nan(""), at::kDouble), 0.99, 1e-3);
  EXPECT_EQ(average.item<double>(), 1);
  for (int i = 0; i < 2000; ++i)
    update_running_loss(average, torch::tensor(0.0, at::kDouble), 0.99, TrainOptions().average_floor);
  EXPECT_DOUBLE_EQ(average.item<double>(), 1e-3);
}

TEST(WeightAverage, DividesTheStartsBiasOut) {
  Net net(1);
  WeightAverage average(*net, 0.9);
  average.add(*net);
  average.count();
  EXPECT_LT(
      largest_difference(at::from_blob(average.weights().arrays["features.0.weight"].values.data(), {32, 1, 3, 3}),
                         net->parameters()[0]),
      1e-7)
      << "the average of one is that one";
  const at::Tensor first = net->parameters()[0].detach().clone();
  {
    torch::NoGradGuard no_grad;
    net->parameters()[0].mul_(3);
  }
  average.add(*net);
  average.count();
  Weights mixed = average.weights();
  // (0.9 * 0.1 * 1 + 0.1 * 3) / (1 - 0.81) of the first value
  EXPECT_LT(largest_difference(at::from_blob(mixed.arrays["features.0.weight"].values.data(), {32, 1, 3, 3}),
                               first * ((0.09 + 0.3) / 0.19)),
            1e-6);
}

TEST(Options, PresetsAreThePapersAndOurs) {
  const TrainOptions paper = make_preset("paper", "cuda"), robust = make_preset("robust", "cpu");
  EXPECT_EQ(paper.batch, 1024);
  EXPECT_EQ(paper.total_iterations(), 977 * 90);
  EXPECT_EQ(paper.schedule, "steps");
  EXPECT_EQ(paper.loss.mining.negatives, Negatives::kEq14);
  EXPECT_EQ(paper.loss.mining.duplicate_distance, 0);
  EXPECT_EQ(paper.warmup_quantile_share + paper.warmup_exponent_share, 0);
  EXPECT_EQ(paper.lambda, 10);
  EXPECT_EQ(paper.weights, "distance");
  EXPECT_EQ(paper.precision, gpu::built() ? "fp16" : "tf32");
  EXPECT_EQ(make_preset("paper", "cpu").precision, "fp32");
  EXPECT_EQ(make_preset("robust", "cuda").precision, gpu::built() ? "bf16" : "tf32");
  EXPECT_EQ(robust.lambda, 5);
  EXPECT_EQ(robust.weights, "none");
  EXPECT_EQ(robust.batch, 256);
  EXPECT_EQ(make_preset("robust", "cuda").batch, 1024);
  EXPECT_EQ(robust.schedule, "linear");
  EXPECT_EQ(robust.loss.mining.negatives, Negatives::kAll);
  EXPECT_EQ(robust.loss.mining.duplicate_distance, 0.008);
  EXPECT_EQ(robust.warmup_quantile_share, 0.05);
  EXPECT_EQ(robust.warmup_exponent_share, 0.10);
  for (const TrainOptions& o : {paper, robust}) {
    EXPECT_EQ(o.learning_rate, 10);
    EXPECT_EQ(o.momentum, 0.5);
    EXPECT_EQ(o.dampening, 0);
    EXPECT_EQ(o.weight_decay, 1e-4);
    EXPECT_EQ(o.average_decay, 0.99);
    EXPECT_EQ(o.loss.name, "aht");
    EXPECT_EQ(o.loss.margin, 1);
    EXPECT_EQ(o.average_floor, 1e-3);
    EXPECT_EQ(o.dropout, 0.3);
    EXPECT_TRUE(o.flips && !o.separate_batch_norm);
    EXPECT_NO_THROW(o.validate());
  }
  expect_error([] { make_preset("fast", "cpu"); }, "'fast'", "robust");
}

TEST(Options, BadValuesAreNamed) {
  const auto refused = [](auto change, const std::string& part) {
    TrainOptions o;
    change(o);
    expect_error([&] { o.validate(); }, part);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](auto& o) { o.k = 1; }, "k = 1");
  refused([](auto& o) { o.batch = 1; }, "batch = 1");
  refused([](auto& o) { o.lambda = -1; }, "lambda = -1");
  refused([&](auto& o) { o.lambda = nan; }, "lambda = nan");
  refused([&](auto& o) { o.learning_rate = nan; }, "lr = nan");
  refused([](auto& o) { o.alpha = 0.2; }, "alpha = 0.2");
  refused([](auto& o) { o.sampler = "hard"; }, "sampler = 'hard'");
  refused([](auto& o) { o.epochs = 0; }, "epochs = 0");
  refused([](auto& o) { o.ema_decay = 1; }, "ema = 1");
  refused([](auto& o) { o.refresh = 0; }, "refresh = 0");
  refused([](auto& o) { o.refresh = 0.5; }, "refresh = 0.5");  // with weights, which are the struct's default
  refused([](auto& o) { o.refresh = 0.5, o.weights = "none", o.informativeness = "strength"; },
          "not strength with none");
  TrainOptions fine;
  fine.lambda = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(fine.validate());
  fine.refresh = 0.5;
  fine.weights = "none";
  EXPECT_NO_THROW(fine.validate());
  fine.sampler = "random";  // which remembers nothing
  fine.weights = "distance";
  EXPECT_NO_THROW(fine.validate());
}

TEST(FlipPatch, TheEightSymmetries) {
  const uint8_t in[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto flipped = [&](unsigned code) {
    std::vector<uint8_t> out(9);
    flip_patch(in, out.data(), 3, code);
    return out;
  };
  using V = std::vector<uint8_t>;
  EXPECT_EQ(flipped(0), (V{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(flipped(4), (V{1, 4, 7, 2, 5, 8, 3, 6, 9})) << "transpose";
  EXPECT_EQ(flipped(8), (V{3, 2, 1, 6, 5, 4, 9, 8, 7})) << "mirror";
  EXPECT_EQ(flipped(1), (V{7, 4, 1, 8, 5, 2, 9, 6, 3})) << "a quarter turn clockwise";
  std::map<V, int> seen;
  for (unsigned code = 0; code < 16; ++code) ++seen[flipped(code)];
  EXPECT_EQ(seen.size(), 8u);
  for (const auto& [patch, count] : seen) EXPECT_EQ(count, 2) << "uniform over the symmetries";
}

TEST(BatchLoader, DistinctClassesInRangeAndReproducible) {
  testing::TempFolder folder;
  const PatchStore a = testing::small_store(folder / "a", 20, 5), b = testing::small_store(folder / "b", 11, 3);
  const LoaderOptions options{.batch = 25, .k = 4, .seed = 3, .flips = true};
  BatchLoader loader({&a, &b}, options), again({&a, &b}, options);
  EXPECT_EQ(loader.class_count(), 31);
  std::set<int64_t> ever;
  for (int64_t t = 0; t < 20; ++t) {
    const Batch batch = loader.load(t);
    const auto* classes = batch.classes.data_ptr<int64_t>();
    const std::set<int64_t> distinct(classes, classes + 25);
    EXPECT_EQ(distinct.size(), 25u);
    EXPECT_LT(*distinct.rbegin(), 31);
    ever.insert(distinct.begin(), distinct.end());
    for (int64_t j = 0; j < 25; ++j) EXPECT_EQ(batch.counts[j].item<int64_t>(), classes[j] < 20 ? 4 : 3);
  }
  EXPECT_EQ(ever.size(), 31u);
  // Iteration 7 can be had without those before it.
  loader.load(0);
  const Batch x = loader.load(7), y = again.load(7);
  EXPECT_TRUE(at::equal(x.patches, y.patches) && at::equal(x.classes, y.classes));
  EXPECT_FALSE(at::equal(loader.load(8).classes, y.classes));
}

// Patches of one grey level each, whose strength is that level over ten.
PatchStore graded_store(const std::filesystem::path& folder, int64_t classes, int64_t views) {
  PatchStoreWriter writer(folder, kPatchSize);
  for (int64_t c = 0; c < classes; ++c) {
    std::vector<uint8_t> patches;
    std::vector<float> strengths;
    for (int64_t v = 0; v < views; ++v) {
      const auto level = static_cast<uint8_t>(7 * c + 3 * v);
      patches.insert(patches.end(), kPatchSize * kPatchSize, level);
      strengths.push_back(static_cast<float>(level) / 10);
    }
    writer.add_class(patches, strengths);
  }
  writer.finish({{"source", "test"}});
  return PatchStore::open(folder);
}

TEST(BatchLoader, LevelsAreOfThePatchesThere) {
  testing::TempFolder folder;
  const PatchStore a = graded_store(folder / "a", 12, 6), b = graded_store(folder / "b", 5, 3);
  BatchLoader loader({&a, &b}, {.batch = 17, .k = 4, .seed = 3, .flips = true, .levels = true});
  const Batch batch = loader.load(5);
  std::set<int64_t> seen;
  for (int64_t j = 0; j < 17; ++j) {
    const double strongest = batch.classes[j].item<int64_t>() < 12 ? 7 * 11 + 3 * 5 : 7 * 4 + 3 * 2;  // of its store
    for (int64_t slot = 0; slot < batch.counts[j].item<int64_t>(); ++slot) {
      const double level = batch.patches[j][slot][0][0].item<double>();
      const int64_t expected = std::min<int64_t>(7, static_cast<int64_t>(8 * level / strongest));
      EXPECT_EQ(batch.levels[j][slot].item<int64_t>(), expected);
      seen.insert(expected);
    }
  }
  EXPECT_GT(seen.size(), 4u);
  const PatchStore plain = testing::small_store(folder / "plain", 20, 3);
  testing::expect_error([&] { BatchLoader({&plain}, {.batch = 8, .k = 3, .levels = true}); }, "plain",
                        "how strongly its views were changed");
}

// Slots of a rank are those of the whole batch, also where they reach from one store into the next.
TEST(BatchLoader, FillsTheSlotsThatItIsAskedFor) {
  testing::TempFolder folder;
  const PatchStore a = testing::small_store(folder / "a", 20, 4), b = testing::small_store(folder / "b", 15, 3);
  for (const std::vector<double>& shares : {std::vector<double>{}, std::vector<double>{1, 2}}) {
    LoaderOptions options{.batch = 12, .k = 3, .seed = 4, .shares = shares, .patch_numbers = true};
    const Batch whole = BatchLoader({&a, &b}, options).load(5);
    for (int64_t first = 0; first < 12; first += 3) {
      options.first = first;
      options.count = 3;
      const Batch part = BatchLoader({&a, &b}, options).load(5);
      EXPECT_TRUE(at::equal(part.classes, whole.classes.narrow(0, first, 3)));
      EXPECT_TRUE(at::equal(part.counts, whole.counts.narrow(0, first, 3)));
      EXPECT_TRUE(at::equal(part.patches, whole.patches.narrow(0, first, 3)));
      EXPECT_TRUE(at::equal(part.patch_numbers, whole.patch_numbers.narrow(0, first, 3)));
    }
  }
}

TEST(BatchLoader, SaysWhichPatchesItHolds) {
  testing::TempFolder folder;
  const PatchStore a = graded_store(folder / "a", 12, 6), b = graded_store(folder / "b", 5, 3);  // 72 and 15 patches
  BatchLoader loader({&a, &b}, {.batch = 17, .k = 4, .seed = 3, .flips = true, .patch_numbers = true});
  const Batch batch = loader.load(5);
  for (int64_t j = 0; j < 17; ++j) {
    for (int64_t slot = 0; slot < 4; ++slot) {
      const int64_t member = batch.patch_numbers[j][slot].item<int64_t>();
      const PatchStore& store = member < 72 ? a : b;
      const uint8_t pixel = store.patch(member < 72 ? member : member - 72)[0];  // of patches of one grey
      EXPECT_EQ(batch.patches[j][slot][0][0].item<uint8_t>(), pixel);
      EXPECT_EQ(member < 72, batch.classes[j].item<int64_t>() < 12);
    }
  }
  EXPECT_FALSE(BatchLoader({&a}, {.batch = 4, .k = 4}).load(0).patch_numbers.defined());
}

TEST(BatchLoader, SharesFillTheBatchFromEachStore) {
  testing::TempFolder folder;
  const PatchStore a = testing::small_store(folder / "a", 100, 3), b = testing::small_store(folder / "b", 8, 3);
  BatchLoader loader({&a, &b}, {.batch = 10, .k = 2, .seed = 4, .shares = {3, 2}});
  std::set<int64_t> seen;
  for (int64_t t = 0; t < 30; ++t) {
    const at::Tensor classes = loader.load(t).classes;
    std::set<int64_t> distinct;
    int64_t from_b = 0;
    for (int64_t j = 0; j < 10; ++j) {
      const auto c = classes[j].item<int64_t>();
      from_b += c >= 100;
      distinct.insert(c);
    }
    EXPECT_EQ(from_b, 4);
    EXPECT_EQ(distinct.size(), 10u);
    seen.insert(distinct.begin(), distinct.end());
  }
  EXPECT_EQ(std::distance(seen.lower_bound(100), seen.end()), 8);  // every class of b had its turn
  expect_error(
      [&] {
        BatchLoader({&a, &b}, {.batch = 20, .k = 2, .shares = {1, 1}});
      },
      "b: its share", "10 classes", "8");
  testing::expect_error(
      [&] {
        BatchLoader({&a, &b}, {.batch = 10, .k = 2, .shares = {1000, 1}});
      },
      "b: its share", "less than one class");
}

TEST(DealOut, WholeNumbersThatSumUp) {
  EXPECT_EQ(deal_out(10, {1, 1, 1}), (std::vector<int64_t>{4, 3, 3}));
  EXPECT_EQ(deal_out(1024, {0.7, 0.3}), (std::vector<int64_t>{717, 307}));
  EXPECT_EQ(deal_out(5, {0, 2}), (std::vector<int64_t>{0, 5}));
}

TEST(BatchLoader, PatchesAreTheStores) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 9, 3);
  BatchLoader loader({&store}, {.batch = 9, .k = 5, .seed = 1, .flips = false});
  const Batch batch = loader.load(2);
  for (int64_t j = 0; j < 9; ++j) {
    const int64_t c = batch.classes[j].item<int64_t>();
    for (int64_t slot = 0; slot < 5; ++slot) {
      const auto patch = store.patch(store.class_begin(c) + (slot < 3 ? slot : 0));  // padding repeats the first
      EXPECT_EQ(0, std::memcmp(batch.patches[j][slot].data_ptr<uint8_t>(), patch.data(), 1024));
    }
  }
}

// One flip a class and iteration, the same for all its patches, and every flip occurs.
TEST(BatchLoader, FlipsAClassAsAWhole) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 40, 3);
  BatchLoader loader({&store}, {.batch = 40, .k = 3, .seed = 5, .flips = true});
  std::set<unsigned> seen;
  for (int64_t t = 0; t < 3; ++t) {
    const Batch batch = loader.load(t);
    for (int64_t j = 0; j < 40; ++j) {
      const int64_t begin = store.class_begin(batch.classes[j].item<int64_t>());
      const auto shown_as = [&](int64_t slot, unsigned code) {
        std::vector<uint8_t> flipped(1024);
        flip_patch(store.patch(begin + slot).data(), flipped.data(), 32, code);
        return std::memcmp(flipped.data(), batch.patches[j][slot].data_ptr<uint8_t>(), 1024) == 0;
      };
      unsigned code = 0;
      while (code < 8 && !shown_as(0, code)) ++code;  // codes 0..7 are the eight symmetries
      ASSERT_LT(code, 8u);
      EXPECT_TRUE(shown_as(1, code) && shown_as(2, code));
      seen.insert(code);
    }
  }
  EXPECT_EQ(seen.size(), 8u);
}

// A class with more than k patches shows a uniform subset without repetition.
TEST(BatchLoader, SubsetsOfLargeClasses) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 4, 7);
  BatchLoader loader({&store}, {.batch = 4, .k = 3, .seed = 5, .flips = false});
  std::map<int64_t, int> times;
  for (int64_t t = 0; t < 700; ++t) {
    const Batch batch = loader.load(t);
    for (int64_t j = 0; j < 4; ++j) {
      const int64_t begin = store.class_begin(batch.classes[j].item<int64_t>());
      std::set<int64_t> members;
      for (int64_t slot = 0; slot < 3; ++slot) {
        for (int64_t m = 0; m < 7; ++m) {
          if (std::memcmp(store.patch(begin + m).data(), batch.patches[j][slot].data_ptr<uint8_t>(), 1024) == 0)
            members.insert(m);
        }
      }
      ASSERT_EQ(members.size(), 3u);
      for (const int64_t m : members) ++times[m];
    }
  }
  // Each of 7 members is expected 4 * 700 * 3 / 7 = 1200 times; five standard deviations of a binomial are 131.
  for (const auto& [member, count] : times) EXPECT_NEAR(count, 1200, 131) << member;
}

TEST(BatchLoader, HalvesLargePatches) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 3, 2, 64);
  const Batch batch = BatchLoader({&store}, {.batch = 2, .k = 2, .seed = 1, .flips = false}).load(0);
  const auto patch = store.patch(store.class_begin(batch.classes[0].item<int64_t>()));
  const int expected = (patch[64 * 6 + 10] + patch[64 * 6 + 11] + patch[64 * 7 + 10] + patch[64 * 7 + 11] + 2) >> 2;
  EXPECT_EQ(batch.patches[0][0][3][5].item<int>(), expected);
}

TEST(BatchLoader, RefusesWhatCannotBe) {
  testing::TempFolder folder;
  const PatchStore store = testing::small_store(folder / "s", 9, 3), odd = testing::small_store(folder / "o", 9, 3, 48);
  expect_error([&] { BatchLoader({&store}, {.batch = 10, .k = 3}); }, "--batch 10", "classes, 9");
  expect_error([&] { BatchLoader({&odd}, {.batch = 5, .k = 3}); }, "48x48");
}

TEST(CollapseAlarm, NamesEachSign) {
  const auto after = [](int64_t n, double loss, double positive, double rank, double masked) {
    CollapseAlarm alarm(1);
    std::optional<CollapseAlarm::Sign> sign;
    for (int64_t i = 0; i < n; ++i) sign = alarm.update(loss, positive, rank, masked);
    return sign;
  };
  EXPECT_FALSE(after(100, 0.8, 0.5, 60, 0)) << "healthy";
  EXPECT_FALSE(after(99, 1.0, 0.01, 1.1, 1)) << "not before the window is full";
  const auto pinned = after(100, 1.02, 0.1, 60, 0);
  ASSERT_TRUE(pinned);
  EXPECT_NE(pinned->seen.find("pinned at the margin"), std::string::npos);
  EXPECT_NE(pinned->cure.find("--preset robust"), std::string::npos);
  EXPECT_FALSE(after(100, 1.02, 0.6, 60, 0)) << "a loss at the margin alone is an early run";
  ASSERT_TRUE(after(100, 0.5, 0.5, 2, 0));
  EXPECT_NE(after(100, 0.5, 0.5, 2, 0)->seen.find("effective rank"), std::string::npos);
  ASSERT_TRUE(after(100, 0, 0.5, 60, 0.8));
  EXPECT_NE(after(100, 0, 0.5, 60, 0.8)->seen.find("duplicate"), std::string::npos);
}

TEST(CollapseAlarm, EachBoundFromBothSides) {
  const auto sounds = [](double loss, double positive, double rank, double masked, double margin = 1) {
    CollapseAlarm alarm(margin);
    std::optional<CollapseAlarm::Sign> sign;
    for (int64_t i = 0; i < CollapseAlarm::kWindow; ++i) sign = alarm.update(loss, positive, rank, masked);
    return sign.has_value();
  };
  EXPECT_TRUE(sounds(1.09, 0.24, 60, 0) && sounds(0.91, 0.24, 60, 0));
  EXPECT_FALSE(sounds(1.11, 0.24, 60, 0) || sounds(0.89, 0.24, 60, 0)) << "the loss within 0.1 of the margin";
  EXPECT_FALSE(sounds(1.09, 0.26, 60, 0)) << "a positive distance below 0.25";
  EXPECT_TRUE(sounds(0.51, 0.24, 60, 0, 0.5));
  EXPECT_FALSE(sounds(1, 0.24, 60, 0, 0.5)) << "of another margin";
  EXPECT_TRUE(sounds(0.5, 0.5, 3.9, 0));
  EXPECT_FALSE(sounds(0.5, 0.5, 4.1, 0)) << "a rank below 4";
  EXPECT_TRUE(sounds(0.5, 0.5, 60, 0.51));
  EXPECT_FALSE(sounds(0.5, 0.5, 60, 0.49)) << "more than half of the rows";
}

}  // namespace
}  // namespace adasample
