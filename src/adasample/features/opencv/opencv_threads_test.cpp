// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <opencv2/core.hpp>
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
  std::atomic<int> arrived{0}, inside_ours{0};
  thread_local int depth = 0;
  parallel_for(3, [&](int64_t) {
    ++depth;
    ++arrived;
    while (arrived < 3) std::this_thread::yield();  // every thread is in here, and OpenCV's loop finds no other
    cv::parallel_for_(
        cv::Range(0, 30), [&](const cv::Range& range) { inside_ours += depth > 0 ? range.size() : 0; }, 30);
    --depth;
  });
  EXPECT_EQ(inside_ours, 90);
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
