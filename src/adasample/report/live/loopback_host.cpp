// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <string>

#include "adasample/report/live/server.h"

namespace adasample {

bool is_loopback_host(std::string_view host) {
  const size_t bracket = host.rfind(']'), colon = host.rfind(':');
  std::string_view name = host;
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    const std::string_view port = host.substr(colon + 1);
    const bool digits = std::all_of(port.begin(), port.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (port.empty() || port.size() > 5 || !digits) return false;
    name = host.substr(0, colon);
  }
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower == "localhost" || lower == "127.0.0.1" || lower == "[::1]";
}

}  // namespace adasample
