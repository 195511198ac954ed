// SPDX-License-Identifier: Apache-2.0
#include "adasample/train/pass/kernels.h"

#include <cstdlib>
#include <string_view>

#include "adasample/train/pass/convolution.h"
#include "adasample/train/pass/last_layer.h"

namespace adasample::pass {
namespace {

// The kernels for a machine: vectors V, and an attribute that lets the compiler use its instructions.
#define ADA_KERNELS(machine, V, attribute)                                                                            \
  namespace machine {                                                                                                 \
  attribute void forward(const Forward& f, int64_t first, int count, const Scratch& s, double* moments) {             \
    if (f.layer.stride == 1) {                                                                                        \
      convolve<V, Stride1>(f, first, count, s, moments);                                                              \
    } else {                                                                                                          \
      convolve<V, Stride2>(f, first, count, s, moments);                                                              \
    }                                                                                                                 \
  }                                                                                                                   \
  attribute void backward(const Backward& b, int64_t first, int count, const Scratch& s, float* points, double* m) {  \
    if (b.layer.stride == 1) {                                                                                        \
      convolve_back<V, Stride1>(b, first, count, s, points, m);                                                       \
    } else {                                                                                                          \
      convolve_back<V, Stride2>(b, first, count, s, points, m);                                                       \
    }                                                                                                                 \
  }                                                                                                                   \
  attribute void last_forward(const Last& l, int64_t first, int count, const Scratch& s) {                            \
    last_layer<V>(l, first, count, s);                                                                                \
  }                                                                                                                   \
  attribute void last_backward(const Last& l, int64_t first, int count, const Scratch& s, float* points, double* m) { \
    last_layer_back<V>(l, first, count, s, points, m);                                                                \
  }                                                                                                                   \
  attribute void image_moments(const float* image, double* moments) { add_image_moments<V>(image, moments); }         \
  constexpr Kernels kKernels = {forward, backward, last_forward, last_backward, image_moments};                       \
  }

ADA_KERNELS(any, Lanes8, )
#ifdef __x86_64__
ADA_KERNELS(avx2, Lanes8, __attribute__((target("avx2,fma"))))
ADA_KERNELS(avx512, Lanes16, __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,fma"))))
#else
namespace avx2 = any;
namespace avx512 = any;
#endif
#undef ADA_KERNELS

Machine processor() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    return Machine::kAvx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Machine::kAvx2;
#endif
  return Machine::kAny;
}

}  // namespace

Machine machine_here() {
  const Machine best = processor();
  const auto said = [](const char* variable) {
    const char* value = std::getenv(variable);
    return std::string_view(value == nullptr ? "" : value);
  };
  const std::string_view engines = said("ADASAMPLE_MAX_ISA"), onednn = said("ONEDNN_MAX_CPU_ISA");
  if (engines == "sse4" || onednn == "SSE41" || onednn == "AVX") return Machine::kAny;
  if (best == Machine::kAvx512 && (engines == "avx2" || onednn.starts_with("AVX2"))) return Machine::kAvx2;
  return best;
}

std::string to_string(Machine machine) {
  return machine == Machine::kAvx512 ? "avx512" : machine == Machine::kAvx2 ? "avx2" : "any";
}

const Kernels& kernels(Machine machine) {
  return machine == Machine::kAvx512 ? avx512::kKernels : machine == Machine::kAvx2 ? avx2::kKernels : any::kKernels;
}

}  // namespace adasample::pass
