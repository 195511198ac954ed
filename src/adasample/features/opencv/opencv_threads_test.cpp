// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <opencv2/core.hpp>
#include <set>
#include <thread>

#include "adasample/base/parallel.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

TEST(OpencvThreads, AreThoseOfTheProcess) {
  const int before = thread_count();
  set_thread_count(3);
  share_threads_with_opencv();
  cv::setNumThreads(3);
  std::atomic<int> arrived{0};
  parallel_for(3, [&](int64_t) {
    ++arrived;
    while (arrived < 3) std::this_thread::yield();  // now the pool has its threads
  });
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task"), end;
    return std::distance(tasks, end);
  };
  const auto of_the_process = threads();
  std::mutex mutex;
  std::set<std::thread::id> seen;
  for (int round = 0; round < 50; ++round) {
    const auto slow = [&](const cv::Range&) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      const std::lock_guard guard(mutex);
      seen.insert(std::this_thread::get_id());
    };
    cv::parallel_for_(cv::Range(0, 30), slow, 30);
  }
  EXPECT_GT(seen.size(), 1u);
  EXPECT_EQ(threads(), of_the_process) << "OpenCV has none of its own";
  const auto fails = [](const cv::Range&) { CV_Error(cv::Error::StsError, "on purpose"); };
  EXPECT_THROW(cv::parallel_for_(cv::Range(0, 10), fails, 10), cv::Exception);
  cv::setNumThreads(1);
  const std::thread::id self = std::this_thread::get_id();
  cv::parallel_for_(
      cv::Range(0, 10), [&](const cv::Range&) { EXPECT_EQ(std::this_thread::get_id(), self); }, 10);
  cv::setNumThreads(-1);
  set_thread_count(before);
}

}  // namespace
}  // namespace adasample
