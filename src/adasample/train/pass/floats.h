// SPDX-License-Identifier: Apache-2.0
// Memory for activations: on cache lines, in huge pages where the system has them, never touched before its use.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace adasample::pass {

class Floats {
 public:
  // Room for at least `count`; what was there is lost where it has to grow.
  float* reserve(int64_t count) {
    if (count <= size_) return data_.get();
    constexpr size_t kPage = size_t{1} << 21;
    const size_t bytes = static_cast<size_t>(count) * sizeof(float), align = bytes < kPage / 8 ? 64 : kPage;
    data_.reset();
    data_.reset(static_cast<float*>(std::aligned_alloc(align, (bytes + align - 1) / align * align)));
    if (data_ == nullptr) throw std::bad_alloc();
    if (align == kPage) ::madvise(data_.get(), bytes, MADV_HUGEPAGE);  // a hint; nothing depends on it
    size_ = count;
    return data_.get();
  }
  float* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(float* data) const { std::free(data); }
  };
  std::unique_ptr<float, Free> data_;
  int64_t size_ = 0;
};

}  // namespace adasample::pass
