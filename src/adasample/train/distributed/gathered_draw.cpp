// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/distributed/gathered_draw.h"

namespace adasample {
namespace {

// Every tensor that has a row a slot.
std::vector<at::Tensor*> by_slot(DrawnPairs& pairs) {
  return {&pairs.input.counts,  &pairs.input.classes,  &pairs.input.levels,
          &pairs.draw.anchor,   &pairs.draw.positive,  &pairs.draw.probability,
          &pairs.draw.distance, &pairs.draw.distances, &pairs.draw.others};
}

}  // namespace

DrawnPairs joined(const std::vector<DrawnPairs>& parts) {
  if (parts.size() == 1) return parts.front();
  DrawnPairs all = parts.front();
  std::vector<DrawnPairs> copies = parts;
  const std::vector<at::Tensor*> to = by_slot(all);
  for (size_t i = 0; i < to.size(); ++i) {
    std::vector<at::Tensor> rows;
    for (DrawnPairs& part : copies) rows.push_back(*by_slot(part)[i]);
    if (to[i]->defined()) *to[i] = at::cat(rows);
  }
  all.input.descriptors = at::Tensor();
  all.input.gradients = at::Tensor();
  return all;
}

DrawnPairs gathered(const BatchShare& share, const DrawnPairs& mine) {
  if (share.ranks().alone()) return mine;
  DrawnPairs all = mine;
  all.input.descriptors = at::Tensor();
  all.input.gradients = at::Tensor();
  std::vector<at::Tensor> columns;
  for (const at::Tensor* tensor : by_slot(all)) {
    if (tensor->defined()) columns.push_back(tensor->to(at::kDouble).view({share.count(), -1}));
  }
  const at::Tensor rows = share.gather(at::cat(columns, 1));  // (n, ..)
  int64_t first = 0;
  for (at::Tensor* tensor : by_slot(all)) {
    if (!tensor->defined()) continue;
    std::vector<int64_t> shape = tensor->sizes().vec();
    const int64_t width = tensor->numel() / share.count();
    shape[0] = share.batch();
    *tensor = rows.narrow(1, first, width).to(tensor->scalar_type()).reshape(shape).contiguous();
    first += width;
  }
  return all;
}

}  // namespace adasample
