// SPDX-License-Identifier: Apache-2.0
// SIGTERM, SIGINT and SIGHUP end every command within two seconds wherever it is: here each stands in a call that never
// returns, at the opening of what it reads or in the middle of what it writes. Nothing half written stays, and nothing
// hidden either; the second signal ends it at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <mutex>
#include <thread>

#include "adasample/base/interrupt.h"
#include "tests/support/fault_run.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/writing_commands.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using testing::Process;
using testing::TempFolder;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kMost{2500};   // two seconds, and half a one for a busy machine
constexpr milliseconds kAtOnce{700};  // likewise
constexpr milliseconds kStarting{60'000};
constexpr int kSignals[] = {SIGTERM, SIGINT, SIGHUP};

// A command and the call in which it hangs.
struct Place {
  std::string arguments;
  std::string fault;  // as in fault_shim.c
  bool in_input;      // of the folder that is read, else of the one that is written
};

struct Ended {
  bool hung = false;
  int code = 0;  // minus the signal that ended it
  milliseconds after{0};
  std::string said;
  std::vector<std::string> left;  // in the folder that is written
};

class Stopped : public ::testing::Test {
 protected:
  static const fs::path& in() {
    static const TempFolder folder;
    static const fs::path made = testing::make_writing_input(folder.path());
    return made;
  }

  // Where it hangs it gets `signal`, and where `again` a second one after more than a second.
  static Ended stop(const Place& place, int signal, bool again = false) {
    const TempFolder around;
    const fs::path out = around / "out", hangs = around / "hangs";
    fs::create_directory(out);
    std::string line;
    for (const std::string& word : testing::words_of(place.arguments, in(), out)) line += "'" + word + "' ";
    const std::string environment = fmt::format(
        "LD_PRELOAD={} ADA_FAULT={} ADA_FAULT_PATH={} ADA_FAULT_HANGS={} ASAN_OPTIONS={}", ADASAMPLE_FAULT_SHIM,
        place.fault, (place.in_input ? in() : out).string(), hangs.string(), testing::kSanitizersBehindShim);
    Process process(around.path(), line, environment);
    Ended ended;
    const auto start = Clock::now();
    ended.hung =
        process.wait_until([&] { return fs::exists(hangs) || Clock::now() - start > kStarting; }) && fs::exists(hangs);
    if (ended.hung) {
      process.kill(signal);
      if (again) {
        std::this_thread::sleep_for(std::chrono::nanoseconds(kSameInterrupt) + milliseconds(100));
        process.kill(signal);
      }
      const auto asked = Clock::now();
      ended.code = process.wait();
      ended.after = std::chrono::duration_cast<milliseconds>(Clock::now() - asked);
    }
    ended.said = read_text(around / "err.txt");
    for (const auto& entry : fs::recursive_directory_iterator(out)) ended.left.push_back(entry.path().filename());
    return ended;
  }

  // Many at a time: they sleep.
  static void stop_all(const std::vector<Place>& places) {
    in();
    std::atomic<size_t> next = 0;
    std::mutex mutex;
    const auto work = [&] {
      for (size_t i; (i = next++) < places.size();) {
        const Place& place = places[i];
        const Ended ended = stop(place, kSignals[i % std::size(kSignals)]);
        const std::lock_guard guard(mutex);
        SCOPED_TRACE(place.arguments + " in " + place.fault + "\n" + ended.said);
        EXPECT_TRUE(ended.hung) << "ended before it came there";
        if (!ended.hung) continue;
        EXPECT_EQ(ended.code, kInterruptedExitCode);
        EXPECT_LE(ended.after.count(), kMost.count()) << "milliseconds";
        EXPECT_NE(ended.said.find("interrupted"), std::string::npos);
        EXPECT_EQ(fmt::format("{}", fmt::join(ended.left, ", ")), "") << "left behind";
      }
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) threads.emplace_back(work);
    for (std::thread& thread : threads) thread.join();
    std::printf("%zu stopped\n", places.size());
  }
};

TEST_F(Stopped, WhereItWrites) {
  std::vector<Place> places;
  for (const testing::Writer& writer : testing::kWriters) {
    if (writer.grows || (writer.torch && ADASAMPLE_TEST_TORCH == 0))
      continue;  // finishes its iteration and saves first
    for (const char* fault : {"change:HANG@1", "change:HANG@3"}) places.push_back({writer.arguments, fault, false});
    const bool pair = writer.appears.size() > 1;
    if (pair) places.push_back({writer.arguments, "rename:HANG@2", false});  // the companion has its name already
    places.push_back({writer.arguments, "fsync:HANG@1", false});
  }
  stop_all(places);
}

TEST_F(Stopped, WhereItReads) {
  std::vector<std::string> commands = {
      "data info IN/store",
      "data check IN/store",
      "data check IN/photographs",
      "data check IN/sequence",
      "eval pairs --csv IN/pairs.csv",
      "eval patches --data IN/store --model default --pairs 50",
      "eval tracks --data IN/store --model default",
      "eval sequences --images IN/sequence --model default",
      "eval compare --a IN/run/result.json --b IN/run/result.json --value fpr95",
      "check --model default --patches IN/store --count 2",
      "calibrate --model default --patches IN/store --out OUT/n.safetensors",
      "import IN/n.pth --out OUT/n.safetensors",
      "describe --images IN/photographs --keypoints IN/pairs.csv --out OUT/d.npy",
      "describe --images IN/photographs --detector sift --out OUT/d.npy",
      "bench pictures --images IN/photographs",
      "match IN/photographs/a.pgm IN/photographs/b.pgm",
      "colmap --images IN/photographs --detector dog --database OUT/c.db",
      "report IN/run --out OUT/r.html",
  };
  if (ADASAMPLE_TEST_TORCH != 0) {
    commands.insert(commands.end(), {"train --data IN/store --out OUT/run", "experiment IN/grid.json --out OUT/e",
                                     "bench step --data IN/store", "bench load --data IN/store"});
  }
  std::vector<Place> places;
  for (const std::string& command : commands) places.push_back({command, "read:HANG@1", true});
  stop_all(places);
}

TEST_F(Stopped, TheSecondTimeAtOnce) {
  for (const int signal : kSignals) {
    const Ended ended = stop({"data info IN/store", "read:HANG@1", true}, signal, /*again=*/true);
    EXPECT_TRUE(ended.hung);
    EXPECT_EQ(ended.code, -signal);
    EXPECT_LE(ended.after.count(), kAtOnce.count());
  }
}

// Busy rather than hanging: it may be done before it is told, but never takes longer.
TEST_F(Stopped, WhileItComputes) {
  const std::vector<std::string> commands = {
      "data synth --classes 100000 --views 16 --out OUT/s", "bench embed --rounds 100000",
      "bench eval --rows 20000 --rounds 1000", "check --model default --engine simd --count 100000",
      "eval compare --a 1,2,3,4,5,6,7,8,9 --b 2,3,4,5,6,7,8,9,1 --resamples 10000000"};
  for (const std::string& arguments : commands) {
    const TempFolder around;
    fs::create_directory(around / "out");
    std::string line;
    for (const std::string& word : testing::words_of(arguments, in(), around / "out")) line += "'" + word + "' ";
    Process process(around.path(), line);
    std::this_thread::sleep_for(milliseconds(700));
    const auto asked = Clock::now();
    process.kill(SIGTERM);
    const int code = process.wait();
    const auto after = std::chrono::duration_cast<milliseconds>(Clock::now() - asked);
    EXPECT_TRUE(code == kInterruptedExitCode || code == 0) << arguments << ": " << code;
    EXPECT_LE(after.count(), kMost.count()) << arguments;
    EXPECT_TRUE(code == 0 || fs::is_empty(around / "out")) << arguments;
  }
}

}  // namespace
}  // namespace adasample
