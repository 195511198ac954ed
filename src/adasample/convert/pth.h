// SPDX-License-Identifier: Apache-2.0
// PyTorch's checkpoints, .pth, read and written without PyTorch.
// Read: what torch.save wrote, as a zip file or as before 1.6, in one piece; a dict of tensors or one that holds it
// under 'state_dict'. Float, Half, BFloat16, Double and Long tensors, of any strides; nothing in the file is run.
// Written: HardNet's {'epoch': 0, 'state_dict': OrderedDict}; of other networks the OrderedDict alone, as they are
// published.
#pragma once

#include <string>
#include <string_view>

#include "adasample/model/weights.h"

namespace adasample {

// Whether these are a zip file's first bytes, or those that torch.save put before 1.6.
bool begins_as_pth(std::string_view bytes);

// Arrays under the names they have in the file. `label` names the source in messages.
Weights parse_pth(std::string_view bytes, const std::string& label);

// With all that complete_arrays() adds. Throws Error for weights that do not fit the network they name.
std::string format_pth(const Weights& weights);
// The same of any arrays; nested: as HardNet has it.
std::string format_state_dict(const Weights& weights, bool nested = true);

}  // namespace adasample
