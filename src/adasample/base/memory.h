// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasample {

// Tells malloc to keep freed memory for the next iteration instead of handing it back to the kernel. A training step
// frees and asks again for hundreds of megabytes; clearing those pages anew costs a third of the step
// (bench/README.md). glibc only.
void keep_freed_memory();

}  // namespace adasample
