// SPDX-License-Identifier: Apache-2.0
// A checkpoint as one string of bytes (CBOR), for processes that have no folder in common.
#pragma once

#include <string>

#include "adasample/model/checkpoint.h"

namespace adasample {

std::string pack_checkpoint(const Checkpoint& checkpoint);
// Throws Error for anything else than what pack_checkpoint() gives.
Checkpoint unpack_checkpoint(const std::string& bytes);

}  // namespace adasample
