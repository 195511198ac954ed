// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/thread_pool.h"

namespace adasample {
namespace {

int allowed_cores() {
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::atomic<int> chosen_threads{0};  // 0: not chosen

}  // namespace

int thread_count() {
  const int chosen = chosen_threads.load();
  return chosen > 0 ? chosen : allowed_cores();
}

void set_thread_count(int count) {
  ADA_USAGE(count >= 1 && count <= 4096, "--threads = {}, must be between 1 and 4096", count);
  chosen_threads = count;
}

void parallel_for(int64_t n, const std::function<void(int64_t)>& body) {
  const auto call = [](void* context, int64_t i) { (*static_cast<const std::function<void(int64_t)>*>(context))(i); };
  ThreadPool::Job job(n, thread_count(), call, const_cast<std::function<void(int64_t)>*>(&body));
  ThreadPool::run(job);
}

namespace {

// Whoever has made the thing that is next in order takes it, and those after it that are ready.
class InOrder {
 public:
  InOrder(int64_t n, int64_t ahead, const std::function<void(int64_t)>& make, const std::function<void(int64_t)>& take)
      : make_(make),
        take_(take),
        slots_(static_cast<size_t>(std::max<int64_t>(1, std::min(n, ahead)))),
        job_(n, static_cast<int>(std::min<int64_t>(thread_count(), std::ssize(slots_))), call, this,
             std::ssize(slots_)) {}
  void run() { ThreadPool::run(job_); }

 private:
  struct Slot {
    bool made = false;
    std::exception_ptr error = nullptr;
  };
  Slot& slot(int64_t i) { return slots_[static_cast<size_t>(i) % slots_.size()]; }

  static void call(void* self, int64_t i) { static_cast<InOrder*>(self)->step(i); }

  void step(int64_t i) {
    std::exception_ptr error;
    try {
      make_(i);
    } catch (...) {
      error = std::current_exception();
    }
    std::unique_lock lock(mutex_);
    slot(i) = {true, error};
    if (taking_) return;
    taking_ = true;  // and so it stays after an exception
    while (slot(taken_).made) {
      const Slot ready = std::exchange(slot(taken_), {});
      lock.unlock();
      if (ready.error) std::rethrow_exception(ready.error);
      take_(taken_);
      lock.lock();
      ++taken_;
      ThreadPool::open_until(job_, taken_ + std::ssize(slots_));
    }
    taking_ = false;
  }

  const std::function<void(int64_t)>&make_, &take_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
  int64_t taken_ = 0;  // written by who is taking
  bool taking_ = false;
  ThreadPool::Job job_;
};

}  // namespace

void parallel_in_order(int64_t n, int64_t ahead, const std::function<void(int64_t)>& make,
                       const std::function<void(int64_t)>& take) {
  ADA_ASSERT(ahead >= 1);
  InOrder(n, ahead, make, take).run();
}

}  // namespace adasample
