// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/interrupt.h"

#include <semaphore.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "adasample/base/console.h"

namespace adasample {
namespace {

// 0: not asked to stop; else when, in nanoseconds of the monotonic clock.
std::atomic<int64_t> requested_at{0};
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler may only touch lock-free atomics");
std::atomic<int> goodbyes{0};
sem_t asked;  // what a signal handler may wake a thread by

sigset_t interrupts() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  return set;
}

int64_t monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void on_signal(int signal) {
  const int error = errno;
  const int64_t now = monotonic_now();
  int64_t first = 0;
  if (requested_at.compare_exchange_strong(first, now)) {
    sem_post(&asked);
  } else if (now - first >= kSameInterrupt) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
  errno = error;
}

extern "C" void end_at_once(int) { ::_exit(kInterruptedExitCode); }

// What is to be done before a forced end, by number; never destroyed, since its users may end after main().
struct CleanUps {
  std::mutex mutex;
  std::map<int64_t, std::function<void()>> all;
  int64_t next = 0;
};

CleanUps& clean_ups() {
  static auto* const instance = new CleanUps;
  return *instance;
}

[[noreturn]] void end_process() {
  // Cleaning up goes through the file system, which may be what hangs; and nobody may read what is said.
  std::signal(SIGALRM, end_at_once);
  const itimerval at_the_latest = {{0, 0}, {0, std::chrono::microseconds(kCleanUp).count()}};
  ::setitimer(ITIMER_REAL, &at_the_latest, nullptr);
  CleanUps& todo = clean_ups();
  // Whoever holds it may be stuck in the file system: then what is left over is removed by whoever writes there next.
  // Asked again and again and not by a timed mutex, whose locks GCC 12's ThreadSanitizer does not see.
  bool locked = todo.mutex.try_lock();
  for (int i = 0; i < 10 && !locked; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    locked = todo.mutex.try_lock();
  }
  if (locked) {
    for (const auto& [number, clean_up] : todo.all) clean_up();
  }
  write_console("adasample: interrupted; it did not stop by itself and was ended\n");
  ::_exit(kInterruptedExitCode);
}

// Waits for the first signal, gives the others time to end the process, then does it for them.
void watch() {
  while (sem_wait(&asked) != 0) {
  }
  for (;;) {
    const std::chrono::nanoseconds waited(monotonic_now() - requested_at);
    if (waited >= (goodbyes > 0 ? std::chrono::nanoseconds(LongGoodbye::kMost) : std::chrono::nanoseconds(kPatience))) {
      end_process();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

void catch_interrupts() {
  static std::once_flag once;
  std::call_once(once, [] {
    sem_init(&asked, 0, 0);
    sigset_t all, before;  // the watch thread gets no signals: a handler of ours must not run on it
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread(watch).detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, on_signal);
    if (std::signal(SIGHUP, on_signal) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
    // They may have been blocked by whoever started us, and may be waiting since (hold_interrupts()).
    const sigset_t ours = interrupts();
    pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
  });
}

void hold_interrupts() {
  const sigset_t ours = interrupts();
  pthread_sigmask(SIG_BLOCK, &ours, nullptr);
}

bool stop_requested() { return requested_at != 0; }

LongGoodbye::LongGoodbye() { ++goodbyes; }
LongGoodbye::~LongGoodbye() { --goodbyes; }

AtForcedEnd::AtForcedEnd(std::function<void()> clean_up) {
  CleanUps& todo = clean_ups();
  const std::lock_guard guard(todo.mutex);
  number_ = todo.next++;
  todo.all[number_] = std::move(clean_up);
}

AtForcedEnd::~AtForcedEnd() {
  CleanUps& todo = clean_ups();
  const std::lock_guard guard(todo.mutex);
  todo.all.erase(number_);
}

}  // namespace adasample
