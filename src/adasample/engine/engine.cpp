// SPDX-License-Identifier: Apache-2.0
#include "adasample/engine/engine.h"

#include <utility>

#include "adasample/base/error.h"
#include "adasample/base/parallel.h"
#include "adasample/engine/cpu_engine.h"
#include "adasample/engine/cuda_engine.h"
#include "adasample/kernels/onednn_net.h"

namespace adasample {

std::vector<std::string> engine_names() {
  std::vector<std::string> names = {"reference"};
  if (OnednnNet::available()) names.emplace_back("onednn");
  if (cuda_engine_available()) names.emplace_back("cuda");
  return names;
}

std::string default_engine() { return OnednnNet::available() ? "onednn" : "reference"; }

std::unique_ptr<Engine> make_engine(const std::string& name, const Weights& weights, std::string label,
                                    const EngineOptions& options) {
  const int threads = options.threads > 0 ? options.threads : thread_count();
  if (name == "reference") return make_reference_engine(weights, std::move(label), threads);
  if (name == "onednn" && OnednnNet::available()) return make_onednn_engine(weights, std::move(label), threads);
  if (name == "cuda" && cuda_engine_available()) return make_cuda_engine(weights, std::move(label));
  ADA_THROW_KIND(kUsage, "engine = '{}', must be one of {}", name, fmt::join(engine_names(), ", "));
}

}  // namespace adasample
