// SPDX-License-Identifier: Apache-2.0
// Which model a result is of.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "adasample/engine/open_model.h"

namespace adasample {

// "model", "model_sha256" (empty where there are no weights) and "engine"; "model_seed", the seed of its training,
// where the weights name it.
nlohmann::ordered_json model_record(const OpenedModel& opened);

}  // namespace adasample
