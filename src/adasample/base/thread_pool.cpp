// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/thread_pool.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <utility>

#include "adasample/base/error.h"

namespace adasample {
namespace {

std::atomic<int> forks{0};
thread_local const ThreadPool::Job* current_job = nullptr;  // whose piece this thread is doing

}  // namespace

int fork_count() {
  [[maybe_unused]] static const int counted = ::pthread_atfork(nullptr, nullptr, [] { ++forks; });
  return forks.load(std::memory_order_relaxed);
}

void require_not_forked(int born) {
  ADA_CHECK(born == fork_count(),
            "[threads] this process was forked from one that had started threads, and a child has none of them - fork "
            "before the first use, or start a new program (in Python: multiprocessing's \"spawn\")");
}

ThreadPool::Job::Job(int64_t pieces, int threads, void (*call)(void*, int64_t), void* context, int64_t open)
    : pieces_(pieces),
      most_helpers_(static_cast<int>(std::min<int64_t>(threads, pieces)) - 1),
      call_(call),
      context_(context),
      parent_(current_job),
      open_(std::min(open, pieces)) {}

int64_t ThreadPool::Job::take() {
  int64_t next = next_.load(std::memory_order_relaxed);
  while (next < open_.load(std::memory_order_acquire)) {
    if (next_.compare_exchange_weak(next, next + 1)) return next;
  }
  return -1;
}

// Parents stand on the stacks of threads that wait for their children.
bool ThreadPool::Job::descends_from(const Job& other) const {
  for (const Job* job = parent_; job != nullptr; job = job->parent_) {
    if (job == &other) return true;
  }
  return false;
}

ThreadPool& ThreadPool::shared() {
  static const int born = fork_count();
  static ThreadPool* const pool = new ThreadPool;  // its threads may be looking at it when the program ends
  require_not_forked(born);
  return *pool;
}

void ThreadPool::run(Job& job) {
  if (job.pieces_ <= 0) return;
  if (job.most_helpers_ < 1) {
    for (int64_t piece; (piece = job.take()) >= 0;) do_piece(job, piece);
  } else {
    ThreadPool& pool = shared();
    pool.add(job);
    pool.do_pieces(job, /*is_helper=*/false);
    pool.finish(job);
  }
  if (job.error_) std::rethrow_exception(job.error_);
}

void ThreadPool::open_until(Job& job, int64_t end) {
  end = std::min(end, job.pieces_);
  if (job.most_helpers_ < 1) {
    job.open_ = end;
    return;
  }
  ThreadPool& pool = shared();
  const std::lock_guard lock(pool.mutex_);
  const int64_t more = end - job.open_.load();
  job.open_ = end;
  pool.tell(more);
}

void ThreadPool::add(Job& job) {
  const std::lock_guard lock(mutex_);
  try {
    for (; threads_ < job.most_helpers_; ++threads_) std::thread([this] { work(); }).detach();
  } catch (const std::system_error&) {
    // The system grants no more threads; those there are, the caller's included, do all the work.
  }
  jobs_.push_back(&job);
  job_count_ = jobs_.size();
  tell(job.most_helpers_);
}

// Wakes whom so many new pieces are for.
void ThreadPool::tell(int64_t pieces) {
  if (waiting_ > 0) changed_.notify_all();
  for (int64_t i = std::min<int64_t>(pieces, idle_); i > 0; --i) has_work_.notify_one();
}

// Whoever waits here helps with what its own pieces have handed in, and with nothing else: that would make it late.
void ThreadPool::finish(Job& job) {
  std::unique_lock lock(mutex_);
  while (job.next_ < job.pieces_ || job.helpers_ > 0) {
    if (job.has_piece()) {
      lock.unlock();
      do_pieces(job, /*is_helper=*/false);
      lock.lock();
    } else if (Job* inner = choose(&job); inner != nullptr) {
      help(*inner, lock);
    } else {
      ++waiting_;
      changed_.wait(lock);
      --waiting_;
    }
  }
  std::erase(jobs_, &job);
  job_count_ = jobs_.size();
}

// The next in turn that has a piece and room for a helper; below `ancestor`, if one is given.
ThreadPool::Job* ThreadPool::choose(const Job* ancestor) {
  for (size_t i = 1; i <= jobs_.size(); ++i) {
    const size_t at = (turn_ + i) % jobs_.size();
    Job* const job = jobs_[at];
    if (job->helpers_ >= job->most_helpers_ || !job->has_piece()) continue;
    if (ancestor != nullptr && !job->descends_from(*ancestor)) continue;
    turn_ = at;
    return job;
  }
  return nullptr;
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (Job* job = choose(nullptr); job != nullptr) {
      help(*job, lock);
    } else {
      ++idle_;
      has_work_.wait(lock);
      --idle_;
    }
  }
}

void ThreadPool::help(Job& job, std::unique_lock<std::mutex>& lock) {
  ++job.helpers_;
  lock.unlock();
  do_pieces(job, /*is_helper=*/true);
  lock.lock();
  if (--job.helpers_ == 0 && waiting_ > 0) changed_.notify_all();
}

void ThreadPool::do_pieces(Job& job, bool is_helper) {
  for (int64_t piece; (piece = job.take()) >= 0;) {
    do_piece(job, piece);
    if (is_helper && job_count_.load(std::memory_order_relaxed) > 1) return;  // whose turn is it?
  }
}

void ThreadPool::do_piece(Job& job, int64_t piece) {
  const Job* const outer = std::exchange(current_job, &job);
  try {
    job.call_(job.context_, piece);
  } catch (...) {
    const bool first = !job.failed_.exchange(true);
    if (first) job.error_ = std::current_exception();
    job.open_ = 0;
    job.next_ = job.pieces_;
  }
  current_job = outer;
}

}  // namespace adasample
