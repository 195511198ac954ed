// SPDX-License-Identifier: Apache-2.0
// Places at which an engine works, each with memory of its own: work in numbered pieces goes to the process's threads
// (base/thread_pool.h), and whoever does a piece takes a place for it. Several callers may hand in work at once; places
// are given in the order of asking, so a small call waits for one piece of a large one at most.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "adasample/base/thread_pool.h"

namespace adasample {

class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return threads_; }

  // Calls body(piece, worker) for every piece in [0, pieces), on the calling thread and threads() - 1 others at most;
  // worker is in [0, threads()) and no two calls with the same worker overlap. Returns when all are done; rethrows the
  // first exception. Throws Error in a child forked since this was made.
  template <typename Body>
  void run(int64_t pieces, Body& body) {
    require_same_process();
    struct Work {
      WorkerPool& pool;
      Body& body;
    } work{*this, body};
    const auto call = [](void* context, int64_t piece) {
      const Work& w = *static_cast<Work*>(context);
      const Place place(w.pool);
      w.body(piece, place.worker);
    };
    ThreadPool::Job job(pieces, threads_, call, &work);
    ThreadPool::run(job);
  }

  // For work beside run() that has threads of another library's: throws the same Error.
  void require_same_process() const { require_not_forked(born_); }

 private:
  struct Place {
    explicit Place(WorkerPool& p) : pool(p), worker(p.take()) {}
    ~Place() { pool.give_back(worker); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    WorkerPool& pool;
    const int worker;
  };
  int take();
  void give_back(int worker);

  const int threads_, born_;
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::vector<int> free_;
  uint64_t asked_ = 0, served_ = 0;
};

}  // namespace adasample
