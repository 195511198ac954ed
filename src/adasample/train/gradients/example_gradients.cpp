// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/gradients/example_gradients.h"

#include "adasample/sampler/informativeness.h"
#include "adasample/train/gradients/pair_gradient.h"

namespace adasample {

at::Tensor example_gradients(const NetImpl& net, const at::Tensor& patches, const SamplerInput& input,
                             const at::Tensor& anchor, double margin, Metric metric) {
  const int64_t n = patches.size(0), k = patches.size(1);
  const at::Tensor slots = at::arange(n, anchor.options()) * k + anchor;
  const at::Tensor anchors = input.descriptors.flatten(0, 1).index_select(0, slots);  // (n, D)
  const at::Tensor closest = closest_row(anchors);                                    // (n)
  const at::Tensor host_anchor = anchor.cpu(), host_counts = input.counts.cpu();
  std::vector<double> norms(static_cast<size_t>(n * k), 0.0);
  for (int64_t c = 0; c < n; ++c) {
    const int64_t own = host_anchor.data_ptr<int64_t>()[c], count = host_counts.data_ptr<int64_t>()[c];
    const at::Tensor negative = anchors.index_select(0, closest.narrow(0, c, 1));  // (1, D)
    for (int64_t slot = 0; slot < count; ++slot) {
      if (slot == own) continue;
      norms[static_cast<size_t>(c * k + slot)] =
          pair_gradient(net, at::stack({patches[c][own], patches[c][slot]}), negative, /*of_anchor=*/true,
                        {margin, metric}, /*frozen_too=*/false)
              .pushed;
    }
  }
  return at::tensor(norms, at::kDouble).view({n, k}).to(patches.device());
}

}  // namespace adasample
