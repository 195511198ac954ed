// SPDX-License-Identifier: Apache-2.0
// The pass against itself: gradients are slopes, machines and numbers of parts agree. Against autograd: cpu_net_test.
#include "adasample/train/pass/net_pass.h"

#include <gtest/gtest.h>

#include <array>
#include <barrier>
#include <cmath>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "adasample/base/random/rng.h"

namespace adasample {
namespace {

using pass::Machine;

std::vector<float> numbers(size_t count, uint64_t seed, double scale) {
  std::vector<float> all(count);
  for (size_t i = 0; i < count; ++i) {
    all[i] = static_cast<float>(scale * (2 * RngKey(seed, Draw::kInit).at(i).uniform() - 1));
  }
  return all;
}

struct Setting {
  explicit Setting(int64_t patches) : m(patches) {
    images = numbers(static_cast<size_t>(m) * 1024, 1, 1.7);
    direction = numbers(static_cast<size_t>(m) * 128, 2, 1);
    for (size_t i = 0; i < NetPass::kLayers; ++i) {
      const ConvLayer& l = l2net().layers[i];
      const auto fan = static_cast<size_t>(l.in_channels * l.kernel * l.kernel);
      weights.push_back(numbers(fan * static_cast<size_t>(l.out_channels), 10 + i, std::sqrt(6. / double(fan))));
      expected.emplace_back(l.out_channels, 0.f);
    }
  }
  NetPass::Network network() const {
    NetPass::Network all;
    for (size_t i = 0; i < NetPass::kLayers; ++i) {
      all.weights[i] = weights[i].data();
      all.expected[i] = expected[i].data();
    }
    return all;
  }
  // A number that depends on every descriptor: the sum of their products with `direction`.
  double value(NetPass& pass) const {
    std::vector<float> y(direction.size());
    pass.forward(images.data(), m, network(), nullptr, y.data());
    double sum = 0;
    for (size_t i = 0; i < y.size(); ++i) sum += double{y[i]} * double{direction[i]};
    return sum;
  }
  std::vector<std::vector<float>> gradients(NetPass& pass) const {
    value(pass);
    std::vector<std::vector<float>> all;
    std::array<float*, NetPass::kLayers> to = {};
    for (size_t i = 0; i < NetPass::kLayers; ++i) {
      all.emplace_back(weights[i].size());
      to[i] = all[i].data();
    }
    pass.backward(direction.data(), to);
    return all;
  }

  int64_t m;
  std::vector<float> images, direction;
  std::vector<std::vector<float>> weights, expected;
};

double length(const std::vector<float>& values) {
  double squares = 0;
  for (const float value : values) squares += double{value} * double{value};
  return std::sqrt(squares);
}

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  std::vector<float> difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return length(difference) / length(b);
}

// A step along the gradient of one layer changes the value by its length times the gradient's. The bound has room for
// the curvature within a step of a thousandth, and for the ReLUs that it turns.
TEST(NetPass, GradientsAreSlopes) {
  const Setting at(5);
  NetPass pass(l2net(), pass::machine_here(), 2);
  const auto gradients = at.gradients(pass);
  for (size_t layer = 0; layer < NetPass::kLayers; ++layer) {
    const double size = length(gradients[layer]);
    const double step = 1e-3 * length(at.weights[layer]);
    const auto moved = [&](double by) {
      Setting other = at;
      for (size_t i = 0; i < other.weights[layer].size(); ++i) {
        other.weights[layer][i] += static_cast<float>(by * double{gradients[layer][i]} / size);
      }
      return other.value(pass);
    };
    EXPECT_NEAR((moved(step) - moved(-step)) / (2 * step) / size, 1, 0.02) << "layer " << layer + 1;
  }
}

// Other blocks, other sums: rounding differs, nothing else.
TEST(NetPass, StatisticsDoNotDependOnMachineOrParts) {
  const Setting at(21);
  NetPass one(l2net(), Machine::kAny, 1), many(l2net(), pass::machine_here(), 4);
  at.value(one);
  at.value(many);
  for (size_t layer = 0; layer < NetPass::kLayers; ++layer) {
    const NetPass::Statistics &a = one.statistics()[layer], &b = many.statistics()[layer];
    ASSERT_EQ(a.mean.size(), b.mean.size());
    EXPECT_EQ(a.count, b.count);
    for (size_t c = 0; c < a.mean.size(); ++c) {
      EXPECT_NEAR(a.mean[c], b.mean[c], 2e-5 * std::sqrt(a.variance[c])) << "layer " << layer + 1;
      EXPECT_NEAR(a.variance[c], b.variance[c], 2e-5 * a.variance[c]) << "layer " << layer + 1;
    }
  }
}

// What is expected of a mean only serves the arithmetic: far off, a few digits are lost.
TEST(NetPass, ExpectedMeansDoNotMatter) {
  Setting at(8);
  NetPass pass(l2net(), pass::machine_here(), 2);
  const auto gradients = at.gradients(pass);
  for (auto& expected : at.expected) std::fill(expected.begin(), expected.end(), 0.5f);
  at.value(pass);
  const double mean = pass.statistics()[3].mean[7];
  for (auto& expected : at.expected) std::fill(expected.begin(), expected.end(), -0.5f);
  const auto others = at.gradients(pass);
  EXPECT_NEAR(pass.statistics()[3].mean[7], mean, 1e-5);
  EXPECT_LT(relative_difference(others[6], gradients[6]), 1e-4);
}

// More parts than patches: some have nothing to do.
TEST(NetPass, TwoPatchesByFourParts) {
  const Setting at(2);
  NetPass one(l2net(), pass::machine_here(), 1), many(l2net(), pass::machine_here(), 4);
  EXPECT_NEAR(at.value(one), at.value(many), 1e-3);
}

// Ranks as threads: adds up what each has.
class Meeting {
 public:
  explicit Meeting(int size)
      : all_(size, OnBoth{[this] {
               if (!next_.empty()) sum_ = std::exchange(next_, {});
             }}) {}
  std::vector<double> total(const std::vector<double>& mine) {
    {
      const std::lock_guard lock(mutex_);
      next_.resize(mine.size());
      for (size_t i = 0; i < mine.size(); ++i) next_[i] += mine[i];
    }
    all_.arrive_and_wait();
    std::vector<double> sum = sum_;
    all_.arrive_and_wait();
    return sum;
  }

 private:
  struct OnBoth {
    std::function<void()> action;
    void operator()() noexcept { action(); }
  };
  std::mutex mutex_;
  std::vector<double> next_, sum_;
  std::barrier<OnBoth> all_;
};

// Two passes over 5 and 3 patches that share their sums are one pass over 8: descriptors, statistics and gradients.
// Sums are taken in another order, as with other numbers of parts.
TEST(NetPass, PassesOverPartsOfABatchAreOneOverAll) {
  const Setting whole(8);
  NetPass one(l2net(), pass::machine_here(), 1);
  const auto gradients = whole.gradients(one);
  std::vector<float> y(whole.direction.size());
  one.forward(whole.images.data(), 8, whole.network(), nullptr, y.data());

  Meeting meeting(2);
  std::array<std::vector<std::vector<float>>, 2> parts;
  std::array<std::vector<float>, 2> rows;
  std::array<std::vector<size_t>, 2> ready;
  std::vector<std::thread> threads;
  for (size_t r = 0; r < 2; ++r) {
    threads.emplace_back([&, r] {
      const int64_t first = r == 0 ? 0 : 5, count = r == 0 ? 5 : 3;
      NetPass pass(l2net(), pass::machine_here(), 1);
      NetPass::Together together;
      together.patches = 8;
      together.total = [&](const std::vector<double>& mine, size_t) { return meeting.total(mine); };
      together.ready = [&, r](size_t layer) { ready[r].push_back(layer); };
      rows[r].resize(static_cast<size_t>(count) * 128);
      pass.forward(whole.images.data() + first * 1024, count, whole.network(), nullptr, rows[r].data(), &together);
      NetPass::Gradients to = {};
      for (size_t i = 0; i < NetPass::kLayers; ++i) to[i] = parts[r].emplace_back(whole.weights[i].size()).data();
      for (size_t i = 0; i < NetPass::kLayers; ++i) to[i] = parts[r][i].data();
      pass.backward(whole.direction.data() + first * 128, to);
      EXPECT_EQ(pass.statistics()[2].count, one.statistics()[2].count);
      for (size_t layer = 0; layer < NetPass::kLayers; ++layer) {
        // A layer's channels together. The last layer's numbers are sums of 8,192 products in single precision, and the
        // variance of a channel is that of eight of them: 1.4e-6 was seen there, and at most 2.3e-7 before.
        const auto &mine = pass.statistics()[layer].variance, &all = one.statistics()[layer].variance;
        const std::vector<float> found(mine.begin(), mine.end()), expected(all.begin(), all.end());
        EXPECT_LT(relative_difference(found, expected), layer + 1 < NetPass::kLayers ? 1e-6 : 5e-6)
            << "layer " << layer + 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  rows[0].insert(rows[0].end(), rows[1].begin(), rows[1].end());
  EXPECT_LT(relative_difference(rows[0], y), 5e-6);  // the last layer's batch norm, as above: 2.6e-6 was seen
  for (size_t layer = 0; layer < NetPass::kLayers; ++layer) {
    std::vector<float> sum = parts[0][layer];
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += parts[1][layer][i];
    // Batch norm over eight patches leaves a small difference of large numbers: two digits of single precision.
    EXPECT_LT(relative_difference(sum, gradients[layer]), 1e-5) << "layer " << layer + 1;
  }
  for (const auto& layers : ready) EXPECT_EQ(layers, (std::vector<size_t>{6, 5, 4, 3, 2, 1, 0}));
}

TEST(NetPass, InstructionSetsHaveNames) {
  EXPECT_EQ(pass::to_string(Machine::kAvx512), "avx512");
  EXPECT_EQ(pass::to_string(Machine::kAvx2), "avx2");
  EXPECT_EQ(pass::to_string(Machine::kAny), "any");
}

}  // namespace
}  // namespace adasample
