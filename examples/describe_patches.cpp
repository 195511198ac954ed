// SPDX-License-Identifier: Apache-2.0
// Describes patches with trained weights and scores them: describe_patches STORE WEIGHTS.safetensors
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "adasample/data/patch_store.h"
#include "adasample/eval/patch_pairs.h"
#include "adasample/net/net_descriptor.h"

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("usage: describe_patches STORE WEIGHTS.safetensors");
  const auto store = adasample::PatchStore::open(argv[1]);  // mapped, not read
  const auto net = adasample::make_net_descriptor(adasample::load_safetensors(argv[2]), argv[2]);

  std::vector<float> first(net->dimension());  // patch 0: 128 numbers, Euclidean norm 1
  net->describe(store.patch(0), 1, store.patch_size(), first);
  std::printf("patch 0: %.3f %.3f %.3f ...\n", first[0], first[1], first[2]);

  const auto scores = adasample::evaluate_patches(store, *net, {.pairs = 5000, .seed = 1});
  std::printf("FPR95 %.2f %%, AP %.2f %%\n", 100 * scores.fpr95.value, 100 * scores.ap);
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
