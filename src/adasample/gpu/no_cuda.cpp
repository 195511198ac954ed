// SPDX-License-Identifier: Apache-2.0
// Stands in for the GPU's kernels where the program was built without them.
#include "adasample/base/error.h"
#include "adasample/gpu/batch.h"
#include "adasample/gpu/batch_norm.h"
#include "adasample/gpu/embedder.h"
#include "adasample/gpu/first_layer.h"
#include "adasample/gpu/memory.h"
#include "adasample/gpu/pair_draw.h"
#include "adasample/gpu/step.h"
#include "adasample/gpu/top_products.h"

namespace adasample::gpu {
namespace {

[[noreturn]] void missing() {
  ADA_THROW("[gpu] this program was built without ADASAMPLE_CUDA, so it has no kernels for a GPU - use --device cpu");
}

}  // namespace

bool built() { return false; }
Device current_device() { missing(); }

Buffer::Buffer(size_t) { missing(); }
Buffer::~Buffer() = default;
void Buffer::upload(const void*, size_t) { missing(); }
void Buffer::download(void*, size_t) const { missing(); }

struct Embedder::State {};
bool Embedder::available() { return false; }
Embedder::Embedder(int64_t) { missing(); }
Embedder::~Embedder() = default;
void Embedder::refold(const std::array<FoldInput, kL2NetLayers>&, Stream) { missing(); }
void Embedder::embed(const uint8_t*, int64_t, float*, Stream) { missing(); }
int64_t Embedder::bytes(int64_t) { return 0; }

struct ProductSearch::State {};
const std::string& ProductSearch::problem() {
  static const std::string none = "this program was built without ADASAMPLE_CUDA, so it has no kernels for a GPU";
  return none;
}
ProductSearch::ProductSearch() { missing(); }
ProductSearch::~ProductSearch() = default;
void ProductSearch::run(std::span<const float>, std::span<const float>, int, TopProducts&, TopProducts&) { missing(); }

}  // namespace adasample::gpu
