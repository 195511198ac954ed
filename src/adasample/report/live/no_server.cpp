// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/report/live/server.h"

namespace adasample {

void serve_live(LiveView&, const LiveOptions&, const std::function<void(int port)>&, const std::function<bool()>&) {
  ADA_THROW(
      "[watch] this program was built without cpp-httplib (Debian: libcpp-httplib-dev); `adasample report` shows a "
      "run that is still going");
}

}  // namespace adasample
