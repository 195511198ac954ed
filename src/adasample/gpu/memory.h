// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "adasample/gpu/gpu.h"

namespace adasample::gpu {

// Device memory with an owner.
class Buffer {
 public:
  explicit Buffer(size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  template <typename T>
  T* as() const {
    return static_cast<T*>(data_);
  }
  // To and from the host; both wait until it is done.
  void upload(const void* from, size_t bytes);
  void download(void* to, size_t bytes) const;

 private:
  void* data_ = nullptr;
};

}  // namespace adasample::gpu
