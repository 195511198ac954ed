// SPDX-License-Identifier: Apache-2.0
#include "adasample/base/files/mapping_guard.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/base/files/mapped_file.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

size_t page() { return static_cast<size_t>(::sysconf(_SC_PAGESIZE)); }

// 16 pages of 'x'.
class MappingGuardTest : public ::testing::Test {
 protected:
  MappingGuardTest() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a fresh process: the handler is installed once in each
    write_file_atomically(path_, std::string(16 * page(), 'x'));
  }

  void cut(size_t size) const { fs::resize_file(path_, size); }

  static int64_t zeros(const MappedFile& file) { return std::count(file.bytes().begin(), file.bytes().end(), 0); }

  // Faults in a mapping that is none of ours.
  void fault_elsewhere() const {
    const int fd = ::open(path_.c_str(), O_RDONLY);
    const auto* bytes = static_cast<const volatile uint8_t*>(::mmap(nullptr, page(), PROT_READ, MAP_SHARED, fd, 0));
    cut(0);
    static_cast<void>(bytes[0]);
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "f";
};

using MappingGuardDeathTest = MappingGuardTest;

TEST_F(MappingGuardDeathTest, ByDefaultOneLineAndExitCode1) {
  const auto read_on = [&] {
    const MappedFile file(path_);
    cut(page());
    std::exit(zeros(file) > 0 ? 7 : 8);
  };
  EXPECT_EXIT(read_on(), ::testing::ExitedWithCode(1),
              "^adasample: \\[file\\] .*/f: was truncated or became unreadable while in use\n$");
}

TEST_F(MappingGuardDeathTest, ASignalThatIsNotOursKeepsItsDefault) {
  const auto fault = [&] {
    std::signal(SIGBUS, SIG_DFL);  // a sanitizer has its own
    const MappedFile file(path_);
    fault_elsewhere();
  };
  EXPECT_EXIT(fault(), ::testing::KilledBySignal(SIGBUS), "^$");
  const auto send = [&] {
    std::signal(SIGBUS, SIG_DFL);
    const MappedFile file(path_);
    ::raise(SIGBUS);
  };
  EXPECT_EXIT(send(), ::testing::KilledBySignal(SIGBUS), "^$");
}

TEST_F(MappingGuardDeathTest, AProgramThatEmbedsUsKeepsItsHandler) {
  const auto plain = [&] {
    std::signal(SIGBUS, [](int) { ::_exit(42); });
    const MappedFile file(path_);
    fault_elsewhere();
  };
  EXPECT_EXIT(plain(), ::testing::ExitedWithCode(42), "");
  const auto with_address = [&] {
    struct sigaction theirs {};
    theirs.sa_flags = SA_SIGINFO;
    theirs.sa_sigaction = [](int, siginfo_t* info, void*) { ::_exit(info->si_addr != nullptr ? 43 : 44); };
    ::sigaction(SIGBUS, &theirs, nullptr);
    const MappedFile file(path_);
    fault_elsewhere();
  };
  EXPECT_EXIT(with_address(), ::testing::ExitedWithCode(43), "");
  const auto ignored = [&] {
    std::signal(SIGBUS, SIG_IGN);
    const MappedFile file(path_);
    ::raise(SIGBUS);
    std::exit(45);
  };
  EXPECT_EXIT(ignored(), ::testing::ExitedWithCode(45), "");
}

TEST_F(MappingGuardTest, AToleratedLossReadsAsZerosAndIsKnown) {
  MappedFile file(path_, OnLoss::kTolerate);
  EXPECT_EQ(zeros(file), 0);
  EXPECT_FALSE(file.lost());
  cut(8 * page());
  EXPECT_FALSE(file.known_lost());  // nobody has looked
  EXPECT_TRUE(file.lost());
  const MappedFile moved = std::move(file);
  EXPECT_GT(zeros(moved), 0);
  EXPECT_TRUE(moved.known_lost());
  EXPECT_TRUE(moved.lost());
  cut(16 * page());
  EXPECT_TRUE(moved.lost());  // and stays so
}

// Behind the end of a file its last page reads as zeros, without a fault.
TEST_F(MappingGuardTest, ACutWithinThePageIsKnownByTheSize) {
  const MappedFile file(path_, OnLoss::kTolerate);
  cut(16 * page() - 100);
  EXPECT_EQ(zeros(file), 100);
  EXPECT_FALSE(file.known_lost());
  EXPECT_TRUE(file.lost());
}

TEST_F(MappingGuardTest, AReplacedFileIsNotLost) {
  const MappedFile file(path_, OnLoss::kTolerate);
  write_file_atomically(path_, "short");
  EXPECT_EQ(zeros(file), 0);
  EXPECT_FALSE(file.lost());
}

TEST_F(MappingGuardTest, ManyThreadsMayFaultAtOnce) {
  for (int round = 0; round < 20; ++round) {
    write_file_atomically(path_, std::string(16 * page(), 'x'));
    const MappedFile file(path_, OnLoss::kTolerate);
    cut(0);
    std::vector<std::thread> threads;
    std::atomic<int> unnoticed{0};
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        if (file.bytes()[t * page()] == 0 && !file.known_lost()) ++unnoticed;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(unnoticed, 0);
    EXPECT_EQ(zeros(file), static_cast<int64_t>(16 * page()));
  }
}

// The table fills up, the next guard does nothing, and slots come free again.
TEST_F(MappingGuardTest, TheTableMayOverflow) {
  const std::vector<uint8_t> memory(64);
  {
    std::deque<MappingGuard> guards;
    for (size_t i = 0; i <= MappingGuard::kGuards; ++i) guards.emplace_back(memory, "m", OnLoss::kExit);
    const MappedFile whole(path_);
    EXPECT_EQ(zeros(whole), 0);
  }
  const MappedFile file(path_, OnLoss::kTolerate);
  cut(0);
  EXPECT_EQ(zeros(file), static_cast<int64_t>(16 * page()));
  EXPECT_TRUE(file.known_lost());
}

}  // namespace
}  // namespace adasample
