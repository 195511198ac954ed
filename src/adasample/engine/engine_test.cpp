// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <set>
#include <stdexcept>
#include <thread>

#include "adasample/base/random/rng.h"
#include "adasample/engine/calibrate.h"
#include "adasample/engine/onednn_net.h"
#include "adasample/engine/worker_pool.h"
#include "adasample/model/layer_table.h"
#include "adasample/model/random_weights.h"
#include "tests/support/child.h"
#include "tests/support/expect_error.h"

namespace adasample {
namespace {

Weights some_weights(uint64_t seed) { return random_weights(l2net(), seed); }

std::vector<uint8_t> some_patches(int64_t count, int size) {
  std::vector<uint8_t> patches(static_cast<size_t>(count * size * size));
  RngStream rng(RngKey(1, Draw::kView));
  for (uint8_t& byte : patches) byte = static_cast<uint8_t>(rng.bits());
  // Hard ones first: flat, almost flat, black and white.
  const auto area = static_cast<size_t>(size) * static_cast<size_t>(size);
  if (count >= 4) {
    std::fill_n(patches.begin(), 2 * area, uint8_t{200});
    patches[area + area / 2] = 201;
    for (size_t i = 2 * area; i < 3 * area; ++i) patches[i] = i % 7 < 3 ? 0 : 255;
  }
  return patches;
}

std::vector<float> described(Descriptor& engine, const std::vector<uint8_t>& patches, int64_t count, int size) {
  std::vector<float> out(static_cast<size_t>(count * engine.dimension()), NAN);
  engine.describe(patches, count, size, out);
  return out;
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(double{a[i]} - b[i]);
    if (!std::isfinite(difference)) return INFINITY;
    largest = std::max(largest, difference);
  }
  return largest;
}

TEST(Engine, EveryEngineIsTheReference) {
  constexpr int64_t kMost = 66;  // a batch and a little
  for (const int size : {32, 64}) {
    const std::vector<uint8_t> patches = some_patches(kMost, size);
    Weights weights = some_weights(3);
    if (OnednnNet::problem(Arithmetic::kFp32) == nullptr) {
      set_calibration(weights, calibrate(weights, patches, kMost, size));
    }
    const auto all = described(*make_engine("reference", weights, "r"), patches, kMost, size);
    for (const std::string& name : engine_names()) {
      if (name == "reference") continue;
      const double bound = name.ends_with("-int8") ? 0.05 : name == "cuda" ? 0.02 : 1e-5;
      const auto engine = make_engine(name, weights, name);
      for (const int64_t count : {int64_t{1}, int64_t{2}, int64_t{9}, kMost}) {
        const std::vector<uint8_t> some(patches.begin(), patches.begin() + count * size * size);
        const std::vector<float> expected(all.begin(), all.begin() + count * 128);
        EXPECT_LE(largest_difference(described(*engine, some, count, size), expected), bound)
            << name << ", " << count << " patches of " << size;
      }
    }
  }
}

TEST(Engine, RefoldedIsAsMadeAnew) {
  const Weights before = some_weights(6), after = some_weights(7);
  const std::vector<uint8_t> patches = some_patches(3, 32);
  for (const std::string& name : engine_names()) {
    const auto engine = make_engine(name, before, name);
    const auto first = described(*engine, patches, 3, 32);
    engine->refold(after);
    EXPECT_EQ(described(*engine, patches, 3, 32), described(*make_engine(name, after, name), patches, 3, 32)) << name;
    EXPECT_NE(described(*engine, patches, 3, 32), first) << name;
  }
}

TEST(Engine, WorksWithoutPrimitivesForSmallCalls) {
  const Weights weights = some_weights(8);
  const std::vector<uint8_t> patches = some_patches(5, 32);
  for (const std::string& name : engine_names()) {
    if (name == "reference") continue;
    const auto small = make_engine(name, weights, name, {2, true}),
               large = make_engine(name, weights, name, {2, false});
    EXPECT_LE(largest_difference(described(*small, patches, 5, 32), described(*large, patches, 5, 32)), 1e-6) << name;
  }
}

TEST(Engine, ThreadsChangeNothing) {
  const Weights weights = some_weights(4);
  const std::vector<uint8_t> patches = some_patches(100, 32);
  for (const std::string& name : engine_names()) {
    if (name == "reference") continue;
    const auto one = make_engine(name, weights, name, {1}), three = make_engine(name, weights, name, {3});
    const auto expected = described(*one, patches, 100, 32);
    EXPECT_LE(largest_difference(described(*three, patches, 100, 32), expected), 1e-6) << name;
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0};
    for (int i = 0; i < 4; ++i) {
      callers.emplace_back([&] {
        for (int round = 0; round < 5; ++round) {
          std::vector<float> out(100 * 128);
          three->describe(patches, 100, 32, out);
          for (size_t k = 0; k < out.size(); ++k) wrong += !(std::abs(out[k] - expected[k]) <= 1e-6);
        }
      });
    }
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0) << name;
  }
}

TEST(Engine, RefusesWhatItCannotRun) {
  const Weights weights = some_weights(5);
  Weights huge = weights;  // finite until its batch norm is folded in
  huge.arrays[l2net().conv_weight(l2net().layers[1])].values[3] = 3e38f;
  huge.arrays[l2net().running_var(l2net().layers[1])].values[0] = 0;
  Weights uncalibrated = weights;
  uncalibrated.metadata["int8_ranges"] = "1 2 three 4 5";
  for (const std::string& name : engine_names()) {
    if (name == "cuda") continue;
    testing::expect_error([&] { make_engine(name, huge, "x"); }, "features.3.weight", "channel 0 is not finite");
    if (name.ends_with("-int8")) testing::expect_error([&] { make_engine(name, uncalibrated, "x"); }, "number 3");
    if (name == "onednn" || name == "simd") {
      EXPECT_NO_THROW(make_engine(name, uncalibrated, "x"));
    }
  }
  testing::expect_error([&] { make_engine("fast", weights, "x"); }, "'fast'", "reference");
  Weights broken = weights;
  broken.arrays.begin()->second.values[7] = NAN;
  for (const std::string& name : engine_names()) testing::expect_error([&] { make_engine(name, broken, "x"); }, "nan");
  Weights other = weights;
  other.arrays.erase(l2net().conv_weight(l2net().layers[2]));
  for (const std::string& name : engine_names()) {
    testing::expect_error([&] { make_engine(name, other, "x"); }, "features.6.weight");
  }
  std::vector<float> out(128);
  const auto engine = make_engine("reference", weights, "x");
  testing::expect_error([&] { engine->describe(some_patches(1, 40), 1, 40, out); }, "40x40");
  testing::expect_error([&] { engine->describe(some_patches(1, 32), 2, 32, out); }, "2048 bytes, not 1024");
  testing::expect_error([&] { engine->describe(some_patches(2, 32), 2, 32, out); }, "256 numbers, not 128");
}

TEST(Engine, ThereIsAlwaysOneThatRuns) {
  const std::vector<std::string> names = engine_names();
  const auto has = [&](const std::string& name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  EXPECT_TRUE(has(default_engine()));
  for (const std::string name : {"reference", "onednn", "onednn-int8", "simd", "simd-int8"}) {
    const AvailableEngine here = engine_here(name);
    EXPECT_TRUE(has(here.name)) << name;
    EXPECT_EQ(here.note.empty(), here.name == name) << here.note;
  }
  testing::expect_error([] { engine_here("fast"); }, "'fast'", "reference");
}

TEST(Engine, NoPatchesAreNoDescriptors) {
  const Weights weights = some_weights(2);
  for (const std::string& name : engine_names()) {
    EXPECT_NO_THROW(make_engine(name, weights, name)->describe({}, 0, 32, {})) << name;
  }
}

TEST(Calibrate, TheRangeWeighsRoundingAgainstCuttingOff) {
  const std::vector<int64_t> even(1000, 7);
  EXPECT_NEAR(best_range(even, 4), 4, 0.02);  // cutting off costs more than it saves
  std::vector<int64_t> outlier(1000);
  outlier[99] = 1000000;  // all at a tenth of one single number
  outlier[999] = 1;
  // 1e6 (r / 255)^2 / 12 + (1 - r)^2 is least at r = 1 / (1 + 1e6 / (12 255^2)) = 0.438.
  EXPECT_NEAR(best_range(outlier, 1), 0.438, 0.002);
}

TEST(Calibrate, RefusesWhatItCannotRead) {
  const Weights weights = some_weights(9);
  testing::expect_error([&] { calibrate(weights, {}, 0, 32); }, "no patches");
  testing::expect_error([&] { calibrate(weights, some_patches(1, 40), 1, 40); }, "40x40");
}

TEST(WorkerPool, EveryPieceOnceNoWorkerTwiceAtATime) {
  WorkerPool pool(3);
  std::vector<std::atomic<int>> seen(1000);
  std::atomic<int> busy[3] = {};
  std::atomic<int> clashes{0};
  auto body = [&](int64_t piece, int worker) {
    clashes += busy[worker]++ != 0;
    ++seen[static_cast<size_t>(piece)];
    --busy[worker];
  };
  pool.run(1000, body);
  EXPECT_EQ(clashes, 0);
  for (const auto& count : seen) EXPECT_EQ(count, 1);
  pool.run(0, body);
}

// The large call has more pieces than time: it ends when the small one, which comes later, has been served.
TEST(WorkerPool, ASmallCallDoesNotWaitBehindALargeOne) {
  WorkerPool pool(2);
  std::atomic<int> begun{0};
  std::atomic<bool> served{false};
  std::thread large([&] {
    auto body = [&](int64_t, int) {
      ++begun;
      if (served) throw std::runtime_error("served");
    };
    EXPECT_THROW(pool.run(1'000'000'000'000, body), std::runtime_error);
  });
  while (begun < 2) std::this_thread::yield();
  auto body = [&](int64_t, int) { served = true; };
  pool.run(1, body);
  large.join();
}

TEST(WorkerPool, AForkedChildRaises) {
  const auto engine = make_engine(default_engine(), some_weights(1), "x", {2, true});
  const std::vector<uint8_t> patches = some_patches(100, 32);
  described(*engine, patches, 100, 32);
  const auto raises = [&](int64_t count) {
    try {
      described(*engine, std::vector<uint8_t>(patches.begin(), patches.begin() + count * 1024), count, 32);
    } catch (const Error& error) {
      return std::string(error.what()).find("forked") != std::string::npos;
    }
    return false;
  };
  const int status = testing::status_of_child([&] { return raises(100) && raises(1) ? 0 : 1; });
  EXPECT_EQ(status, 0);
}

TEST(WorkerPool, ErrorsComeBackAndThePoolGoesOn) {
  WorkerPool pool(2);
  auto fails = [](int64_t piece, int) {
    if (piece == 5) throw std::runtime_error("five");
  };
  EXPECT_THROW(pool.run(20, fails), std::runtime_error);
  std::atomic<int64_t> sum{0};
  auto adds = [&](int64_t piece, int) { sum += piece; };
  pool.run(10, adds);
  EXPECT_EQ(sum, 45);
}

}  // namespace
}  // namespace adasample
