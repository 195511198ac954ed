// SPDX-License-Identifier: Apache-2.0
#include "adasample/integrate/hloc/hloc_h5.h"

#include <gtest/gtest.h>

#include "tests/support/expect_error.h"

namespace adasample {
namespace {

TEST(HlocH5, SaysThatItWasBuiltWithoutHdf5) {
  EXPECT_FALSE(have_hdf5());
  const auto refuses = [](const auto& call) {
    testing::expect_error(call, "[hloc] a.h5", "needs HDF5", "ADASAMPLE_HDF5");
  };
  refuses([] { make_hloc_writer("a.h5", 128, NumberType::kFloat32); });
  refuses([] { open_hloc_keypoints("a.h5"); });
  refuses([] { open_hloc_keypoints({}, "a.h5"); });
}

}  // namespace
}  // namespace adasample
