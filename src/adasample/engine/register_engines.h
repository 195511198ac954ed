// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasample {

// Those of engine.h. open_model() calls it.
void register_engines();

}  // namespace adasample
