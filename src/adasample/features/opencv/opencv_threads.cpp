// SPDX-License-Identifier: Apache-2.0
// OpenCV's loops on the process's threads (base/thread_pool.h), instead of on a pool of its own beside them.
#include <atomic>
#include <memory>
#include <opencv2/core.hpp>
#include <opencv2/core/parallel/parallel_backend.hpp>

#include "adasample/base/parallel.h"
#include "adasample/base/thread_pool.h"
#include "adasample/features/opencv_part.h"

namespace adasample {
namespace {

class PoolForOpencv : public cv::parallel::ParallelForAPI {
 public:
  void parallel_for(int tasks, FN_parallel_for_body_cb_t body, void* data) override {
    struct Work {
      FN_parallel_for_body_cb_t body;
      void* data;
    } work{body, data};
    const auto call = [](void* context, int64_t i) {
      const Work& w = *static_cast<Work*>(context);
      w.body(static_cast<int>(i), static_cast<int>(i) + 1, w.data);
    };
    ThreadPool::Job job(tasks, getNumThreads(), call, &work);
    ThreadPool::run(job);
  }

  int getThreadNum() const override {
    static std::atomic<int> threads{0};
    thread_local const int number = threads++;
    return number;
  }
  int getNumThreads() const override { return limit_ > 0 ? limit_.load() : thread_count(); }
  int setNumThreads(int threads) override { return limit_.exchange(threads); }
  const char* getName() const override { return "adasample"; }

 private:
  std::atomic<int> limit_{0};  // 0: thread_count()
};

}  // namespace

void share_threads_with_opencv() {
  cv::parallel::setParallelForBackend(std::make_shared<PoolForOpencv>(), /*propagateNumThreads=*/false);
}

}  // namespace adasample
