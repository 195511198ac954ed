// SPDX-License-Identifier: Apache-2.0
// Every call that changes a file fails once, and the process dies once before each and in the middle of each write:
// under the final name stands what was there or what was to come, whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "adasample/data/doctor/doctor.h"
#include "adasample/data/patch_store.h"
#include "adasample/train/run/checkpoint_store.h"
#include "tests/support/fault_content.h"
#include "tests/support/fault_run.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::fault_content;
using testing::FaultRun;

constexpr int kKilled = 128 + SIGKILL;

int64_t entries(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

class FaultTest : public ::testing::Test {
 protected:
  // Runs fault_child on folder/out; faults meet everything below the folder, and the folder itself.
  FaultRun run(const std::string& what, const std::string& fault = "") {
    return testing::run_with_fault(command(what), fault, part_);
  }
  int count(const std::string& what, const std::string& kind) {
    const int calls = testing::count_calls(command(what), kind, part_);
    reset();
    return calls;
  }
  void reset() {
    remove_tree(folder_ / "d");
    fs::create_directory(folder_ / "d");
  }

  // `reset_to` makes the folder as it is before, `check(new?)` looks at it after.
  template <typename Reset, typename Check>
  void fail_every_call(const std::string& what, Reset&& reset_to, Check&& check) {
    const int calls = count(what, "any");
    ASSERT_GT(calls, 4);
    std::printf("%d calls\n", calls);
    for (int i = 1; i <= calls; ++i) {
      for (const char* error : {"EIO@{0}-{0}", "ENOSPC@{0}", "KILL@{0}", "KILL_HALF@{0}"}) {
        const std::string fault = "any:" + fmt::format(fmt::runtime(error), i);
        SCOPED_TRACE(fault);
        reset_to();
        const FaultRun failed = run(what, fault);
        const bool killed = fault.find("KILL") != std::string::npos;
        EXPECT_EQ(failed.code, killed ? kKilled : 1) << failed.out;  // no failure is passed over
        EXPECT_EQ(std::count(failed.out.begin(), failed.out.end(), '\n'), killed ? 0 : 1) << failed.out;
        if (fault.find("ENOSPC") != std::string::npos) {
          EXPECT_NE(failed.out.find("the disk is full"), std::string::npos) << failed.out;
        }
        check(killed);
      }
    }
  }

  std::vector<std::string> command(const std::string& what) const {
    return {ADASAMPLE_FAULT_CHILD, what, path_.string()};
  }

  testing::TempFolder folder_;
  std::string part_ = folder_.path().filename().string() + "/d";
  fs::path path_ = folder_ / "d/out";
};

TEST_F(FaultTest, AFileIsTheOldOneOrTheNewOne) {
  reset();
  const auto old = [&] {
    reset();
    write_file_atomically(path_, "old");
  };
  fail_every_call("file", old, [&](bool killed) {
    const std::string content = read_text(path_);
    EXPECT_TRUE(content == "old" || content == fault_content()) << content.size();
    EXPECT_TRUE(killed || entries(folder_ / "d") == 1);
    ASSERT_EQ(run("file").code, 0);
    EXPECT_TRUE(read_text(path_) == fault_content());
    EXPECT_EQ(entries(folder_ / "d"), 1);
  });
}

TEST_F(FaultTest, AStoreIsAbsentOrComplete) {
  reset();
  ASSERT_EQ(run("store").code, 0);
  const std::string sha256 = PatchStore::open(path_).fingerprint();
  const auto expect_whole = [&] { EXPECT_EQ(store_fingerprint(path_), sha256); };
  reset();
  fail_every_call(
      "store", [&] { reset(); },
      [&](bool killed) {
        const bool there = fs::exists(path_);
        if (there) expect_whole();
        EXPECT_TRUE(killed || entries(folder_ / "d") == (there ? 1 : 0));
        if (there) remove_tree(path_);
        ASSERT_EQ(run("store").code, 0);
        expect_whole();
        EXPECT_EQ(entries(folder_ / "d"), 1);  // what the killed one left is gone
      });
}

// The last checkpoint is never lost, also where names cannot be exchanged, and also when the recovery dies.
TEST_F(FaultTest, ACheckpointIsReplacedAndNeverLost) {
  const auto restore = [&] {
    reset();
    CheckpointStore store(path_);
    store.write(testing::fault_checkpoint(/*best=*/-1), [] {});
    store.wait();
  };
  for (const std::string plain : {"", "+PLAIN"}) {
    restore();
    ASSERT_EQ(run("checkpoint", "change:SLEEP0" + plain).code, 0);
    EXPECT_EQ(CheckpointStore(path_).newest()->state.best_iteration, 5);
    restore();
    const int calls = testing::count_calls(command("checkpoint"), "change", part_);
    ASSERT_GT(calls, 10);
    for (int i = 1; i <= calls + 3; ++i) {
      SCOPED_TRACE(fmt::format("killed before call {}{}", i, plain));
      restore();
      const int code = run("checkpoint", fmt::format("change:KILL@{}{}", i, plain)).code;
      if (code == 0) break;  // it makes no more calls
      EXPECT_EQ(code, kKilled);
      run("checkpoint", "change:KILL@1" + plain);  // whatever it recovers is cut short
      CheckpointStore store(path_);
      const std::optional<Checkpoint> newest = store.newest();
      ASSERT_TRUE(newest.has_value());
      EXPECT_EQ(newest->state.iteration, 5);
      EXPECT_EQ(entries(path_), 1) << "what was left over is gone";
    }
  }
}

TEST_F(FaultTest, WhereFilesCannotBeLockedTheyAreStillWritten) {
  reset();
  const FaultRun done = run("file", "flock:ENOLCK@1");
  EXPECT_EQ(done.code, 0) << done.out;
  EXPECT_TRUE(read_text(path_) == fault_content());
}

// Between the look and the rename somebody makes the name: where names cannot be refused it is seen before.
TEST_F(FaultTest, AFolderDoesNotReplaceWhatIsThere) {
  reset();
  EXPECT_EQ(run("folder", "rename:SLEEP0+PLAIN").code, 0);
  EXPECT_EQ(run("folder", "rename:SLEEP0+PLAIN").code, 1);
}

// All fsyncs but that of the folder above come before the rename.
TEST_F(FaultTest, NothingIsRenamedBeforeItIsOnDisk) {
  for (const std::string what : {"file", "store"}) {
    reset();
    const int syncs = count(what, "fsync");
    ASSERT_GE(syncs, 2);
    EXPECT_EQ(run(what, fmt::format("fsync:KILL@{}", syncs - 1)).code, kKilled);
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_EQ(run(what, fmt::format("fsync:KILL@{}", syncs)).code, kKilled);
    EXPECT_TRUE(fs::exists(path_));
  }
}

// d/new is made: d. Before the rename: the file, its folder, the folder above. After it: d/new.
TEST_F(FaultTest, AFolderIsSyncedWithAllThatIsInIt) {
  reset();
  path_ = folder_ / "d/new/out";
  EXPECT_EQ(count("folder", "fsync"), 5);
  EXPECT_EQ(run("folder", "fsync:KILL@5").code, kKilled);
  EXPECT_EQ(read_text(path_ / "sub/f"), "not by FileWriter");
}

TEST_F(FaultTest, ShortAndInterruptedWritesAreContinued) {
  for (const std::string fault : {"write:short", "write:EINTR@1-50", "fsync:EINTR@1-9", "write:short+EINTR@5-7"}) {
    SCOPED_TRACE(fault);
    reset();
    write_file_atomically(path_, "old");
    const FaultRun done = run("append", fault);
    EXPECT_EQ(done.code, 0) << done.out;
    EXPECT_TRUE(read_text(path_) == "OLD" + fault_content());
  }
}

TEST_F(FaultTest, EveryFailureSaysWhatAndWhy) {
  const auto says = [&](const std::string& fault, const std::string& what) {
    reset();
    const FaultRun failed = run("file", fault);
    EXPECT_EQ(failed.code, 1);
    EXPECT_TRUE(failed.out.starts_with("[file] " + folder_.path().string())) << failed.out;
    EXPECT_NE(failed.out.find(what), std::string::npos) << failed.out;
    EXPECT_EQ(entries(folder_ / "d"), 0);
  };
  says("open:EROFS@1", "cannot be created: the file system is read-only");
  says("write:EDQUOT@1", "cannot be written: the quota is used up");
  says("write:short+ENOSPC@5", "cannot be written: the disk is full");
  says("write:ZERO@1", "cannot be written: Input/output error");  // and does not try for ever
  says("fsync:EIO@1", "fsync failed: Input/output error");
  says("rename:EACCES@1", "/d/out: Permission denied");
}

TEST_F(FaultTest, TheShimRefusesWhatItCannotRead) {
  for (const char* fault :
       {"write", "seek:EIO@1", "write:EWHAT@1", "write:EIO@0", "write:EIO@1x", "any:KILLED@1", "read:HANG@0"}) {
    EXPECT_EQ(run("file", fault).code, 99) << fault;
  }
}

}  // namespace
}  // namespace adasample
