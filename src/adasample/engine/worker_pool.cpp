// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/worker_pool.h"

#include <system_error>

#include "adasample/base/error.h"

namespace adasample {

WorkerPool::WorkerPool(int threads) {
  ADA_ASSERT(threads >= 1);
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (const std::system_error& error) {
    stop();
    ADA_THROW("[engine] {} threads cannot be started: {} - use fewer --threads", threads, error.what());
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  has_work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(Job& job) {
  if (job.pieces == 0) return;
  std::unique_lock lock(mutex_);
  Job** last = &first_;
  while (*last != nullptr) last = &(*last)->following;
  *last = &job;
  has_work_.notify_all();
  has_ended_.wait(lock, [&] { return job.done == job.pieces; });
  if (job.error) std::rethrow_exception(job.error);
}

void WorkerPool::work(int worker) {
  std::unique_lock lock(mutex_);
  for (;;) {
    has_work_.wait(lock, [&] { return first_ != nullptr || ending_; });
    if (first_ == nullptr) return;
    Job& job = *first_;
    const int64_t piece = job.next++;
    if (job.next == job.pieces) first_ = job.following;
    lock.unlock();
    std::exception_ptr error;
    try {
      job.call(job.context, piece, worker);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !job.error) job.error = error;
    if (++job.done == job.pieces) has_ended_.notify_all();
  }
}

}  // namespace adasample
