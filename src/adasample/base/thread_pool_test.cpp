// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/thread_pool.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <thread>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "tests/support/child.h"

namespace adasample {
namespace {

// More than any other test of this process asks for, so that the pool has no threads beyond those.
constexpr int kAll = 12;

class ThreadPoolTest : public ::testing::Test {
 protected:
  ~ThreadPoolTest() override { set_thread_count(before_); }
  const int before_ = thread_count();
};

TEST_F(ThreadPoolTest, AllUseTheSameThreads) {
  set_thread_count(3);
  std::set<std::thread::id> ids;
  std::mutex mutex;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> arrived{0};
    parallel_for(3, [&](int64_t) {
      ++arrived;
      while (arrived < 3) std::this_thread::yield();  // three threads at once
      const std::lock_guard lock(mutex);
      ids.insert(std::this_thread::get_id());
    });
  }
  EXPECT_TRUE(ids.contains(std::this_thread::get_id())) << "whoever hands work in does some of it";
  EXPECT_LE(ids.size(), size_t{kAll}) << "no threads of their own for each round";
}

// A large job holds every thread of the pool until the small one, which comes later, has ended.
TEST_F(ThreadPoolTest, ASmallCallDoesNotWaitBehindALargeOne) {
  set_thread_count(3);
  std::atomic<int> begun{0};
  std::atomic<bool> small_ended{false};
  std::thread large([&] {
    parallel_for(3, [&](int64_t) {
      ++begun;
      while (!small_ended) std::this_thread::yield();
    });
  });
  while (begun < 3) std::this_thread::yield();
  std::atomic<int> calls{0};
  parallel_for(10, [&](int64_t) { ++calls; });
  small_ended = true;
  large.join();
  EXPECT_EQ(calls, 10);
}

// The first job has taken every thread when the second comes, and both have more pieces than time: they end when one of
// the pool's threads has been seen in the second.
TEST_F(ThreadPoolTest, HelpersTurnFromJobToJob) {
  set_thread_count(kAll);
  std::mutex mutex;
  std::set<std::thread::id> in_first;
  std::atomic<bool> all_in_first{false}, second_helped{false};
  std::thread first([&] {
    EXPECT_THROW(parallel_for(1'000'000'000'000,
                              [&](int64_t) {
                                if (second_helped) throw std::runtime_error("helped");
                                const std::lock_guard lock(mutex);
                                in_first.insert(std::this_thread::get_id());
                                all_in_first = in_first.size() == kAll;
                              }),
                 std::runtime_error);
  });
  while (!all_in_first) std::this_thread::yield();
  const std::thread::id self = std::this_thread::get_id();
  EXPECT_THROW(parallel_for(1'000'000'000'000,
                            [&](int64_t) {
                              if (std::this_thread::get_id() != self) second_helped = true;
                              if (second_helped) throw std::runtime_error("helped");
                              std::this_thread::yield();
                            }),
               std::runtime_error);
  first.join();
}

// Every thread has a piece. The caller's is done at once, another hands in work that needs two threads at once, the
// rest wait for that.
TEST_F(ThreadPoolTest, WhoeverWaitsHelpsWithWhatItsPiecesHandIn) {
  set_thread_count(kAll);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> begun{0}, arrived{0};
  std::atomic<bool> handed_in{false};
  parallel_for(kAll, [&](int64_t) {
    ++begun;
    while (begun < kAll) std::this_thread::yield();
    if (std::this_thread::get_id() == caller) return;
    if (!handed_in.exchange(true)) {
      parallel_for(2, [&](int64_t) {
        ++arrived;
        while (arrived < 2) std::this_thread::yield();
      });
    }
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
}

TEST_F(ThreadPoolTest, ManyCallersAtOnce) {
  set_thread_count(4);
  std::atomic<int64_t> sum{0};
  std::atomic<int> errors{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 6; ++c) {
    callers.emplace_back([&, c] {
      for (int round = 0; round < 40; ++round) {
        std::vector<int64_t> slots(100);
        parallel_for(100, [&](int64_t i) {
          int64_t inner = 0;
          std::mutex mutex;
          if (i % 10 == 0) {
            parallel_for(5, [&](int64_t k) {
              const std::lock_guard lock(mutex);
              inner += k;
            });
          }
          slots[static_cast<size_t>(i)] = i + inner;
        });
        for (const int64_t value : slots) sum += value;
        try {
          parallel_for(20, [&](int64_t i) {
            if (i == c) throw std::runtime_error("some");
          });
        } catch (const std::runtime_error&) {
          ++errors;
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 6 * 40 * (4950 + 10 * 10));
  EXPECT_EQ(errors, 6 * 40);
}

TEST_F(ThreadPoolTest, AForkedChildRaises) {
  set_thread_count(2);
  parallel_for(10, [](int64_t) {});  // starts the pool here, if nothing has yet
  const int status = testing::status_of_child([] {
    try {
      parallel_for(10, [](int64_t) {});
      return 1;
    } catch (const Error& error) {
      if (std::string(error.what()).find("forked") == std::string::npos) return 2;
    }
    set_thread_count(1);  // without threads all is as before
    int calls = 0;
    parallel_for(10, [&](int64_t) { ++calls; });
    return calls == 10 ? 0 : 3;
  });
  EXPECT_EQ(status, 0) << "exit code " << WEXITSTATUS(status);
  int64_t sum = 0;
  std::mutex mutex;
  parallel_for(10, [&](int64_t i) {
    const std::lock_guard lock(mutex);
    sum += i;
  });
  EXPECT_EQ(sum, 45) << "the parent goes on";
}

}  // namespace
}  // namespace adasample
