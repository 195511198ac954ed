// SPDX-License-Identifier: Apache-2.0
// Weights that others trained: which network they are of, and whether it is one that runs here.
#pragma once

#include <filesystem>
#include <string>

#include "adasample/model/weights.h"

namespace adasample {

// A checkpoint of PyTorch (convert/pth.h), a safetensors file or GeoDesc's graph (convert/frozen_graph.h), told apart
// by their first bytes whatever the file is called; its extension only says who complains about one that is none. The
// result has passed identify(), or is GeoDesc's.
Weights load_foreign_weights(const std::filesystem::path& path);

// Sets the metadata's "architecture" by the names of the arrays, "l2net" (HardNet's layout), "sosnet", "hynet",
// "tfeat", "cs-l2net", "geodesc" or "matchnet", and checks all of them. "module.", which nn.DataParallel puts before
// every name, is taken away. Throws Error for other networks, by name where it is known: HardNetPS, HardNet8. `label`
// names the source in messages.
void identify(Weights& weights, const std::string& label);

}  // namespace adasample
