// SPDX-License-Identifier: Apache-2.0
// Descriptors of all patches of an array, straight to a file.
#pragma once

#include <filesystem>

#include "adasample/data/patch_array.h"
#include "adasample/eval/descriptors/storage_loss.h"
#include "adasample/model/descriptor.h"

namespace adasample {

// Writes a row a patch, in their order, to `out` (base/files/row_writer.h: .npy or .csv; must not exist), complete or
// absent. Patches are described a chunk at a time: memory does not grow with their number. Returns what `type` cost.
// Ctrl-C throws Error.
StorageLoss describe_to_file(const PatchArray& patches, Descriptor& descriptor, const std::filesystem::path& out,
                             NumberType type = NumberType::kFloat32);

}  // namespace adasample
