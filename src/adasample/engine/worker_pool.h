// SPDX-License-Identifier: Apache-2.0
// Threads that stay, for work in numbered pieces. Several callers may hand in work at once; a call allocates nothing.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace adasample {

class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }

  // Calls body(piece, worker) for every piece in [0, pieces), on the pool's threads alone; worker is in [0, threads())
  // and no two calls with the same worker overlap. Returns when all are done; rethrows the first exception.
  template <typename Body>
  void run(int64_t pieces, Body& body) {
    Job job{pieces, [](void* context, int64_t piece, int worker) { (*static_cast<Body*>(context))(piece, worker); },
            &body};
    run(job);
  }

 private:
  struct Job {
    int64_t pieces;
    void (*call)(void*, int64_t, int);
    void* context;
    int64_t next = 0, done = 0;
    std::exception_ptr error = nullptr;
    Job* following = nullptr;
  };
  void run(Job& job);
  void work(int worker);
  void stop();

  std::mutex mutex_;
  std::condition_variable has_work_, has_ended_;
  Job* first_ = nullptr;  // jobs with pieces that nobody has begun
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace adasample
