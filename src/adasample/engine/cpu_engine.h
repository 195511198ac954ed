// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "adasample/engine/engine.h"

namespace adasample {

std::unique_ptr<Engine> make_reference_engine(const Weights& weights, std::string label, int threads);
std::unique_ptr<Engine> make_onednn_engine(const Weights& weights, std::string label, int threads, bool int8,
                                           bool small_calls);
std::unique_ptr<Engine> make_simd_engine(const Weights& weights, std::string label, int threads, bool int8);

}  // namespace adasample
