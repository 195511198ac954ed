// SPDX-License-Identifier: Apache-2.0
// Which of a machine's vector instructions our kernels may use: the best it has, or what ADASAMPLE_MAX_ISA allows.
#pragma once

#include <string>
#include <string_view>

namespace adasample {

// Of that setting, in words; empty: none.
std::string problem_of_instruction_set();

// Whether kernels for `name` ("avx512_vnni", "avx512", "avx2", "sse4" or "neon") may run as far as the setting goes. A
// setting that names none of them is as good as none.
bool allows_instruction_set(std::string_view name);

}  // namespace adasample
