// SPDX-License-Identifier: Apache-2.0
#include "adasample/data/patch_array.h"

#include "adasample/base/error.h"
#include "adasample/base/files/npy.h"

namespace adasample {

PatchArray::PatchArray(const std::filesystem::path& file) : file_(std::make_shared<NpyFile>(file, OnLoss::kTolerate)) {
  const std::vector<int64_t>& shape = file_->shape();
  ADA_CHECK(shape.size() == 3 && shape[1] == shape[2] && shape[1] >= 1 && shape[1] <= kLargestSize,
            "[patches] {}: shape [{}], expected [N, S, S] with S from 1 to {}", file.string(), fmt::join(shape, ", "),
            kLargestSize);
  ADA_CHECK(shape[0] >= 1, "[patches] {}: shape [{}], expected at least one patch", file.string(),
            fmt::join(shape, ", "));
  pixels_ = file_->data<uint8_t>();
  count_ = shape[0];
  size_ = static_cast<int>(shape[1]);
}

std::span<const uint8_t> PatchArray::patch(int64_t index) const {
  ADA_ASSERT(index >= 0 && index < count_);
  if (file_->file().known_lost()) check_intact();
  const size_t area = static_cast<size_t>(size_) * static_cast<size_t>(size_);
  return pixels_.subspan(static_cast<size_t>(index) * area, area);
}

void PatchArray::check_intact() const {
  if (file_) file_->check_intact();
}

void PatchArray::advise_random() const {
  if (file_) file_->file().advise_random();
}

}  // namespace adasample
