// SPDX-License-Identifier: Apache-2.0
// Whatever happens to the process that reads an .h5 file, whoever asked gets one line: with a worker that misbehaves on
// demand (support/hdf5_child.cpp), and with files on which HDF5 1.10.8 does.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

#include "adasample/base/files/file_io.h"
#include "adasample/integrate/hloc/hdf5/hloc_worker.h"
#include "adasample/integrate/hloc/hloc_h5.h"
#include "tests/support/expect_error.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

using testing::expect_error;

class Hdf5Worker : public ::testing::Test {
 protected:
  void SetUp() override { write_file_atomically(path_, "any content"); }

  KeypointReader open(int seconds = 60) const {
    return open_hloc_keypoints(path_, {.seconds = seconds, .megabytes = 256, .program = ADASAMPLE_HDF5_CHILD});
  }

  testing::TempFolder folder_;
  std::filesystem::path path_ = folder_ / "f.h5";
};

TEST_F(Hdf5Worker, GoodAnswersCome) {
  const KeypointReader reader = open();
  for (int i = 0; i < 3; ++i) {
    const GivenKeypoints found = reader("good");
    ASSERT_EQ(found.keypoints.size(), 2u);
    EXPECT_EQ(found.keypoints[1].x, 3);
    EXPECT_EQ(found.keypoints[1].sigma, 6);
    EXPECT_TRUE(found.scaled && !found.oriented);
    EXPECT_TRUE(reader("unknown").keypoints.empty());
    expect_error([&] { reader("error"); }, "f.h5: a line of its own");  // and the worker lives on
  }
}

TEST_F(Hdf5Worker, ACrashIsALine) {
  const KeypointReader reader = open();
  expect_error([&] { reader("crash"); }, "[hloc]", "f.h5: HDF5 crashed on it (Aborted): the file is damaged");
  expect_error([&] { reader("good"); }, "f.h5: adasample-hdf5 ended before it had read it");
  expect_error([&] { open()("exit"); }, "f.h5: adasample-hdf5 ended before it had read it");
}

TEST_F(Hdf5Worker, AHangEnds) {
  expect_error([&] { open(1)("hang"); }, "f.h5: HDF5 did not come to an end in 1 s");
}

TEST_F(Hdf5Worker, MemoryIsBounded) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take terabytes of address space";
#endif
  const KeypointReader reader = open();
  expect_error([&] { reader("memory"); }, "f.h5: asks for more memory");
  EXPECT_EQ(reader("good").keypoints.size(), 2u);
}

TEST_F(Hdf5Worker, ItsAnswersAreNotBelieved) {
  expect_error([&] { open()("many"); }, "f.h5: adasample-hdf5 answered what it never should");
  expect_error([&] { open()("odd"); }, "answered what it never should");
  expect_error([&] { open()("nan"); }, "f.h5: nan: keypoint 0", "nan");
}

// Before the protocol had a number, a worker ended with 2 unless it had three arguments; later ones compare the number.
TEST_F(Hdf5Worker, AWorkerOfAnotherVersionIsALine) {
  const std::filesystem::path old = folder_ / "old";
  write_file_atomically(old, "#!/bin/sh\n[ $# -eq 3 ] || exit 2\nsleep 100\n");
  std::filesystem::permissions(old, std::filesystem::perms::owner_all);
  expect_error([&] { open_hloc_keypoints(path_, {.program = old}); }, "old: expected a program of the same version",
               "install both");
  const auto code_of = [&](const std::string& arguments) {
    return std::system((std::string(ADASAMPLE_HDF5_CHILD) + " " + arguments + " </dev/null").c_str()) / 256;
  };
  EXPECT_EQ(code_of("f.h5 1 100"), kOtherProtocol);
  EXPECT_EQ(code_of(fmt::format("f.h5 1 100 {}", kWorkerProtocol + 1)), kOtherProtocol);
  EXPECT_EQ(code_of(fmt::format("f.h5 1 100 {}", kWorkerProtocol)), 0);
}

TEST_F(Hdf5Worker, NamesAndProgramsThatCannotBeAreNamed) {
  expect_error([&] { open()(std::string(5000, 'x')); }, "a name of at most 4096 bytes");
  expect_error([&] { open_hloc_keypoints(path_, {.program = folder_ / "none"}); }, "none: cannot be started",
               "No such file");
}

}  // namespace
}  // namespace adasample
