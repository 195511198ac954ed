// SPDX-License-Identifier: Apache-2.0
// Activations travel between the kernels as [patch][8 channels][pixel][8] bf16: what wgmma.cuh wants in shared memory,
// and whole lines for every load and store.
#include <cublas_v2.h>
#include <cuda_bf16.h>

#include <algorithm>

#include "adasample/gpu/cuda/check.cuh"
#include "adasample/gpu/cuda/patch_norm.cuh"
#include "adasample/gpu/cuda/wgmma.cuh"
#include "adasample/gpu/embedder.h"
#include "adasample/gpu/memory.h"

namespace adasample::gpu {
namespace {

using bf16 = __nv_bfloat16;

constexpr int kPixels = 32 * 32;
constexpr int kDescriptor = 128;
constexpr int kTaps = 9;
constexpr int kFirstTaps = 16;  // layer 1's taps are the K of its product, padded
constexpr int kTile = 8;        // output pixels are computed in tiles of 8 x 8, the 64 rows of a wgmma

// ---------------------------------------------------------------------------------------------------------------------
// Shapes

// A 3x3 convolution whose input picture lies in shared memory, one a warpgroup, the weights beside them.
// N: output channels a block computes; the others are another block's.
template <int In, int Out, int Width, int Stride, int N, int Groups>
struct Conv {
  static constexpr int in = In, out = Out, width = Width, stride = Stride, n = N, groups = Groups;
  static constexpr int out_width = Width / Stride, out_pixels = out_width * out_width;
  static constexpr int tiles = (out_width / kTile) * (out_width / kTile);
  static constexpr int splits = Out / N;
  static constexpr int planes = In / 8;
  // With a border of zeros on the sides that are read. A stride of 2 keeps even columns before odd ones, so that
  // neighbours in the output are neighbours here.
  static constexpr int rows = Stride == 1 ? Width + 2 : Width + 1;
  // Where odd columns begin: four core-matrix rows off the even ones where there is room, so that the stores of eight
  // neighbours meet in no bank.
  static constexpr int odd = Width == 32 ? 20 : Width / 2 + 1;
  static constexpr int pitch = Stride == 1 ? rows : odd + Width / 2;
  static constexpr int plane_bytes = rows * pitch * 16;
  static constexpr int input_bytes = planes * plane_bytes;
  static constexpr int weight_bytes = kTaps * In * N * 2;
  static constexpr int shared_bytes = weight_bytes + Groups * input_bytes;

  // Bytes from the start of a plane to pixel (y, x), coordinates with the border counted.
  __host__ __device__ static constexpr int at(int y, int x) {
    return 16 * (y * pitch + (Stride == 1 ? x : x / 2 + (x & 1) * odd));
  }
};

using Layer3 = Conv<32, 64, 32, 2, 64, 2>;
using Layer4 = Conv<64, 64, 16, 1, 64, 3>;
using Layer5 = Conv<64, 128, 16, 2, 128, 2>;
using Layer6 = Conv<128, 128, 8, 1, 64, 3>;

// The first two layers of one patch: bytes -> (32, 32, 32).
struct Head {
  static constexpr int channels = 32, width = 32, pitch = width + 2, groups = 2;
  static constexpr int plane_bytes = pitch * pitch * 16;
  static constexpr int weights1_bytes = kFirstTaps * channels * 2;
  static constexpr int weights2_bytes = kTaps * channels * channels * 2;
  static constexpr int shared_bytes = channels / 8 * plane_bytes + weights1_bytes + weights2_bytes + pitch * pitch * 2;
};

// ---------------------------------------------------------------------------------------------------------------------
// Weights: folded and packed once an iteration

struct PackedLayer {
  FoldInput input;
  bf16* packed;
  float* bias;
  int in, out, area, n;  // n: output channels a block computes
};
struct PackedLayers {
  PackedLayer layer[kL2NetLayers];
};

__device__ int packed_index(int layer, const PackedLayer& l, int o, int tap, int i) {
  if (layer == 0) return (tap / 8 * l.out + o) * 8 + tap % 8;  // taps are its K
  if (layer == kL2NetLayers - 1)
    return ((o * (l.in / 8) + i / 8) * l.area + tap) * 8 + i % 8;  // the activations' order
  return ((((o / l.n) * l.area + tap) * (l.in / 8) + i / 8) * l.n + o % l.n) * 8 + i % 8;
}

__global__ void fold(PackedLayers layers, float epsilon) {
  const PackedLayer& l = layers.layer[blockIdx.y];
  const int fan_in = l.area * l.in;
  for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < l.out * fan_in; index += gridDim.x * blockDim.x) {
    const int o = index / fan_in, tap = index % fan_in / l.in, i = index % l.in;
    const float scale = rsqrtf(l.input.variance[o] + epsilon);
    l.packed[packed_index(blockIdx.y, l, o, tap, i)] = __float2bfloat16(l.input.weight[index] * scale);
    if (index % fan_in == 0) l.bias[o] = -l.input.mean[o] * scale;
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Pieces of the convolutions

// ReLU of the sums and a bias, two channels.
__device__ uint32_t activate(float low, float high, float2 bias) {
  return pack_bf16(fmaxf(low + bias.x, 0.f), fmaxf(high + bias.y, 0.f));
}

template <int Count>
__device__ void clear(float (&values)[Count]) {
#pragma unroll
  for (float& value : values) value = 0;
}

// Where in a tile, and in which pair of channels of eight, this thread's results belong (wgmma.cuh).
struct Place {
  int y, x;  // of the first row; the second is at (y + 1, x)
  int pair;
  __device__ explicit Place(int thread) : y(thread / 32 * 2), x(thread % 32 / 4), pair(thread % 4) {}
};

__device__ void clear_shared(void* begin, int bytes) {
  for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x) static_cast<uint4*>(begin)[i] = make_uint4(0, 0, 0, 0);
}

__device__ void copy_to_shared(void* to, const void* from, int bytes) {
  for (int i = threadIdx.x; i < bytes / 16; i += blockDim.x)
    static_cast<uint4*>(to)[i] = static_cast<const uint4*>(from)[i];
}

// ---------------------------------------------------------------------------------------------------------------------
// Normalisation, layers 1 and 2

__global__ void __launch_bounds__(Head::groups* kWarpgroup, 2)
    head(const uint8_t* patches, int count, float epsilon, const bf16* weights1, const float* bias1,
         const bf16* weights2, const float* bias2, bf16* out) {
  extern __shared__ __align__(128) uint8_t shared[];
  __shared__ int2 partial[Head::groups * kWarpgroup / 32];
  uint8_t* const planes = shared;
  uint8_t* const w1 = planes + Head::channels / 8 * Head::plane_bytes;
  uint8_t* const w2 = w1 + Head::weights1_bytes;
  bf16* const input = reinterpret_cast<bf16*>(w2 + Head::weights2_bytes);
  clear_shared(shared, Head::shared_bytes / 16 * 16);
  if (threadIdx.x < 8)
    input[Head::pitch * Head::pitch - 8 + threadIdx.x] = __float2bfloat16(0);  // past the last 16 bytes
  __syncthreads();
  copy_to_shared(w1, weights1, Head::weights1_bytes);
  copy_to_shared(w2, weights2, Head::weights2_bytes);
  fence_for_wgmma();

  const int group = warpgroup_index();
  const Place place(threadIdx.x % kWarpgroup);
  const auto tap_offset = [](int tap) { return tap / 3 * Head::pitch + tap % 3; };
  const int first_tap = tap_offset(2 * place.pair), second_tap = tap_offset(2 * place.pair + 1),
            last_tap = tap_offset(8);
  float2 b1[4], b2[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    b1[j] = reinterpret_cast<const float2*>(bias1)[4 * j + place.pair];
    b2[j] = reinterpret_cast<const float2*>(bias2)[4 * j + place.pair];
  }
  const uint64_t operand1 = operand(shared_address(w1), Head::channels * 16, 128);
  const uint64_t operand2 = operand(shared_address(w2), Head::channels * 16, 128);
  const uint64_t picture = operand(shared_address(planes), Head::plane_bytes, Head::pitch * 16);

  const auto load = [&](int patch) {
    return patch < count ? reinterpret_cast<const uchar4*>(patches + int64_t{patch} * kPixels)[threadIdx.x] : uchar4{};
  };
  uchar4 next = load(blockIdx.x);
  for (int patch = blockIdx.x; patch < count; patch += gridDim.x) {
    const uchar4 v = next;
    const PatchNorm norm(v, epsilon, partial);
    bf16* row = input + (threadIdx.x / 8 + 1) * Head::pitch + threadIdx.x % 8 * 4 + 1;
    row[0] = __float2bfloat16(norm(v.x));
    row[1] = __float2bfloat16(norm(v.y));
    row[2] = __float2bfloat16(norm(v.z));
    row[3] = __float2bfloat16(norm(v.w));
    __syncthreads();

    // Layer 1: its nine taps are the columns of A, gathered into registers. A warpgroup does two rows of four tiles.
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      const int tile_row = 2 * group + half;
      float sums[4][16];
      uint32_t a[4][4];
#pragma unroll
      for (int tile = 0; tile < 4; ++tile) {
        clear(sums[tile]);
        const bf16* at = input + (tile_row * kTile + place.y) * Head::pitch + tile * kTile + place.x;
        const auto pack = [](bf16 low, bf16 high) {
          const __nv_bfloat162 both(low, high);
          return *reinterpret_cast<const uint32_t*>(&both);
        };
        const bf16 zero = __float2bfloat16(0);
        a[tile][0] = pack(at[first_tap], at[second_tap]);
        a[tile][1] = pack(at[Head::pitch + first_tap], at[Head::pitch + second_tap]);
        a[tile][2] = place.pair == 0 ? pack(at[last_tap], zero) : 0;
        a[tile][3] = place.pair == 0 ? pack(at[Head::pitch + last_tap], zero) : 0;
      }
      wgmma_fence();
#pragma unroll
      for (int tile = 0; tile < 4; ++tile) wgmma32_registers(sums[tile], a[tile], operand1);
      wgmma_commit();
      wgmma_wait<0>();
#pragma unroll
      for (int tile = 0; tile < 4; ++tile) {
        const int pixel = (tile_row * kTile + place.y + 1) * Head::pitch + tile * kTile + place.x + 1;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          uint32_t* to = reinterpret_cast<uint32_t*>(planes + j * Head::plane_bytes + pixel * 16) + place.pair;
          to[0] = activate(sums[tile][4 * j], sums[tile][4 * j + 1], b1[j]);
          to[Head::pitch * 4] = activate(sums[tile][4 * j + 2], sums[tile][4 * j + 3], b1[j]);
        }
      }
    }
    fence_for_wgmma();
    __syncthreads();
    next = load(patch + gridDim.x);

    // Layer 2.
#pragma unroll 1
    for (int half = 0; half < 2; ++half) {
      const int tile_row = 2 * group + half;
      float sums[4][16];
#pragma unroll
      for (int tile = 0; tile < 4; ++tile) clear(sums[tile]);
      const uint64_t corner = opaque(shifted(picture, tile_row * kTile * Head::pitch * 16));
      const uint64_t weights_here = opaque(operand2);
      wgmma_fence();
#pragma unroll
      for (int tap = 0; tap < kTaps; ++tap) {
#pragma unroll
        for (int step = 0; step < 2; ++step) {
          const uint64_t b = shifted(weights_here, (tap * 4 + 2 * step) * Head::channels * 16);
#pragma unroll
          for (int tile = 0; tile < 4; ++tile) {
            wgmma<32>(sums[tile], shifted(corner, 2 * step * Head::plane_bytes + (tap_offset(tap) + tile * kTile) * 16),
                      b);
          }
        }
      }
      wgmma_commit();
      wgmma_wait<0>();
#pragma unroll
      for (int tile = 0; tile < 4; ++tile) {
        const int pixel = (tile_row * kTile + place.y) * Head::width + tile * kTile + place.x;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          uint32_t* to =
              reinterpret_cast<uint32_t*>(out) + ((int64_t{patch} * 4 + j) * kPixels + pixel) * 4 + place.pair;
          to[0] = activate(sums[tile][4 * j], sums[tile][4 * j + 1], b2[j]);
          to[Head::width * 4] = activate(sums[tile][4 * j + 2], sums[tile][4 * j + 3], b2[j]);
        }
      }
    }
    __syncthreads();  // nobody reads the picture any more
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Layers 3 to 6

// Two planes of eight channels: what one wgmma multiplies of every tap.
template <typename C>
__device__ void load_planes(uint32_t to, const bf16* from, int step, int thread) {
  constexpr int kPieces = 2 * C::width * C::width;
#pragma unroll
  for (int j = 0; j < kPieces / kWarpgroup; ++j) {
    const int i = j * kWarpgroup + thread;
    const int plane = 2 * step + i / (C::width * C::width), y = i / C::width % C::width, x = i % C::width;
    copy_async(to + plane * C::plane_bytes + C::at(y + 1, x + 1), from + (int64_t{step} * kPieces + i) * 8);
  }
}

// Every warpgroup works through its own patches; they share the weights. It multiplies two planes at a time, and as
// soon as it is done with two loads those of its next patch in their place.
template <typename C>
__global__ void __launch_bounds__(C::groups* kWarpgroup, 1)
    convolve(const bf16* in, int count, const bf16* weights, const float* bias, bf16* out) {
  constexpr int kSteps = C::in / 16;
  extern __shared__ __align__(128) uint8_t shared[];
  const int split = blockIdx.x % C::splits, group = warpgroup_index(), thread = threadIdx.x % kWarpgroup;
  uint8_t* const picture = shared + C::weight_bytes + group * C::input_bytes;
  clear_shared(shared + C::weight_bytes, C::groups * C::input_bytes);
  copy_to_shared(shared, weights + int64_t{split} * C::weight_bytes / 2, C::weight_bytes);
  fence_for_wgmma();
  __syncthreads();

  const Place place(thread);
  const uint64_t weight_operand = operand(shared_address(shared), C::n * 16, 128);
  const uint64_t picture_operand = operand(shared_address(picture), C::plane_bytes, C::stride * C::pitch * 16);
  const int workers = gridDim.x / C::splits * C::groups;
  int patch = blockIdx.x / C::splits * C::groups + group;
  // Commits a group in any case: the waits below count them.
  const auto load = [&](int which, int step) {
    if (which < count)
      load_planes<C>(shared_address(picture), in + int64_t{which} * C::planes * C::width * C::width * 8, step, thread);
    copy_async_commit();
  };
  for (int step = 0; step < kSteps; ++step) load(patch, step);
  for (; patch < count; patch += workers) {
    float sums[C::tiles][C::n / 2];
#pragma unroll
    for (auto& tile : sums) clear(tile);
    const uint64_t weights_here = opaque(weight_operand), picture_here = opaque(picture_operand);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      // Loaded after this step's planes: the later steps', and of the next patch all steps but this and the one before.
      step == 0 ? copy_async_wait<kSteps - 1>() : copy_async_wait<kSteps - 2>();
      fence_for_wgmma();
      warpgroup_barrier(group);
      wgmma_fence();
#pragma unroll
      for (int tap = 0; tap < kTaps; ++tap) {
        const uint64_t b = shifted(weights_here, (tap * C::planes + 2 * step) * C::n * 16);
#pragma unroll
        for (int tile = 0; tile < C::tiles; ++tile) {
          const int y = tile / (C::out_width / kTile) * kTile * C::stride + tap / 3;
          const int x = tile % (C::out_width / kTile) * kTile * C::stride + tap % 3;
          wgmma<C::n>(sums[tile], shifted(picture_here, 2 * step * C::plane_bytes + C::at(y, x)), b);
        }
      }
      wgmma_commit();
      if (step > 0) {
        wgmma_wait<1>();
        warpgroup_barrier(group);  // nobody reads the planes of the step before any more
        load(patch + workers, step - 1);
      }
    }
    wgmma_wait<0>();
    warpgroup_barrier(group);
    load(patch + workers, kSteps - 1);
#pragma unroll
    for (int j = 0; j < C::n / 8; ++j) {
      const float2 b = reinterpret_cast<const float2*>(bias)[(split * C::n / 8 + j) * 4 + place.pair];
#pragma unroll
      for (int tile = 0; tile < C::tiles; ++tile) {
        const int y = tile / (C::out_width / kTile) * kTile + place.y,
                  x = tile % (C::out_width / kTile) * kTile + place.x;
        const int64_t plane = int64_t{patch} * (C::out / 8) + split * C::n / 8 + j;
        uint32_t* to =
            reinterpret_cast<uint32_t*>(out) + (plane * C::out_pixels + y * C::out_width + x) * 4 + place.pair;
        to[0] = activate(sums[tile][4 * j], sums[tile][4 * j + 1], b);
        to[C::out_width * 4] = activate(sums[tile][4 * j + 2], sums[tile][4 * j + 3], b);
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Layer 7 is a matrix product over whole pictures; its bias and the norm follow. A warp a descriptor.

__global__ void normalise(float* descriptors, int count, const float* bias, float epsilon) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= count) return;
  float4* at = reinterpret_cast<float4*>(descriptors + int64_t{row} * kDescriptor) + lane;
  const float4 b = reinterpret_cast<const float4*>(bias)[lane];
  float4 y = *at;
  y = make_float4(y.x + b.x, y.y + b.y, y.z + b.z, y.w + b.w);
  float sum = y.x * y.x + y.y * y.y + y.z * y.z + y.w * y.w;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  const float scale = 1 / sqrtf(sum + epsilon);
  *at = make_float4(y.x * scale, y.y * scale, y.z * scale, y.w * scale);
}

// Whether the code that runs is Hopper's own: a build for another architecture runs on a Hopper too, and computes
// nothing.
__global__ void probe(bool* own) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  *own = true;
#else
  *own = false;
#endif
}

template <typename Kernel>
void allow_shared(Kernel kernel, int bytes) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), "shared memory of a kernel");
}

void check_blas(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) fail("cuBLAS", cublasGetStatusString(status));
}

constexpr int64_t kWorkspace = 32 << 20;

template <typename T>
size_t bytes_of(int64_t count) {
  return static_cast<size_t>(count) * sizeof(T);
}

}  // namespace

struct Embedder::State {
  explicit State(int64_t chunk_)
      : chunk(chunk_),
        weights(bytes_of<bf16>(weight_count())),
        biases(bytes_of<float>(kL2NetLayers * kDescriptor)),
        even(bytes_of<bf16>(chunk * 32 * kPixels)),
        odd(bytes_of<bf16>(chunk * 16 * kPixels)),
        workspace(kWorkspace) {
    int device = 0;
    check(cudaGetDevice(&device), "current device");
    check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device), "multiprocessors");
    allow_shared(head, Head::shared_bytes);
    allow_shared(convolve<Layer3>, Layer3::shared_bytes);
    allow_shared(convolve<Layer4>, Layer4::shared_bytes);
    allow_shared(convolve<Layer5>, Layer5::shared_bytes);
    allow_shared(convolve<Layer6>, Layer6::shared_bytes);
    check(cudaMemset(weights.as<bf16>(), 0, bytes_of<bf16>(weight_count())), "clearing weights");
    check_blas(cublasCreate(&blas));
    bf16* next = weights.as<bf16>();
    for (int i = 0; i < kL2NetLayers; ++i) {
      const ConvLayer& layer = l2net().layers[static_cast<size_t>(i)];
      const int area = layer.kernel * layer.kernel;
      packed.layer[i] = {{},
                         next,
                         biases.as<float>() + i * kDescriptor,
                         layer.in_channels,
                         layer.out_channels,
                         area,
                         i == 5 ? Layer6::n : layer.out_channels};
      next += (i == 0 ? kFirstTaps : area) * layer.in_channels * layer.out_channels;
    }
    if (next != weights.as<bf16>() + weight_count()) fail("packed weights", "their places do not add up");
    check(cudaStreamSynchronize(nullptr), "clearing weights");  // other streams do not wait for this one
  }
  ~State() { cublasDestroy(blas); }

  static int64_t weight_count() { return l2net().weight_count() + (kFirstTaps - kTaps) * Head::channels; }

  template <typename C>
  void run(int layer, const bf16* in, int count, bf16* out, Stream stream) {
    const int blocks = processors / C::splits * C::splits;
    convolve<C><<<blocks, C::groups * kWarpgroup, C::shared_bytes, stream>>>(in, count, packed.layer[layer].packed,
                                                                             packed.layer[layer].bias, out);
    check_launch("a convolution");
  }

  int64_t chunk;
  int processors = 0;
  Buffer weights, biases;
  Buffer even, odd;  // activations, in turn
  Buffer workspace;
  cublasHandle_t blas = nullptr;
  PackedLayers packed{};
};

bool Embedder::available() {
  static const bool available = [] {
    int device = 0, major = 0;
    if (cudaGetDevice(&device) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess || major != 9) {
      return false;
    }
    Buffer answer(sizeof(bool));
    probe<<<1, 1>>>(answer.as<bool>());
    check_launch("a look at the chip");
    bool own = false;
    answer.download(&own, sizeof own);
    return own;
  }();
  return available;
}

Embedder::Embedder(int64_t chunk) : state_(std::make_unique<State>(chunk)) {}
Embedder::~Embedder() = default;

int64_t Embedder::bytes(int64_t chunk) { return chunk * (32 + 16) * kPixels * 2 + kWorkspace + (int64_t{4} << 20); }

void Embedder::refold(const std::array<FoldInput, kL2NetLayers>& layers, Stream stream) {
  for (int i = 0; i < kL2NetLayers; ++i) state_->packed.layer[i].input = layers[static_cast<size_t>(i)];
  fold<<<dim3(256, kL2NetLayers), 256, 0, stream>>>(state_->packed, static_cast<float>(l2net().batch_norm_epsilon));
  check_launch("folding of the weights");
}

void Embedder::embed(const uint8_t* patches, int64_t count, float* descriptors, Stream stream) {
  State& s = *state_;
  const PackedLayer* layer = s.packed.layer;
  bf16 *const even = s.even.as<bf16>(), *const odd = s.odd.as<bf16>();
  check_blas(cublasSetStream(s.blas, stream));
  check_blas(cublasSetWorkspace(s.blas, s.workspace.as<void>(), kWorkspace));  // which the call before takes away
  for (int64_t begin = 0; begin < count; begin += s.chunk) {
    const int length = static_cast<int>(std::min(s.chunk, count - begin));
    head<<<std::min(length, 2 * s.processors), Head::groups * kWarpgroup, Head::shared_bytes, stream>>>(
        patches + begin * kPixels, length, static_cast<float>(l2net().input_epsilon), layer[0].packed, layer[0].bias,
        layer[1].packed, layer[1].bias, even);
    check_launch("the first two layers");
    s.run<Layer3>(2, even, length, odd, stream);
    s.run<Layer4>(3, odd, length, even, stream);
    s.run<Layer5>(4, even, length, odd, stream);
    s.run<Layer6>(5, odd, length, even, stream);
    const float one = 1, zero = 0;
    const int fan_in = layer[6].area * layer[6].in;
    float* out = descriptors + begin * kDescriptor;
    check_blas(cublasGemmEx(s.blas, CUBLAS_OP_T, CUBLAS_OP_N, kDescriptor, length, fan_in, &one, layer[6].packed,
                            CUDA_R_16BF, fan_in, even, CUDA_R_16BF, fan_in, &zero, out, CUDA_R_32F, kDescriptor,
                            CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
    normalise<<<(length + 7) / 8, 256, 0, stream>>>(out, length, layer[6].bias,
                                                    static_cast<float>(l2net().output_epsilon));
    check_launch("normalisation of descriptors");
  }
}

}  // namespace adasample::gpu
