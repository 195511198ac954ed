// SPDX-License-Identifier: Apache-2.0
// transforms.h written out for vectors, floats and 16-bit integers alike.
#if defined(ADASAMPLE_ENGINE_SIMD_TRANSFORMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ADASAMPLE_ENGINE_SIMD_TRANSFORMS_INL_H
#undef ADASAMPLE_ENGINE_SIMD_TRANSFORMS_INL_H
#else
#define ADASAMPLE_ENGINE_SIMD_TRANSFORMS_INL_H
#endif

#include <hwy/highway.h>

#include "adasample/engine/simd/transforms.h"

HWY_BEFORE_NAMESPACE();
namespace adasample::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// y + 2^shift x and y - 2^shift x
template <int shift, class D, class V = hn::Vec<D>>
HWY_INLINE V add_times(D d, V x, V y) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::MulAdd(hn::Set(d, static_cast<float>(1 << shift)), x, y);
  } else {
    return hn::Add(y, hn::ShiftLeft<shift>(x));
  }
}
template <int shift, class D, class V = hn::Vec<D>>
HWY_INLINE V sub_times(D d, V x, V y) {
  if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
    return hn::NegMulAdd(hn::Set(d, static_cast<float>(1 << shift)), x, y);
  } else {
    return hn::Sub(y, hn::ShiftLeft<shift>(x));
  }
}

struct Stride1 {
  static constexpr int kPoints = kStride1.points, kStep = kStride1.step, kOne = 1;

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void input(D d, const V* x, V* t) {
    const V r = hn::Sub(x[4], x[2]), u = hn::Sub(x[3], x[1]);
    const V p = sub_times<2>(d, x[2], x[4]), q = sub_times<2>(d, x[1], x[3]);
    t[0] = add_times<2>(d, hn::Sub(x[0], x[2]), r);
    t[1] = hn::Add(p, q);
    t[2] = hn::Sub(p, q);
    t[3] = add_times<1>(d, u, r);
    t[4] = sub_times<1>(d, u, r);
    t[5] = sub_times<2>(d, u, hn::Sub(x[5], x[3]));
  }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void output(D d, const V* m, V* y) {
    const V s = hn::Add(m[1], m[2]), t = hn::Sub(m[1], m[2]), u = hn::Add(m[3], m[4]), v = hn::Sub(m[3], m[4]);
    y[0] = hn::Add(hn::Add(m[0], s), u);
    y[1] = add_times<1>(d, v, t);
    y[2] = add_times<2>(d, u, s);
    y[3] = add_times<3>(d, v, hn::Add(t, m[5]));
  }
};

struct Stride2 {
  static constexpr int kPoints = kStride2.points, kStep = kStride2.step, kOne = 1;

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void input(D d, const V* x, V* t) {
    const V u = hn::Sub(x[6], x[2]), v = hn::Sub(x[6], x[4]);
    t[0] = add_times<1>(d, hn::Sub(x[0], x[4]), u);
    t[1] = sub_times<1>(d, x[2], v);
    t[2] = add_times<1>(d, hn::Sub(x[2], x[4]), v);
    t[3] = u;
    t[4] = sub_times<1>(d, u, hn::Sub(x[8], x[4]));
    t[5] = x[1];
    t[6] = x[3];
    t[7] = x[5];
    t[8] = x[7];
  }

  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE void output(D d, const V* m, V* y) {
    const V s = hn::Add(m[1], m[2]), t = hn::Sub(m[1], m[2]);
    y[0] = hn::Add(hn::Add(m[0], s), hn::Add(m[3], m[5]));
    y[1] = add_times<1>(d, m[3], hn::Add(t, m[6]));
    y[2] = add_times<2>(d, m[3], hn::Add(s, m[7]));
    y[3] = add_times<3>(d, m[3], hn::Add(hn::Add(t, m[4]), m[8]));
  }
};

}  // namespace adasample::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
