// SPDX-License-Identifier: Apache-2.0
// Patches without classes: a .npy file, uint8 [N, S, S], mapped. The patches of a store are one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

namespace adasample {

class NpyFile;

class PatchArray {
 public:
  static constexpr int kLargestSize = 4096;  // keeps S * S far from overflow

  PatchArray() = default;
  // Throws Error that names the file: another dtype or shape, S beyond kLargestSize, no patch, truncated data.
  explicit PatchArray(const std::filesystem::path& file);

  int64_t count() const { return count_; }
  int size() const { return size_; }                    // S
  std::span<const uint8_t> patch(int64_t index) const;  // S * S bytes
  // To be called when patches have been read: throws Error when the file was truncated or became unreadable meanwhile,
  // in which case some of them were zeros. patch() throws the same once the loss is known.
  void check_intact() const;
  // Patches will be read here and there: the kernel need not read ahead.
  void advise_random() const;

 private:
  std::shared_ptr<const NpyFile> file_;
  std::span<const uint8_t> pixels_;  // (N, S, S)
  int64_t count_ = 0;
  int size_ = 0;
};

}  // namespace adasample
