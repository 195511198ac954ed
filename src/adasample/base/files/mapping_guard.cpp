// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/mapping_guard.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>

namespace adasample {
namespace {

// A slot is taken by its guard and visible by its begin, which is written last and erased first. Whoever faults inside
// a mapping keeps its guard alive, so that only a guard that was found is looked into.
struct Slot {
  std::atomic<MappingGuard*> guard{nullptr};
  std::atomic<uintptr_t> begin{0}, end{0};
};
static_assert(std::atomic<uintptr_t>::is_always_lock_free && std::atomic<MappingGuard*>::is_always_lock_free &&
                  std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch lock-free atomics");

std::array<Slot, MappingGuard::kGuards> slots;
std::atomic<size_t> next_slot{0};
struct sigaction previous {};

MappingGuard* find_guard(uintptr_t address) {
  for (const Slot& slot : slots) {
    const uintptr_t begin = slot.begin, end = slot.end;
    MappingGuard* guard = slot.guard;
    if (begin != 0 && address >= begin && address < end && slot.begin == begin) return guard;
  }
  return nullptr;
}

void hand_over(int signal, siginfo_t* info, void* context) {
  const bool sent = info->si_code <= 0;  // by a process and not by a fault: the program would go on
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL || (previous.sa_handler == SIG_IGN && !sent)) {
    std::signal(signal, SIG_DFL);
    ::raise(signal);  // comes when the handler has returned
  } else if (previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

extern "C" void on_bus_error(int signal, siginfo_t* info, void* context) {
  const int old_errno = errno;
  MappingGuard* guard = info->si_code > 0 ? find_guard(reinterpret_cast<uintptr_t>(info->si_addr)) : nullptr;
  if (guard != nullptr) {
    guard->on_fault();
  } else {
    hand_over(signal, info, context);
  }
  errno = old_errno;
}

void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction ours {};
    ours.sa_sigaction = on_bus_error;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&ours.sa_mask);
    ::sigaction(SIGBUS, nullptr, &previous);  // known before the handler can run
    ::sigaction(SIGBUS, &ours, nullptr);
  });
}

}  // namespace

MappingGuard::MappingGuard(std::span<const uint8_t> mapping, const std::string& path, OnLoss on_loss)
    : mapping_(mapping),
      on_loss_(on_loss),
      line_("adasample: [file] " + path + ": was truncated or became unreadable while in use\n") {
  install_handler();
  for (size_t tried = 0; tried < kGuards; ++tried) {
    const size_t at = next_slot++ % kGuards;
    MappingGuard* expected = nullptr;
    if (!slots[at].guard.compare_exchange_strong(expected, this)) continue;
    const auto begin = reinterpret_cast<uintptr_t>(mapping.data());
    slots[at].end = begin + mapping.size();
    slots[at].begin = begin;
    slot_ = at;
    return;
  }
}

MappingGuard::~MappingGuard() {
  if (slot_ == kGuards) return;
  slots[slot_].begin = 0;
  slots[slot_].guard = nullptr;
}

void MappingGuard::on_fault() {
  if (on_loss_ == OnLoss::kTolerate) {
    lost_ = true;  // before the zeros can be seen
    // All of it at once, not page by page: the owner throws anyway, and a page a mapping would exhaust the kernel's
    // table of them. By the bare system call, which is fit for a signal handler; ThreadSanitizer would take mmap() for
    // a write that races with other threads' reads, whose bytes are gone already.
    const long zeros = ::syscall(SYS_mmap, mapping_.data(), mapping_.size(), PROT_READ,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0L);
    if (zeros != -1) return;
  }
  if (::write(STDERR_FILENO, line_.data(), line_.size()) < 0) ::_exit(1);  // nobody is left to be told
  ::_exit(1);
}

}  // namespace adasample
