// SPDX-License-Identifier: Apache-2.0
// Ranks must have been started alike: same options, seed and version, and data of the same contents, wherever it lies.
#pragma once

#include "adasample/train/distributed/communicator.h"
#include "adasample/train/run/run_folder.h"

namespace adasample {

// Throws the same usage Error on every rank where one differs from rank 0: which one, and in what.
void check_ranks_agree(Communicator& ranks, const RunDescription& description);

}  // namespace adasample
