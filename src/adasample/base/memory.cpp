// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/memory.h"

#include <cstdlib>  // defines __GLIBC__ where that is the library

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace adasample {

void keep_freed_memory() {
#if defined(__GLIBC__)
  mallopt(M_MMAP_MAX, 0);                 // everything from the heap
  mallopt(M_TRIM_THRESHOLD, 2147483647);  // which is not shrunk
  mallopt(M_TOP_PAD, 256 << 20);          // and grows in large steps
#endif
}

}  // namespace adasample
