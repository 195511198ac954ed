// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/worker_pool.h"

#include "adasample/base/error.h"

namespace adasample {

WorkerPool::WorkerPool(int threads) : threads_(threads), born_(fork_count()) {
  ADA_ASSERT(threads >= 1);
  for (int i = threads; i-- > 0;) free_.push_back(i);
}

int WorkerPool::take() {
  std::unique_lock lock(mutex_);
  const uint64_t number = asked_++;
  given_back_.wait(lock, [&] { return number == served_ && !free_.empty(); });
  ++served_;
  const int worker = free_.back();
  free_.pop_back();
  if (!free_.empty()) given_back_.notify_all();  // whoever is next need not wait
  return worker;
}

void WorkerPool::give_back(int worker) {
  const std::lock_guard lock(mutex_);
  free_.push_back(worker);
  if (asked_ != served_) given_back_.notify_all();
}

}  // namespace adasample
