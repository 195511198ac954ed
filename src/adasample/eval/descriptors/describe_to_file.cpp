// SPDX-License-Identifier: Apache-2.0
#include "adasample/eval/descriptors/describe_to_file.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "adasample/base/files/row_writer.h"
#include "adasample/base/progress.h"
#include "adasample/eval/descriptors/storage_loss.h"
#include "adasample/eval/scores/pair_evaluation.h"

namespace adasample {

StorageLoss describe_to_file(const PatchArray& patches, Descriptor& descriptor, const std::filesystem::path& out,
                             NumberType type) {
  RowWriter writer(out, descriptor.dimension(), type);
  LossMeter loss(type, descriptor.dimension());
  const PatchSource source = source_of(patches);
  Progress progress("describing", "patches", patches.count());
  double seconds_in_descriptor = 0;
  std::vector<int64_t> chunk;
  for (int64_t begin = 0; begin < patches.count(); begin += kDescribeChunk) {
    chunk.resize(static_cast<size_t>(std::min(kDescribeChunk, patches.count() - begin)));
    std::iota(chunk.begin(), chunk.end(), begin);
    const std::vector<float> rows = describe_patches(source, descriptor, chunk, progress, seconds_in_descriptor);
    if (type == NumberType::kUint8) require_unit_rows(rows, descriptor.dimension(), descriptor.name(), "--type uint8");
    writer.add(rows);
    if (type != NumberType::kFloat32) loss.add(rows);
  }
  writer.finish();
  return loss.result();
}

}  // namespace adasample
