// SPDX-License-Identifier: Apache-2.0
// Work shared out over the process's threads (base/thread_pool.h). The result never depends on the thread count:
// callers write to slots by index.
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

// For a stream of things that are made at once and used one after another: make(i) for i in [0, n) as above, and
// take(i) after it, in order, one at a time, on whichever thread. make(i) does not begin before take(i - ahead) has
// returned, which bounds what is held. An exception ends it as if all ran in order: of two the one of the lower i is
// rethrown, and everything below that i has been taken.
void parallel_in_order(int64_t n, int64_t ahead, const std::function<void(int64_t)>& make,
                       const std::function<void(int64_t)>& take);

}  // namespace adasample
