// SPDX-License-Identifier: Apache-2.0
#include "adasample/sampler/tensor_rng.h"

namespace adasample {
namespace {

// int64 multiplication and addition wrap like uint64's; the right shift has to be made logical.
at::Tensor shift_right(const at::Tensor& x, int bits) {
  return x.bitwise_right_shift(bits).bitwise_and((int64_t{1} << (64 - bits)) - 1);
}

int64_t as_signed(uint64_t x) { return static_cast<int64_t>(x); }

at::Tensor mix64(at::Tensor x) {
  x = x.bitwise_xor(shift_right(x, 30)) * as_signed(kMixA);
  x = x.bitwise_xor(shift_right(x, 27)) * as_signed(kMixB);
  return x.bitwise_xor(shift_right(x, 31));
}

}  // namespace

at::Tensor absorb(const at::Tensor& state, const at::Tensor& word) {
  return mix64((state + as_signed(kRngGolden)).bitwise_xor(word * as_signed(kRngOdd)));
}

at::Tensor uniform(uint64_t seed, Draw draw, const at::Tensor& iteration, const at::Tensor& classes) {
  const at::Tensor key = at::full({}, as_signed(RngKey(seed, draw).bits()), iteration.options());
  const at::Tensor bits = absorb(absorb(key, iteration), classes);
  return shift_right(bits, 11).to(at::kDouble) * 0x1.0p-53;
}

}  // namespace adasample
