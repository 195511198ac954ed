// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace adasample {

// Beyond `ulimit -f` the kernel sends SIGXFSZ, which ends the process, before write(2) may fail with EFBIG. To be
// called by who writes files, and not in main(), so that a program that embeds us gets its Error too; a handler of its
// own is kept.
void ignore_file_size_signal();

}  // namespace adasample
