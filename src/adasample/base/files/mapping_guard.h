// SPDX-License-Identifier: Apache-2.0
// What happens when a mapped file shrinks or its disk fails while it is read: the kernel sends SIGBUS, which would end
// the process without a word. The first guard installs a handler that looks the address up in a lock-free table; a
// SIGBUS elsewhere goes to the handler that was there before, so that a program that embeds us keeps its own.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace adasample {

enum class OnLoss {
  kExit,      // one line on stderr, exit code 1
  kTolerate,  // the mapping reads as zeros from then on; its owner asks lost() after reading and throws
};

// Guards a mapping for as long as it lives. Beyond kGuards at a time mappings are unguarded.
class MappingGuard {
 public:
  static constexpr size_t kGuards = size_t{1} << 14;

  MappingGuard(std::span<const uint8_t> mapping, const std::string& path, OnLoss on_loss);
  ~MappingGuard();  // to be called before munmap
  MappingGuard(const MappingGuard&) = delete;
  MappingGuard& operator=(const MappingGuard&) = delete;

  bool lost() const { return lost_; }

  // For the signal handler: returns when the mapping can be read again.
  void on_fault();

 private:
  std::span<const uint8_t> mapping_;
  OnLoss on_loss_;
  std::string line_;  // ready to be written: a signal handler cannot format
  std::atomic<bool> lost_{false};
  size_t slot_ = kGuards;
};

}  // namespace adasample
