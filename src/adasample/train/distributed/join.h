// SPDX-License-Identifier: Apache-2.0
// From a launcher's variables to a Communicator: c10d's store to meet at, Gloo between CPUs.
#pragma once

#include <memory>
#include <string>

#include "adasample/train/distributed/communicator.h"
#include "adasample/train/distributed/watch.h"
#include "adasample/train/run/launch.h"

namespace adasample {

struct JoinOptions {
  double start = 300;  // seconds to wait for all ranks to come
  WatchLimits limits;

  void validate() const;
};

// All ranks of the job, or this process alone where there was no launcher. Throws Error on every rank, within
// `options.start`, where one does not come, the port is taken, or nobody listens there. Without c10d: throws for more
// than one process.
std::unique_ptr<Communicator> join_ranks(const Launch& launch, const JoinOptions& options);

}  // namespace adasample
