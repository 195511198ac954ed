// SPDX-License-Identifier: Apache-2.0
// Hopper's warpgroup matrix products, as thin as they come: D (64 x N, fp32, in registers) += A (64 x 16) * B (16 x N),
// bf16, both operands in shared memory in the layout without swizzle.
//
// That layout is what makes a convolution easy. An operand is a grid of "core matrices", 8 rows of 16 bytes (8
// channels) that lie one after the other, 128 bytes in all; a descriptor names the first one and the two strides to the
// next along K and along the rows. A picture stored as [8 channels][pixel][16 bytes] has 8 pixels of an image row in
// each core matrix, wherever the row starts: the window of a tap is a pointer shift, and a tile of 8 x 8 pixels has the
// stride of one image row.
#pragma once

#include <cuda_bf16.h>

#include <cstdint>

// Other architectures compile the kernels that use this too, but must not run them (Embedder::available).
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define ADA_HOPPER(...) asm volatile(__VA_ARGS__)
#else
#define ADA_HOPPER(...) __trap()
#endif

namespace adasample::gpu {

inline constexpr int kWarpgroup = 128;  // threads

__device__ inline uint32_t shared_address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

// `along_k`, `along_rows`: bytes from a core matrix to the next.
__device__ inline uint64_t operand(uint32_t address, uint32_t along_k, uint32_t along_rows) {
  return static_cast<uint64_t>((address & 0x3FFFF) >> 4) | static_cast<uint64_t>(along_k >> 4) << 16 |
         static_cast<uint64_t>(along_rows >> 4) << 32;
}

// An operand `bytes` further on.
__device__ inline uint64_t shifted(uint64_t descriptor, int bytes) {
  return descriptor + static_cast<uint64_t>(bytes >> 4);
}

// The same number, of which the compiler knows nothing: operands shifted from it are computed where they are used, and
// not all of them kept in registers.
__device__ inline uint64_t opaque(uint64_t descriptor) {
  asm volatile("" : "+l"(descriptor));
  return descriptor;
}

// Which warpgroup of the block this is, known to be the same for a warp: wgmma must not look divergent.
__device__ inline int warpgroup_index() { return __shfl_sync(~0u, static_cast<int>(threadIdx.x) / kWarpgroup, 0); }

__device__ inline void wgmma_fence() { ADA_HOPPER("wgmma.fence.sync.aligned;\n" ::: "memory"); }
__device__ inline void wgmma_commit() { ADA_HOPPER("wgmma.commit_group.sync.aligned;\n" ::: "memory"); }
// Until at most `Pending` of the committed groups are still running.
template <int Pending>
__device__ void wgmma_wait() {
  ADA_HOPPER("wgmma.wait_group.sync.aligned %0;\n" ::"n"(Pending) : "memory");
}

// Shared memory written by ordinary stores becomes visible to wgmma.
__device__ inline void fence_for_wgmma() { ADA_HOPPER("fence.proxy.async.shared::cta;\n" ::: "memory"); }

// Of the 128 threads of one warpgroup; 0 is __syncthreads' own barrier.
__device__ inline void warpgroup_barrier(int warpgroup) {
  ADA_HOPPER("bar.sync %0, %1;\n" ::"r"(warpgroup + 1), "n"(kWarpgroup) : "memory");
}

__device__ inline void copy_async(uint32_t to, const void* from) {
  ADA_HOPPER("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(from) : "memory");
}
__device__ inline void copy_async_commit() { ADA_HOPPER("cp.async.commit_group;\n" ::: "memory"); }
template <int Pending>
__device__ void copy_async_wait() {
  ADA_HOPPER("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
}

// Thread t of a warpgroup holds rows (t / 32) * 16 + t % 32 / 4 and that + 8; of each, columns 8 j + 2 (t % 4) and the
// next: d[4 j], d[4 j + 1] of the first row, d[4 j + 2], d[4 j + 3] of the second.
template <int N>
__device__ void wgmma(float (&d)[N / 2], uint64_t a, uint64_t b);

#define ADA_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define ADA_D16(i) ADA_D4(i), ADA_D4(i + 4), ADA_D4(i + 8), ADA_D4(i + 12)

template <>
__device__ inline void wgmma<32>(float (&d)[16], uint64_t a, uint64_t b) {
  ADA_HOPPER(
      "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
      "%16, %17, p, 1, 1, 0, 0;\n}\n"
      : ADA_D16(0)
      : "l"(a), "l"(b));
}

template <>
__device__ inline void wgmma<64>(float (&d)[32], uint64_t a, uint64_t b) {
  ADA_HOPPER(
      "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, p, 1, 1, 0, 0;\n}\n"
      : ADA_D16(0), ADA_D16(16)
      : "l"(a), "l"(b));
}

template <>
__device__ inline void wgmma<128>(float (&d)[64], uint64_t a, uint64_t b) {
  ADA_HOPPER(
      "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
      "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,"
      "%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, %64, %65, p, 1, 1, 0, 0;\n}\n"
      : ADA_D16(0), ADA_D16(16), ADA_D16(32), ADA_D16(48)
      : "l"(a), "l"(b));
}

// A from registers: a[0], a[1] are columns 2 (t % 4) and the next of the thread's two rows, a[2], a[3] those 8 further.
__device__ inline void wgmma32_registers(float (&d)[16], const uint32_t (&a)[4], uint64_t b) {
  ADA_HOPPER(
      "{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
      "{%16,%17,%18,%19}, %20, p, 1, 1, 0;\n}\n"
      : ADA_D16(0)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

#undef ADA_HOPPER
#undef ADA_D16
#undef ADA_D4

__device__ inline uint32_t pack_bf16(float low, float high) {
  const __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
  return *reinterpret_cast<const uint32_t*>(&pair);
}

}  // namespace adasample::gpu
