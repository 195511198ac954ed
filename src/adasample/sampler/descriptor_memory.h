// SPDX-License-Identifier: Apache-2.0
// Descriptors of the store's patches as they were last embedded. With --refresh r only a share r of each batch's
// classes is embedded again, those embedded longest ago; the other positives are drawn by remembered descriptors. That
// changes step 2 of Algorithm 1: the distances in Eq. 13 are up to a few visits of the class old, and were measured on
// patches turned and mirrored another way. r = 1 is Algorithm 1 and needs no memory.
#pragma once

#include <torch/torch.h>

#include <functional>

namespace adasample {

class DescriptorMemory {
 public:
  // refreshed: classes a batch that are embedded, see refreshed_classes().
  DescriptorMemory(int64_t patches, int64_t dimension, int64_t refreshed, const at::Device& device);

  // (n, k, D) for the batch of `iteration` (() int64) that holds the patches `numbers`, (n, k) int64: embeds the
  // classes that are due by `embed`, which maps their rows of the batch, (m), to (m, k, D), and remembers them. A class
  // with a patch that was never embedded has descriptors that are all 0: all distances are alike, and its positive is
  // drawn uniformly. Fixed shapes, and nothing waits for the host.
  at::Tensor recall(const at::Tensor& numbers, const at::Tensor& iteration,
                    const std::function<at::Tensor(const at::Tensor&)>& embed);

  // All there is to it, for checkpoints: half precision rows and when they were made, -1 for never.
  const at::Tensor& rows() const { return rows_; }      // (patches, D)
  const at::Tensor& embedded() const { return when_; }  // (patches) int64

  // Bytes for a store of that many patches.
  static int64_t bytes(int64_t patches, int64_t dimension);

 private:
  int64_t refreshed_;
  at::Tensor rows_, when_;
};

// Classes of a batch of n that --refresh embeds again: its share rounded up.
int64_t refreshed_classes(int64_t n, double refresh);

}  // namespace adasample
