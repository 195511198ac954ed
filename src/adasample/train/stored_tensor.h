// SPDX-License-Identifier: Apache-2.0
// Tensors to and from the arrays of a checkpoint, bit for bit.
#pragma once

#include <torch/torch.h>

#include "adasample/model/checkpoint.h"

namespace adasample {

// A copy on the host, row-major whatever the tensor's layout.
StoredArray store_tensor(const at::Tensor& tensor);

// Copies `arrays[name]` into the tensor, whose device and layout stay. Throws Error where it is missing or of another
// type or shape.
void load_tensor(const StoredArrays& arrays, const std::string& name, at::Tensor tensor);

}  // namespace adasample
