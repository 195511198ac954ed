// SPDX-License-Identifier: Apache-2.0
// The live page over HTTP, by cpp-httplib: on loopback alone, read only, and for this machine's own browser: a request
// whose Host is another name (DNS rebinding) is refused, connections are few and bounded.
//   GET /           the page                      GET /events   what changes, as server-sent events
//   GET /report/N   run N as `report` shows it
#pragma once

#include <functional>
#include <string_view>

#include "adasample/report/live/live_view.h"

namespace adasample {

struct LiveOptions {
  int port = 6006;  // 0: any that is free

  // Between two looks at the runs; longer where a look takes long, so that looking costs at most 2 % of one core.
  std::chrono::milliseconds interval{1000};
};

inline constexpr size_t kMostStreams = 16;      // pages that follow at a time
inline constexpr size_t kMostConnections = 32;  // that and all others

// Serves until `stop` says so, which is asked several times a second. `started` is told the port. The runs are looked
// at only while a page follows them. Throws Error where the port cannot be had.
void serve_live(LiveView& view, const LiveOptions& options, const std::function<void(int port)>& started,
                const std::function<bool()>& stop);

// Whether a Host header names this machine itself: localhost, 127.0.0.1 or [::1], with any port.
bool is_loopback_host(std::string_view host);

}  // namespace adasample
