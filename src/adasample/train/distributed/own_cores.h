// SPDX-License-Identifier: Apache-2.0
// How many ranks run on the cores that this one runs on. A launcher may give each rank cores of its own (srun and
// mpirun bind) or all of them the same ones (torchrun, by hand); and none says which. So the ranks compare.
#pragma once

#include "adasample/train/distributed/communicator.h"

namespace adasample {

// This one included. To be called on every rank.
int ranks_on_own_cores(Communicator& ranks);

}  // namespace adasample
