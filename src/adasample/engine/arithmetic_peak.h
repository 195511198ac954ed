// SPDX-License-Identifier: Apache-2.0
// What this machine's cores can do at most, measured: the ceiling that a rate of arithmetic is to be seen under.
#pragma once

namespace adasample {

// FLOP/s in fp32 of thread_count() threads at once, a multiply-add counting as two: independent chains of them in
// registers, in the widest vectors that the CPU has. The best of three tries of `seconds` each; a busy machine has
// less.
double measure_fp32_peak(double seconds = 0.05);

}  // namespace adasample
