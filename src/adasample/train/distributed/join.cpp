// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/distributed/join.h"

#include <cmath>

#include "adasample/base/error.h"

namespace adasample {

void JoinOptions::validate() const {
  const auto in = [](const char* name, double value, double low) {
    ADA_USAGE(std::isfinite(value) && value >= low && value <= 1e6, "{} = {}, must be in [{}, 1e6] seconds", name,
              value, low);
  };
  in("join-timeout", start, 1);
  in("rank-timeout", limits.silence, 0.5);
  in("step-timeout", limits.step, 1);
}

}  // namespace adasample
