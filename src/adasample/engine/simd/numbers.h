// SPDX-License-Identifier: Apache-2.0
// An array on cache lines, as the kernels want their memory. Zeros at first, so that borders are.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>

namespace adasample::simd {

template <typename T>
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(size_t count) : values_(hwy::AllocateAligned<T>(count)), count_(count) {
    std::fill_n(values_.get(), count, T{0});
  }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T& operator[](size_t i) { return values_[i]; }
  size_t size() const { return count_; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> values_;
  size_t count_ = 0;
};

}  // namespace adasample::simd
