// SPDX-License-Identifier: Apache-2.0
// The threads of the process: one pool for everyone who shares work out (base/parallel.h, engine/worker_pool.h).
// Work comes in numbered pieces. Whoever hands it in works on it too, so a small call never waits for a large one that
// came first; the pool's threads turn from piece to piece to the next of the jobs that wait. A call allocates nothing
// but, at times, a thread. Whoever waits for its last pieces helps with the work that these pieces have handed in.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace adasample {

class ThreadPool {
 public:
  // On the stack of who hands it in.
  class Job {
   public:
    // call(context, piece) for every piece in [0, pieces), by at most `threads` threads at once. Only the first `open`
    // may begin; open_until() lets more.
    Job(int64_t pieces, int threads, void (*call)(void*, int64_t), void* context, int64_t open);
    Job(int64_t pieces, int threads, void (*call)(void*, int64_t), void* context)
        : Job(pieces, threads, call, context, pieces) {}

   private:
    friend class ThreadPool;
    bool has_piece() const { return next_.load() < open_.load(); }
    int64_t take();  // the next piece that may begin; -1: none
    bool descends_from(const Job& other) const;

    const int64_t pieces_;
    const int most_helpers_;
    void (*const call_)(void*, int64_t);
    void* const context_;
    const Job* const parent_;  // the job one of whose pieces hands this one in
    std::atomic<int64_t> next_{0}, open_;
    std::atomic<bool> failed_{false};
    // Guarded by the pool.
    int helpers_ = 0;
    std::exception_ptr error_ = nullptr;
  };

  // Started on first use, never ended: a thread of it may outlive main(). A forked child has none of the threads, and
  // throws Error here if its parent had.
  static ThreadPool& shared();

  // Returns when all pieces are done; rethrows the first exception, after which no further piece has begun.
  static void run(Job& job);
  // From inside a piece: pieces below `end` may begin.
  static void open_until(Job& job, int64_t end);

 private:
  ThreadPool() = default;
  void add(Job& job);
  void finish(Job& job);
  void work();
  void help(Job& job, std::unique_lock<std::mutex>& lock);
  Job* choose(const Job* ancestor);
  void tell(int64_t pieces);
  void do_pieces(Job& job, bool is_helper);
  static void do_piece(Job& job, int64_t piece);

  std::mutex mutex_;
  std::condition_variable has_work_;  // for the pool's threads
  std::condition_variable changed_;   // for those who wait for a job of theirs to end
  std::vector<Job*> jobs_;
  std::atomic<size_t> job_count_{0};
  size_t turn_ = 0;
  int threads_ = 0, idle_ = 0, waiting_ = 0;
};

// Which process this is, counted in forks since the program began: differs between a child and its parent.
int fork_count();
// Throws Error where `born`, a fork_count() when something was made that needs threads, is that of a parent.
void require_not_forked(int born);

}  // namespace adasample
