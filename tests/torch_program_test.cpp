// SPDX-License-Identifier: Apache-2.0
// What the program that has LibTorch is started with by the one that has not.
#include "tests/support/program.h"

namespace adasample {
namespace {

class TorchProgram : public testing::ProgramTest {
 protected:
  // libgomp shows what it has read when it is loaded; the program with LibTorch is loaded last.
  std::string shown(const std::string& variables) const {
    const std::string said = run("train --data nowhere --out r", "OMP_DISPLAY_ENV=verbose " + variables).err;
    const size_t at = said.rfind("GOMP_SPINCOUNT = '");
    return at == std::string::npos ? "" : said.substr(at, said.find('\n', at) - at);
  }
};

TEST_F(TorchProgram, OpenMPsThreadsDoNotWaitOnCoresThatOthersNeed) {
  EXPECT_EQ(shown("env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT"), "GOMP_SPINCOUNT = '10000'");
  EXPECT_EQ(shown("env -u OMP_WAIT_POLICY GOMP_SPINCOUNT=7"), "GOMP_SPINCOUNT = '7'");
  EXPECT_EQ(shown("env -u GOMP_SPINCOUNT OMP_WAIT_POLICY=passive"), "GOMP_SPINCOUNT = '0'");
}

}  // namespace
}  // namespace adasample
