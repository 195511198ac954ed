// SPDX-License-Identifier: Apache-2.0
// TensorFlow's frozen graphs (.pb), of which only what a converter needs is read: float constants by the names of their
// nodes, and the epsilons of batch norms. Nothing of the graph is run.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "adasample/model/weights.h"

namespace adasample {

struct FrozenGraph {
  std::map<std::string, NamedArray> constants;  // of type float, with all their values: "conv0/kernel"
  std::map<std::string, double> epsilons;       // of nodes FusedBatchNorm, V2 and V3
};

// Throws Error for bytes that are no GraphDef, and for a constant whose values do not fill its shape. `label` names the
// source in messages.
FrozenGraph parse_frozen_graph(std::string_view bytes, const std::string& label);
// A GraphDef begins with its first node, whose name comes first. PyTorch's and safetensors' files begin otherwise.
bool begins_as_frozen_graph(std::string_view bytes);

// GeoDesc (Luo et al., ECCV 2018) as the arrays of the network `geodesc`: kernels turned from (k, k, in, out), and
// variances moved by what the graph's epsilon differs from the table's. Throws Error that names what is missing.
Weights geodesc_weights(const FrozenGraph& graph, const std::string& label);

}  // namespace adasample
