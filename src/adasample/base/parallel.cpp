// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "adasample/base/error.h"

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
  const int workers = static_cast<int>(std::min<int64_t>(n, thread_count()));
  std::atomic<int64_t> next{0};
  std::exception_ptr first_error;
  std::mutex error_mutex;
  auto work = [&] {
    for (int64_t i; (i = next++) < n;) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!first_error) first_error = std::current_exception();
        next = n;
      }
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<size_t>(std::max(0, workers - 1)));
  try {
    for (int t = 1; t < workers; ++t) threads.emplace_back(work);
  } catch (const std::system_error&) {
    // The system grants no more threads; those there are, this one included, do all the work.
  }
  work();
  for (auto& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace adasample
