// SPDX-License-Identifier: Apache-2.0
// Which device to work on, and networks that run there.
#pragma once

#include <memory>
#include <string>

#include "adasample/model/descriptor.h"
#include "adasample/model/weights.h"

namespace adasample {

// "auto" -> "cuda" where LibTorch finds a GPU, else "cpu". "cuda" without one throws, with the reason.
std::string resolve_device(const std::string& device);

// Weights as a Descriptor on a resolved device, in fp32 by LibTorch; "bf16" takes own kernels where the GPU has them.
std::unique_ptr<Descriptor> make_descriptor(const Weights& weights, std::string name, const std::string& device,
                                            const std::string& precision = "fp32");

// Of the GPU that "cuda" is; empty without own kernels.
std::string gpu_name();

std::string torch_version();

}  // namespace adasample
