// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/error.h"
#include "adasample/train/distributed/join.h"

namespace adasample {

std::unique_ptr<Communicator> join_ranks(const Launch& launch, const JoinOptions& options) {
  options.validate();
  ADA_CHECK(launch.size == 1,
            "[ranks] {} processes were started, but this program was built without Gloo (Debian: libgloo-dev)",
            launch.size);
  return make_single_process();
}

}  // namespace adasample
