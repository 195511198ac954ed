// SPDX-License-Identifier: Apache-2.0
// Work shared out over threads. The result never depends on the thread count: callers write to slots by index.
#pragma once

#include <cstdint>
#include <functional>

namespace adasample {

// The thread count of the process: --threads, else the number of cores this process may use.
int thread_count();
inline constexpr int kMostThreads = 4096;
void set_thread_count(int count);

// Calls body(i) for i in [0, n) on up to thread_count() threads, in no particular order; returns when all are done.
// The first exception stops further work and is rethrown here.
void parallel_for(int64_t n, const std::function<void(int64_t)>& body);

}  // namespace adasample
