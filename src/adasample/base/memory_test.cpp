// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdlib>

namespace adasample {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOwnMalloc = true;  // sanitizers bring their own
#else
constexpr bool kOwnMalloc = false;
#endif

TEST(Memory, LargeBlocksComeFromTheHeapAndStayThere) {
  if (kOwnMalloc) GTEST_SKIP() << "the sanitizer has its own malloc";
  keep_freed_memory();
  const auto before = mallinfo2();
  void* block = std::malloc(size_t{64} << 20);
  ASSERT_NE(block, nullptr);
  EXPECT_EQ(mallinfo2().hblks, before.hblks) << "not mapped on its own";
  std::free(block);
  EXPECT_GE(mallinfo2().arena, size_t{64} << 20) << "not handed back";
}

}  // namespace
}  // namespace adasample
