// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

class ParallelFor : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_thread_count(GetParam()); }
};

TEST_P(ParallelFor, VisitsEveryIndexOnce) {
  for (const int64_t n : {0, 1, 2, 3, 100, 10'000}) {
    std::vector<std::atomic<int>> visits(static_cast<size_t>(n));
    parallel_for(n, [&](int64_t i) { ++visits.at(static_cast<size_t>(i)); });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST_P(ParallelFor, RethrowsTheFirstExceptionAndStops) {
  std::atomic<int64_t> calls{0};
  const auto work = [&](int64_t i) {
    ++calls;
    if (i == 5) throw std::runtime_error("five");
    std::this_thread::sleep_for(std::chrono::microseconds(10));
  };
  try {
    parallel_for(1'000'000, work);
    FAIL() << "no exception";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "five");
  }
  EXPECT_LT(calls, 1'000'000);
}

TEST_P(ParallelFor, CanBeNested) {
  std::atomic<int> calls{0};
  parallel_for(4, [&](int64_t) { parallel_for(5, [&](int64_t) { ++calls; }); });
  EXPECT_EQ(calls, 20);
}

TEST_P(ParallelFor, ThingsAreTakenInOrderAndFewAreHeld) {
  for (const int64_t n : {0, 1, 2, 50}) {
    for (const int64_t ahead : {1, 2, 5, 100}) {
      std::atomic<int64_t> held{0}, most{0};
      std::vector<int64_t> made(static_cast<size_t>(n)), taken;
      parallel_in_order(
          n, ahead,
          [&](int64_t i) {
            const int64_t now = ++held;
            for (int64_t seen = most; seen < now && !most.compare_exchange_weak(seen, now);) continue;
            parallel_for(3, [](int64_t) {});
            if (i == 0 && GetParam() > 1 && ahead <= n) {  // nothing is taken before this one: let the others run ahead
              while (held < ahead) std::this_thread::yield();
              for (int round = 0; round < 1000; ++round) std::this_thread::yield();
            }
            made[static_cast<size_t>(i)] = i * i;
          },
          [&](int64_t i) {
            parallel_for(3, [](int64_t) {});
            taken.push_back(made[static_cast<size_t>(i)]);
            --held;
          });
      ASSERT_EQ(std::ssize(taken), n);
      for (int64_t i = 0; i < n; ++i) EXPECT_EQ(taken[static_cast<size_t>(i)], i * i);
      EXPECT_LE(most, ahead);
    }
  }
}

TEST_P(ParallelFor, OfSeveralErrorsTheFirstInOrderEndsIt) {
  for (int round = 0; round < 20; ++round) {
    std::vector<int64_t> taken;
    const auto make = [](int64_t i) {
      if (i == 7) std::this_thread::sleep_for(std::chrono::microseconds(300));  // 9's comes first, most of the time
      if (i == 7 || i == 9) throw std::runtime_error("make " + std::to_string(i));
    };
    const auto ended = [&](auto&& take) -> std::string {
      try {
        parallel_in_order(100, 8, make, take);
        return "well";
      } catch (const std::runtime_error& error) {
        return error.what();
      }
    };
    EXPECT_EQ(ended([&](int64_t i) { taken.push_back(i); }), "make 7");
    EXPECT_EQ(taken, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(ended([](int64_t i) {
                if (i == 4) throw std::runtime_error("take 4");
              }),
              "take 4");
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ParallelFor, ::testing::Values(1, 2, 7));

TEST(Parallel, UsesTheThreadsAskedFor) {
  set_thread_count(3);
  EXPECT_EQ(thread_count(), 3);
  std::atomic<int> arrived{0};
  std::set<std::thread::id> ids;
  std::mutex mutex;
  parallel_for(3, [&](int64_t) {  // each call waits for the others, so they must be on three threads
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 3u);
}

TEST(Parallel, RefusesImpossibleThreadCounts) {
  testing::expect_error([] { set_thread_count(0); }, "--threads = 0");
  testing::expect_error([] { set_thread_count(5000); }, "--threads = 5000", "4096");
}

}  // namespace
}  // namespace adasample
