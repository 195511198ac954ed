// SPDX-License-Identifier: Apache-2.0
// A block takes 64 queries and passes over its part of the rows, 64 at a time: 256 threads sum 4 x 4 products each, lay
// them down in shared memory, and look through them, four threads a query, for what beats the fourth best so far.
#include "adasample/gpu/top_products.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "adasample/gpu/cuda/check.cuh"
#include "adasample/gpu/memory.h"

namespace adasample::gpu {
namespace {

constexpr int kSide = 64;   // of a tile of products
constexpr int kDepth = 16;  // of what is loaded at once
constexpr int kThreads = 256;
constexpr int kPad = 4;  // floats: neighbouring rows of shared memory begin in other banks, on 16 bytes
constexpr int kTop = kTopProducts;
constexpr int kParts = 4;                    // of the rows: the queries of one picture alone do not fill the device
constexpr int kScanners = kThreads / kSide;  // threads a query

struct Best {
  float products[kTop];
  int others[kTop];

  __device__ void clear() {
    for (int i = 0; i < kTop; ++i) {
      products[i] = -INFINITY;
      others[i] = -1;
    }
  }
  __device__ void add(float product, int other) {
    if (!(product > products[kTop - 1])) return;
    products[kTop - 1] = product;
    others[kTop - 1] = other;
#pragma unroll
    for (int i = kTop - 1; i > 0; --i) {
      if (!(products[i] > products[i - 1])) return;
      const float p = products[i];
      const int o = others[i];
      products[i] = products[i - 1];
      others[i] = others[i - 1];
      products[i - 1] = p;
      others[i - 1] = o;
    }
  }
};

struct Table {
  const float* values;  // (count, dimension)
  int count;
};

// Entries [depth, depth + kDepth) of rows [first, first + kSide), turned; zeros where there are none.
__device__ void load(const Table& table, int dimension, int first, int depth, float (*to)[kSide + kPad]) {
  for (int i = threadIdx.x; i < kSide * kDepth; i += kThreads) {
    const int row = first + i / kDepth, k = depth + i % kDepth;
    const bool there = row < table.count && k < dimension;
    to[i % kDepth][i / kDepth] = there ? table.values[static_cast<int64_t>(row) * dimension + k] : 0;
  }
}

// products, others: (kParts, queries, kTop).
__global__ void __launch_bounds__(kThreads)
    find_top(Table queries, Table rows, int dimension, float* products, int32_t* others) {
  __shared__ float q[kDepth][kSide + kPad], r[kDepth][kSide + kPad];
  __shared__ float tile[kSide][kSide + kPad];
  const int tiles = (rows.count + kSide - 1) / kSide, part = blockIdx.y;
  const int begin = static_cast<int>(static_cast<int64_t>(tiles) * part / kParts) * kSide;
  const int end = static_cast<int>(static_cast<int64_t>(tiles) * (part + 1) / kParts) * kSide;
  const int first_query = blockIdx.x * kSide;
  const int x = threadIdx.x % 16 * 4, y = threadIdx.x / 16 * 4;  // of this thread's products
  const int query = threadIdx.x / kScanners, lane = threadIdx.x % kScanners;
  Best best;
  best.clear();
  for (int first = begin; first < end; first += kSide) {
    float sums[4][4] = {};
    for (int depth = 0; depth < dimension; depth += kDepth) {
      load(queries, dimension, first_query, depth, q);
      load(rows, dimension, first, depth, r);
      __syncthreads();
#pragma unroll
      for (int k = 0; k < kDepth; ++k) {
        const float4 u = *reinterpret_cast<const float4*>(&q[k][y]), v = *reinterpret_cast<const float4*>(&r[k][x]);
        const float us[4] = {u.x, u.y, u.z, u.w}, vs[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; ++i) {
#pragma unroll
          for (int j = 0; j < 4; ++j) sums[i][j] = fmaf(us[i], vs[j], sums[i][j]);
        }
      }
      __syncthreads();
    }
    for (int i = 0; i < 4; ++i) {
      *reinterpret_cast<float4*>(&tile[y + i][x]) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    }
    __syncthreads();
    // The next tile is laid down after the syncs of its own sums.
    for (int c = lane; c < kSide && first + c < rows.count; c += kScanners) best.add(tile[query][c], first + c);
  }
  // The lists of a query's threads become one.
  for (int step = 1; step < kScanners; step *= 2) {
    Best other;
    for (int i = 0; i < kTop; ++i) {
      other.products[i] = __shfl_xor_sync(~0u, best.products[i], step);
      other.others[i] = __shfl_xor_sync(~0u, best.others[i], step);
    }
    for (int i = 0; i < kTop; ++i) best.add(other.products[i], other.others[i]);
  }
  if (lane != 0 || first_query + query >= queries.count) return;
  const int64_t at = (static_cast<int64_t>(part) * queries.count + first_query + query) * kTop;
  for (int i = 0; i < kTop; ++i) {
    products[at + i] = best.products[i];
    others[at + i] = best.others[i];
  }
}

// A buffer that grows.
class Growing {
 public:
  Buffer& at_least(size_t bytes) {
    if (!buffer_ || bytes > bytes_) {
      buffer_.reset();  // before the new one: they need not fit side by side
      buffer_.emplace(bytes);
      bytes_ = bytes;
    }
    return *buffer_;
  }

 private:
  std::optional<Buffer> buffer_;
  size_t bytes_ = 0;
};

// The parts' lists, (kParts, count, kTop), to one of each query.
void merge(const std::vector<float>& products, const std::vector<int32_t>& others, size_t count, TopProducts& to) {
  to.products.assign(count * kTop, -std::numeric_limits<float>::infinity());
  to.others.assign(count * kTop, -1);
  for (size_t query = 0; query < count; ++query) {
    float* best = to.products.data() + query * kTop;
    int32_t* numbers = to.others.data() + query * kTop;
    for (size_t part = 0; part < kParts; ++part) {
      for (size_t i = 0; i < kTop; ++i) {
        const size_t from = (part * count + query) * kTop + i;
        if (!(products[from] > best[kTop - 1])) break;  // largest first: none after it either
        const auto place =
            static_cast<size_t>(std::upper_bound(best, best + kTop, products[from], std::greater<>()) - best);
        std::copy_backward(best + place, best + kTop - 1, best + kTop);
        std::copy_backward(numbers + place, numbers + kTop - 1, numbers + kTop);
        best[place] = products[from];
        numbers[place] = others[from];
      }
    }
  }
}

}  // namespace

struct ProductSearch::State {
  Growing a, b, products, others;
  std::vector<float> all_products;
  std::vector<int32_t> all_others;

  void find(const Table& queries, const Table& rows, int dimension, TopProducts& to) {
    const auto count = static_cast<size_t>(queries.count), entries = kParts * count * kTop;
    Buffer& best = products.at_least(entries * sizeof(float));
    Buffer& numbers = others.at_least(entries * sizeof(int32_t));
    const dim3 grid(static_cast<unsigned>((queries.count + kSide - 1) / kSide), kParts);
    find_top<<<grid, kThreads>>>(queries, rows, dimension, best.as<float>(), numbers.as<int32_t>());
    check_launch("the search for the largest products");
    all_products.resize(entries);
    all_others.resize(entries);
    best.download(all_products.data(), entries * sizeof(float));
    numbers.download(all_others.data(), entries * sizeof(int32_t));
    merge(all_products, all_others, count, to);
  }
};

const std::string& ProductSearch::problem() {
  static const std::string found = []() -> std::string {
    int devices = 0;
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess) return cudaGetErrorString(code);
    if (devices == 0) return "no GPU here";
    cudaFuncAttributes attributes;  // fails where no code of this program runs on the device
    const cudaError_t runs = cudaFuncGetAttributes(&attributes, find_top);
    return runs == cudaSuccess ? "" : cudaGetErrorString(runs);
  }();
  return found;
}

ProductSearch::ProductSearch() : state_(std::make_unique<State>()) {}
ProductSearch::~ProductSearch() = default;

void ProductSearch::run(std::span<const float> a, std::span<const float> b, int dimension, TopProducts& of_a,
                        TopProducts& of_b) {
  const auto upload = [dimension](Growing& memory, std::span<const float> rows) {
    Buffer& buffer = memory.at_least(rows.size_bytes());
    buffer.upload(rows.data(), rows.size_bytes());
    return Table{buffer.as<float>(), static_cast<int>(rows.size() / static_cast<size_t>(dimension))};
  };
  const Table of_first = upload(state_->a, a), of_second = upload(state_->b, b);
  state_->find(of_first, of_second, dimension, of_a);
  state_->find(of_second, of_first, dimension, of_b);
}

}  // namespace adasample::gpu
