// SPDX-License-Identifier: Apache-2.0
// No run is ever lost: runs are killed, starved of disk, given two masters and a store that vanishes under them; each
// is resumed, and what comes out is compared byte by byte with the run that nobody disturbed.
// ADASAMPLE_KILLS=100 sets how many runs are killed (a third of them inside the writing of a checkpoint); make
// check-all does.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adasample/base/files/file_io.h"
#include "tests/support/fault_run.h"
#include "tests/support/process.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Process;

constexpr int kIterations = 24;
const std::string kTrain = fmt::format(
    "'{}' train --threads 2 --device cpu --data ../s --val ../v --eval-every 10 --batch 6 --k 3 --iterations {} "
    "--checkpoint-every 4 --log-every 3 --ema 0.9 --out run",
    ADASAMPLE_BINARY, kIterations);
const std::string kResume = kTrain + " --resume";

std::string shim(const std::string& fault, const std::string& path) {
  return fmt::format("LD_PRELOAD='{}' ADA_FAULT='{}' ADA_FAULT_PATH='{}' ASAN_OPTIONS={}", ADASAMPLE_FAULT_SHIM, fault,
                     path, testing::kSanitizersBehindShim);
}

// metrics.jsonl without what a clock decides; a test failure where lines are missing, twice or out of order.
std::vector<json> metrics_of(const fs::path& run) {
  std::vector<json> lines;
  std::istringstream text(read_text(run / "metrics.jsonl"));
  int64_t next = 0;
  for (std::string line; std::getline(text, line);) {
    json parsed = json::parse(line);
    if (!parsed.contains("val_score")) {
      EXPECT_EQ(parsed["iteration"].get<int64_t>(), next++);
    }
    std::erase_if(parsed.get_ref<json::object_t&>(),
                  [](const auto& item) { return item.first == "pairs_per_s" || item.first.starts_with("time_"); });
    lines.push_back(std::move(parsed));
  }
  EXPECT_EQ(next, kIterations);
  return lines;
}

// Model, optimiser, average, snapshots, curves, and the metrics that no clock decides.
void expect_same_run(const fs::path& run, const fs::path& reference) {
  const std::string last = fmt::format("checkpoints/step_{:09}/", kIterations);
  for (const std::string& name :
       {std::string("model.safetensors"), std::string("best.safetensors"), last + "network.safetensors",
        last + "optimiser.safetensors", last + "average.safetensors", std::string("snapshots.jsonl"),
        std::string("curves.json"), std::string("config.toml"), std::string("run.json")}) {
    ASSERT_TRUE(fs::exists(run / name)) << name;
    EXPECT_TRUE(read_text(run / name) == read_text(reference / name)) << name << " differs";
  }
  EXPECT_EQ(metrics_of(run), metrics_of(reference));
}

std::string newest_checkpoint(const fs::path& run) {
  std::string newest = "none";
  std::error_code absent;  // killed before the folder had its name
  for (const auto& entry : fs::directory_iterator(run / "checkpoints", absent)) {
    const std::string name = entry.path().filename();
    if (name.starts_with("step_") && (newest == "none" || name > newest)) newest = name;
  }
  return newest;
}

class Resume : public ::testing::Test {
 protected:
  // One undisturbed run for all tests.
  static void SetUpTestSuite() {
    base_ = new testing::TempFolder;
    testing::small_store(*base_ / "s", 20, 4);
    testing::small_store(*base_ / "v", 30, 3);
    fs::create_directory(*base_ / "reference");
    const auto start = std::chrono::steady_clock::now();
    Process process(*base_ / "reference", kTrain);
    ASSERT_TRUE(process.wait_until([] {
      std::error_code absent;
      return fs::file_size(reference() / "metrics.jsonl", absent) > 0 && !absent;
    }));
    first_line_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    ASSERT_EQ(process.wait(), 0) << read_text(*base_ / "reference/err.txt");
  }
  static void TearDownTestSuite() { delete base_; }

  void SetUp() override { fs::create_directory(folder()); }
  void TearDown() override { remove_tree(folder()); }

  static fs::path reference() { return *base_ / "reference/run"; }
  fs::path folder() const { return *base_ / ::testing::UnitTest::GetInstance()->current_test_info()->name(); }
  fs::path run() const { return folder() / "run"; }
  std::string err() const { return read_text(folder() / "err.txt"); }

  int execute(const std::string& command, const std::string& environment = "") const {
    return Process(folder(), command, environment).wait();
  }

  // The error is one line that holds every part; no checkpoint is half there.
  void expect_clear_failure(int code, const std::vector<std::string>& parts) const {
    const std::string said = err();
    EXPECT_EQ(code, 1) << said;
    EXPECT_EQ(said.find("adasample: "), said.rfind('\n', said.size() - 2) + 1) << "the last line: " << said;
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " not in " << said;
  }

  // Goes on from the newest checkpoint there is, all of which are whole, and ends the same.
  void expect_resumes_to_the_same() const {
    const std::string newest = newest_checkpoint(run());
    ASSERT_EQ(execute(kResume), 0) << err();
    if (newest != "none") {
      const std::string from = fmt::format("going on at iteration {} of", std::stoll(newest.substr(5)));
      EXPECT_NE(err().find(from), std::string::npos) << newest << ": " << err();
    }
    EXPECT_EQ(err().find("warning"), std::string::npos) << err();
    for (const auto& entry : fs::directory_iterator(run() / "checkpoints")) {
      EXPECT_EQ(entry.path().filename().string().find("damaged"), std::string::npos) << entry.path();
      EXPECT_FALSE(entry.path().filename().string().starts_with(".")) << entry.path();
    }
    expect_same_run(run(), reference());
  }

  // Begins a run and kills it when `share` of its lines are written, or as much later as `i` says; says when that was.
  // The first tenth is spread over the time before the first line: loading, making the folder.
  std::string kill_at(double share, int i) const {
    const auto metrics_bytes = [&] {
      std::error_code absent;
      const auto size = fs::file_size(run() / "metrics.jsonl", absent);
      return absent ? 0.0 : static_cast<double>(size);
    };
    const double all = static_cast<double>(fs::file_size(reference() / "metrics.jsonl"));
    for (auto delay = std::chrono::milliseconds(i * 37 % 100);; delay /= 2) {
      remove_tree(run());
      Process process(folder(), kTrain);
      const auto start = std::chrono::steady_clock::now();
      const bool alive = process.wait_until([&] {
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
        return share < 0.1 ? elapsed.count() >= 10 * share * first_line_ : metrics_bytes() >= all * (share - 0.1) / 0.9;
      });
      if (!alive) continue;
      std::this_thread::sleep_for(delay);
      const double written = metrics_bytes();
      process.kill();
      if (process.wait() != -SIGKILL) continue;  // it had ended
      return fmt::format("with {:.0f} % of its lines written", 100 * written / all);
    }
  }

  static int failure_count() {
    return ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
  }

  static testing::TempFolder* base_;
  static double first_line_;  // seconds until the undisturbed run wrote one
};
testing::TempFolder* Resume::base_ = nullptr;
double Resume::first_line_ = 0;

TEST_F(Resume, AnUndisturbedRunIsRepeatable) {
  ASSERT_EQ(execute(kTrain), 0) << err();
  expect_same_run(run(), reference());
  // Nothing left to do.
  EXPECT_EQ(execute(kResume + " --json"), 0) << err();
  EXPECT_EQ(json::parse(read_text(folder() / "out.txt"))["end"].get<std::string>(), "complete");
  expect_same_run(run(), reference());
}

TEST_F(Resume, RunsKilledAnywhereEndTheSame) {
  const char* wanted = std::getenv("ADASAMPLE_KILLS");
  const int kills = wanted != nullptr ? std::atoi(wanted) : 4;
  const int in_writes = (kills + 2) / 3;
  // How many calls touch checkpoints in a whole run.
  ASSERT_EQ(execute(kTrain,
                    shim("any:COUNT", "run/checkpoints/") + " ADA_FAULT_COUNT='" + (folder() / "count").string() + "'"),
            0)
      << err();
  const int calls = std::stoi(read_text(folder() / "count"));
  ASSERT_GT(calls, 2 * in_writes);
  remove_tree(run());

  int equal = 0;
  for (int i = 0; i < kills; ++i) {
    std::string moment;
    if (i < in_writes) {
      remove_tree(run());
      const int call = 1 + (2 * i + 1) * calls / (2 * in_writes);
      moment = fmt::format("{} call {} of {} on checkpoints", i % 2 == 0 ? "before" : "half through", call, calls);
      const int code =
          execute(kTrain, shim(fmt::format("any:{}@{}", i % 2 == 0 ? "KILL" : "KILL_HALF", call), "run/checkpoints/"));
      ASSERT_EQ(code, -SIGKILL) << moment << err();
    } else {
      moment = kill_at((i - in_writes + 0.5) / (kills - in_writes), i);
    }
    const std::string state = newest_checkpoint(run());
    const int failures = failure_count();
    expect_resumes_to_the_same();
    const bool same = failure_count() == failures;
    equal += same;
    std::printf("kill %3d: %-50s newest checkpoint %-15s resumed: %s\n", i + 1, moment.c_str(), state.c_str(),
                same ? "equal" : "DIFFERS");
    std::fflush(stdout);
  }
  std::printf("%d of %d equal\n", equal, kills);
}

TEST_F(Resume, KilledTwiceAndTerminatedPolitely) {
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
    Process process(folder(), kResume);  // begins the run where there is none
    const int64_t before = fs::exists(run()) ? static_cast<int64_t>(fs::file_size(run() / "metrics.jsonl")) : 0;
    ASSERT_TRUE(process.wait_until([&] {
      std::error_code absent;
      return static_cast<int64_t>(fs::file_size(run() / "metrics.jsonl", absent)) > before + 500 && !absent;
    })) << err();
    process.kill(signal);
    if (signal != SIGKILL) process.kill(signal);  // as `timeout` does it: to the process, and to its group
    const int code = process.wait();
    if (signal == SIGKILL) {
      EXPECT_EQ(code, -SIGKILL);
      continue;
    }
    EXPECT_EQ(code, 130) << err();
    EXPECT_NE(err().find("go on with: adasample train --resume --out run"), std::string::npos) << err();
    const json result = json::parse(read_text(run() / "result.json"));
    EXPECT_EQ(result["end"].get<std::string>(), "stopped");
    EXPECT_EQ(newest_checkpoint(run()), fmt::format("step_{:09}", result["iterations"].get<int64_t>()))
        << "saved first";
  }
  expect_resumes_to_the_same();
}

TEST_F(Resume, DisksThatFailLeaveTheLastCheckpointAlone) {
  struct Fault {
    std::string fault, path, seen;
    bool always;  // else with ADASAMPLE_KILLS only
  };
  for (const Fault& f : {Fault{"write:ENOSPC@11", "checkpoints/", "the disk is full", true},
                         Fault{"write:EDQUOT@25", "checkpoints/", "the quota is used up", false},
                         Fault{"fsync:EIO@30", "checkpoints/", "Input/output error", true},
                         Fault{"rename:EROFS@3", "checkpoints/", "the file system is read-only", false},
                         Fault{"write:short+ENOSPC@60", "metrics.jsonl", "the disk is full", true},
                         Fault{"fsync:EIO@4", "metrics.jsonl", "Input/output error", false}}) {
    if (!f.always && std::getenv("ADASAMPLE_KILLS") == nullptr) continue;
    SCOPED_TRACE(f.fault + " on " + f.path);
    remove_tree(run());
    expect_clear_failure(execute(kTrain, shim(f.fault, f.path)), {f.seen, "run/"});
    EXPECT_NE(newest_checkpoint(run()), "none");
    std::printf("%-24s %-14s %s", f.fault.c_str(), f.path.c_str(), err().substr(err().find("adasample: ")).c_str());
    expect_resumes_to_the_same();
  }
}

TEST_F(Resume, ShortWritesAreContinued) {
  ASSERT_EQ(execute(kTrain, shim("write:short", "metrics.jsonl")), 0) << err();
  expect_same_run(run(), reference());
}

TEST_F(Resume, AFolderThatCannotBeMade) {
  expect_clear_failure(execute(kTrain, shim("any:EROFS@1", "/.run.writing")), {"ead-only"});
  EXPECT_FALSE(fs::exists(run()));
  expect_clear_failure(execute(kTrain, shim("write:ENOSPC@1", "/.run.writing")), {"the disk is full"});
  EXPECT_FALSE(fs::exists(run()));
}

TEST_F(Resume, TheSecondProcessIsRefused) {
  Process first(folder(), kTrain);
  ASSERT_TRUE(first.wait_until([&] { return fs::exists(run()); })) << err();
  fs::create_directory(folder() / "other");
  const std::string other = kResume.substr(0, kResume.size() - std::string("run --resume").size()) + "../run --resume";
  std::string command = other;
  for (const char* name : {"../s", "../v"}) command.replace(command.find(name), 4, std::string("../") + name);
  Process second(folder() / "other", command);
  EXPECT_EQ(second.wait(), 1);
  const std::string said = read_text(folder() / "other/err.txt");
  EXPECT_NE(said.find("../run: is in use by process"), std::string::npos) << said;
  EXPECT_EQ(first.wait(), 0) << err();
  expect_same_run(run(), reference());
}

TEST_F(Resume, AStoreTruncatedWhileMapped) {
  fs::copy(*base_ / "s", folder() / "s");
  std::string command = kTrain;
  command.replace(command.find("../s"), 4, "s");
  Process process(folder(), command);
  ASSERT_TRUE(process.wait_until([&] { return newest_checkpoint(run()) >= "step_000000004" && fs::exists(run()); }))
      << err();
  fs::resize_file(folder() / "s/patches.npy", 4096);
  expect_clear_failure(process.wait(), {"s/patches.npy", "truncated"});
  // Put back, the run goes on; the store lies elsewhere, which is no change.
  ASSERT_EQ(execute(kResume), 0) << err();
  for (const char* name : {"snapshots.jsonl", "curves.json"}) {
    EXPECT_TRUE(read_text(run() / name) == read_text(reference() / name)) << name;
  }
  EXPECT_EQ(metrics_of(run()), metrics_of(reference()));
}

TEST_F(Resume, ChangesAreRefusedOrNamed) {
  ASSERT_EQ(execute(kTrain), 0) << err();
  expect_clear_failure(execute(kResume + " --lambda 7 --seed 3"), {"lambda 5 -> 7", "seed 0 -> 3", "--allow-changes"});
  EXPECT_EQ(execute(kResume + " --preset paper"), 2) << err();
  EXPECT_EQ(execute(kTrain + " --allow-changes"), 2) << err();
  EXPECT_EQ(execute(kResume + " --init ../reference/run/model.safetensors"), 2) << err();
  EXPECT_EQ(execute(kResume + " --allow-changes --iterations 5"), 2) << err();
  expect_clear_failure(execute(kResume + " --allow-changes --lambda 7"), {"is complete"});
  fs::remove(run() / "report.html");
  EXPECT_EQ(execute(kResume), 0) << err();
  EXPECT_TRUE(fs::exists(run() / "report.html"));
  testing::small_store(folder() / "s2", 21, 4);
  std::string other = kResume;
  other.replace(other.find("../s"), 4, "s2");
  expect_clear_failure(execute(other), {"data s2: patches 80 -> 84", "sha256"});
  // A store edited in place, under the same recorded sum.
  fs::copy(*base_ / "s", folder() / "s3");
  std::string bytes = read_text(folder() / "s3/patches.npy");
  bytes.back() = static_cast<char>(~bytes.back());
  write_file_atomically(folder() / "s3/patches.npy", bytes);
  other.replace(other.find("s2"), 2, "s3");
  expect_clear_failure(execute(other), {"data s3: sample_sha256"});
  expect_same_run(run(), reference());

  const std::string longer = fmt::format("--iterations {}", kIterations + 4);
  std::string command = kResume + " --allow-changes " + longer;
  ASSERT_EQ(execute(command), 0) << err();
  EXPECT_NE(err().find(
                fmt::format("changed at iteration {}: iterations {} -> {}", kIterations, kIterations, kIterations + 4)),
            std::string::npos)
      << err();
  EXPECT_EQ(json::parse(read_text(run() / "result.json"))["iterations"].get<int>(), kIterations + 4);
  EXPECT_EQ(json::parse(read_text(run() / "run.json"))["changes"][0]["iteration"].get<int>(), kIterations);
  // And without a word on the command line but where: everything is the run's own, the number of threads too.
  ASSERT_EQ(execute(fmt::format("'{}' train --resume --out run", ADASAMPLE_BINARY)), 0) << err();
  EXPECT_EQ(err().find("threads"), std::string::npos) << err();
  ASSERT_EQ(execute(fmt::format("'{}' train -q --threads 1 --resume --allow-changes --iterations {} --out run",
                                ADASAMPLE_BINARY, kIterations + 6)),
            0)
      << err();
  EXPECT_NE(err().find("threads 2 -> 1: the run goes on, but not bit for bit"), std::string::npos) << err();
  EXPECT_EQ(execute(fmt::format("'{}' train --resume --out nowhere", ADASAMPLE_BINARY)), 1);
}

}  // namespace
}  // namespace adasample
