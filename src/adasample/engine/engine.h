// SPDX-License-Identifier: Apache-2.0
// Describes patches, and nothing else: no LibTorch, threads of its own, nothing allocated a call.
//   reference    plain loops: the oracle
//   onednn       fp32 by oneDNN
//   cuda         bf16 by own kernels on a Hopper GPU
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

struct EngineOptions {
  int threads = 0;  // 0: thread_count()
};

// Those that this build has and this machine runs, slowest first.
std::vector<std::string> engine_names();

// An engine may be used from several threads at once. `label`: its name() in reports. Throws a usage Error for a name
// that is not known or cannot run here, and Error for weights of another architecture.
std::unique_ptr<Descriptor> make_engine(const std::string& name, const Weights& weights, std::string label,
                                        const EngineOptions& options = {});

}  // namespace adasample
