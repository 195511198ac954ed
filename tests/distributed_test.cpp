// SPDX-License-Identifier: Apache-2.0
// The program in several processes, as launchers start it: one iteration of W ranks is that of one process; ranks that
// are killed, stopped or cut off end the run of the others in time, without losing what was done; what cannot work is
// said. ADASAMPLE_RANK_FAULTS=20 kills, stops and cuts off so many ranks, each; make check-all does. Without it one is
// killed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adasample/base/files/file_io.h"
#include "adasample/model/checkpoint.h"
#include "tests/support/process.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Process;
using Clock = std::chrono::steady_clock;

constexpr double kRankTimeout = 2;
// Of survivors after a rank is gone: until it counts as lost, a look around more, the checkpoint and the goodbye. Twice
// that, for a machine that does other things too.
constexpr std::chrono::seconds kMostPatience(20);

std::string trained(const std::string& options) {
  return fmt::format(
             "'{}' --threads 1 --quiet train --device cpu --data ../s --k 3 --log-every 1 --out ../run "
             "--rank-timeout {} {}",
             ADASAMPLE_BINARY, kRankTimeout, options) +
         (options.find("--batch ") == std::string::npos ? " --batch 12" : "") +
         (options.find("--join-timeout ") == std::string::npos ? " --join-timeout 20" : "");
}

bool installed(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

class Distributed : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    base_ = new testing::TempFolder;
    testing::small_store(*base_ / "s", 60, 5);
  }
  static void TearDownTestSuite() { delete base_; }

  // A folder for each run, with the store beside it: run is the ranks' --out.
  void SetUp() override { fresh(); }
  void fresh() {
    folder_ = *base_ / fmt::format("{}{}", ::testing::UnitTest::GetInstance()->current_test_info()->name(), ++number_);
    fs::create_directories(folder_);
    fs::create_directory_symlink(*base_ / "s", folder_ / "s");
  }
  fs::path run() const { return folder_ / "run"; }
  fs::path place(int rank) const { return folder_ / fmt::format("rank{}", rank); }
  std::string err(int rank) const { return read_text(place(rank) / "err.txt"); }

  static std::string variables(int rank, int size, int port) {
    return fmt::format("RANK={} WORLD_SIZE={} MASTER_PORT={}", rank, size, port);
  }
  static int port() { return 21000 + static_cast<int>((::getpid() * 61 + ++number_ * 7) % 9000); }

  std::unique_ptr<Process> start(int rank, const std::string& command, const std::string& environment) const {
    fs::create_directories(place(rank));
    return std::make_unique<Process>(place(rank), command, environment);
  }
  std::vector<std::unique_ptr<Process>> start_all(int size, const std::string& options) const {
    std::vector<std::unique_ptr<Process>> all;
    const int at = port();
    for (int r = 0; r < size; ++r) all.push_back(start(r, trained(options), variables(r, size, at)));
    return all;
  }
  // All ranks with these options, each ends with `code`.
  void train(int size, const std::string& options, int code = 0) const {
    auto all = start_all(size, options);
    for (int r = 0; r < size; ++r) EXPECT_EQ(all[static_cast<size_t>(r)]->wait(), code) << r << ": " << err(r);
  }
  // One process without a launcher.
  void train_alone(const std::string& options) const { EXPECT_EQ(start(0, trained(options), "")->wait(), 0) << err(0); }
  // The last line on each rank is one of ours that holds every part.
  void expect_line(int rank, const std::vector<std::string>& parts) const {
    const std::string said = err(rank);
    EXPECT_EQ(said.find("adasample: "), said.size() < 2 ? 0 : said.rfind('\n', said.size() - 2) + 1) << said;
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " not in: " << said;
  }

  std::vector<json> metrics() const {
    std::vector<json> lines;
    std::error_code absent;
    if (!fs::exists(run() / "metrics.jsonl", absent)) return lines;
    std::istringstream text(read_text(run() / "metrics.jsonl"));
    for (std::string line; std::getline(text, line);) {
      json object = json::parse(line, nullptr, /*allow_exceptions=*/false);
      if (object.is_object()) lines.push_back(std::move(object));
    }
    return lines;
  }
  Checkpoint newest() const {
    std::string name;
    for (const auto& entry : fs::directory_iterator(run() / "checkpoints")) {
      EXPECT_TRUE(entry.path().filename().string().starts_with("step_")) << entry.path();
      name = std::max(name, entry.path().filename().string());
    }
    return read_checkpoint(run() / "checkpoints" / name);
  }
  // Of each kind; 0: one is killed, which takes half a minute, and that is all.
  static int faults() {
    const char* wanted = std::getenv("ADASAMPLE_RANK_FAULTS");
    return wanted != nullptr ? std::atoi(wanted) : 0;
  }

  // Ends a rank of three by `end` in the middle of a run; then the others must stop in time and name it, with
  // everything on disk that they had done, and another number of ranks must go on to the same bits.
  void lose(int rank, int after, int signal, const std::string& reference);

  fs::path folder_;
  static testing::TempFolder* base_;
  static int number_;
};
testing::TempFolder* Distributed::base_ = nullptr;
int Distributed::number_ = 0;

// Largest difference of two sets of arrays: for each, the length of the difference over its own.
double difference(const StoredArrays& a, const StoredArrays& b) {
  double worst = a.size() == b.size() ? 0 : 1e9;
  for (const auto& [name, array] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second.shape != array.shape || other->second.dtype != array.dtype) return 1e9;
    const auto compare = [&](auto zero) {
      using T = decltype(zero);
      const size_t count = array.bytes.size() / sizeof(T);
      const auto* x = reinterpret_cast<const T*>(array.bytes.data());
      const auto* y = reinterpret_cast<const T*>(other->second.bytes.data());
      double squares = 1e-60, apart = 0;
      for (size_t i = 0; i < count; ++i) {
        squares += double{x[i]} * double{x[i]};
        apart += (double{x[i]} - double{y[i]}) * (double{x[i]} - double{y[i]});
      }
      const double result = std::sqrt(apart / squares);
      return std::isfinite(result) ? result : 1e9;
    };
    worst = std::max(worst, array.dtype == "F32"                 ? compare(0.f)
                            : array.dtype == "F64"               ? compare(0.0)
                            : array.bytes == other->second.bytes ? 0
                                                                 : 1e9);
  }
  return worst;
}

// Figures of the batch: means of n numbers of single precision.
constexpr double kEqual = 1e-6;
// Gradients and what a step makes of them: sums of up to 1e5 products in single precision, in another order, most of
// which cancel. One process's own are no closer to the exact ones.
constexpr double kEqualGradients = 5e-6;
// LibTorch's own batch norm, which one process takes, sums in single precision; ours of several ranks in double. So
// numbers next to 0 may cross a ReLU, which gradients of the layers before it show; a share that is missing or counted
// twice is more than a tenth. That the arithmetic is exact: net_tests, BatchNorm.
constexpr double kEqualByTorch = 1e-5, kEqualButForKinks = 2e-2;

TEST_F(Distributed, AnIterationOfSeveralRanksIsThatOfOneProcess) {
  struct Case {
    const char* options;
    std::vector<int> sizes;
    double equal = kEqual, gradients = kEqualGradients;
  };
  for (const Case& tried :
       {Case{"--batch 48", {1, 2, 3, 4}},
        // LibTorch's network, weights and terms that look at the whole batch, three members a class
        Case{"--training-engine torch --sampling-engine torch --weights eq9 --terms gor=1,sos=1 --members 3",
             {3},
             kEqualByTorch,
             kEqualButForKinks},
        // two passes, negatives that are drawn, no warm-up
        Case{"--batch 48 --separate-bn --mining distance-weighted --warmup 0 --ramp 0 --weights distance", {2}}}) {
    // Learning from the checkpoint at iteration 0: the momentum after one iteration is the gradient.
    const std::string options = std::string(tried.options) + " --iterations 1";
    fresh();
    train_alone(options);
    const Checkpoint one = newest();
    const json line = metrics().at(0);
    for (const int size : tried.sizes) {
      SCOPED_TRACE(fmt::format("{} ranks {}", size, options));
      fresh();
      train(size, options);
      const Checkpoint several = newest();
      EXPECT_LT(difference(one.optimiser, several.optimiser), tried.gradients);
      const std::string last = "momentum.features.19.weight";  // no ReLU comes after it
      EXPECT_LT(difference({{last, one.optimiser.at(last)}}, {{last, several.optimiser.at(last)}}), kEqualByTorch);
      EXPECT_LT(difference(one.network, several.network), tried.gradients);
      ASSERT_EQ(metrics().size(), 1u);
      for (const char* name : {"loss", "l_avg", "d_pos", "d_neg", "active", "entropy", "effective_pairs", "masked"}) {
        EXPECT_NEAR(metrics()[0][name].get<double>(), line[name].get<double>(),
                    tried.equal * std::abs(line[name].get<double>()))
            << name;
      }
      EXPECT_EQ(metrics()[0].contains("slowest_rank"), size > 1);
    }
  }
}

TEST_F(Distributed, LocalStatisticsAndNegativesAreOthers) {
  train_alone("--iterations 1");
  const Checkpoint one = newest();
  for (const char* option : {"--batch-norm local", "--negatives-from rank"}) {
    fresh();
    train(2, std::string("--iterations 1 ") + option);
    EXPECT_GT(difference(one.optimiser, newest().optimiser), 1e-3) << option;
  }
}

// Running statistics that differed by rank would be lost with the ranks: a run that goes on has rank 0's.
TEST_F(Distributed, LocalStatisticsGoOnAsTheyWere) {
  train(2, "--batch-norm local --iterations 4 --checkpoint-every 2 --keep-last 9");
  const std::string model = read_text(run() / "model.safetensors");
  for (const char* later : {"model.safetensors", "result.json", "report.html", "checkpoints/step_000000004"})
    fs::remove_all(run() / later);
  train(2, "--resume");
  EXPECT_TRUE(read_text(run() / "model.safetensors") == model);
}

TEST_F(Distributed, ShardsGiveTheSameBitsInAnyNumberOfRanks) {
  const std::string options = "--shards 12 --iterations 4 --ema 0.9";
  train_alone(options);
  const std::string model = read_text(run() / "model.safetensors");
  for (const int size : {2, 3}) {
    fresh();
    train(size, options);
    EXPECT_TRUE(read_text(run() / "model.safetensors") == model) << size << " ranks";
  }
}

void Distributed::lose(int rank, int after, int signal, const std::string& options) {
  SCOPED_TRACE(fmt::format("rank {} after {} iterations, signal {}", rank, after, signal));
  auto all = start_all(3, options);
  Process& lost = *all[static_cast<size_t>(rank)];
  ASSERT_TRUE(all[0]->wait_until([&] { return static_cast<int>(metrics().size()) >= after; })) << err(0);
  lost.kill(signal);
  const auto when = Clock::now();
  for (int r = 0; r < 3; ++r) {
    if (r == rank) continue;
    EXPECT_EQ(all[static_cast<size_t>(r)]->wait(), 1) << err(r);
    EXPECT_LT(Clock::now() - when, kMostPatience);
    expect_line(r, {"[ranks] rank " + std::to_string(rank) + " ("});
  }
  lost.kill();  // one that was stopped is still there
  lost.wait();
  // Nothing is lost: whatever rank 0 had said is done is in its checkpoint. Where rank 0 is gone, the last one stands.
  const auto done = static_cast<int64_t>(metrics().size());
  const int64_t saved = newest().state.iteration;
  EXPECT_GE(saved, rank == 0 ? done - 3 : done);
  train(2, options + " --resume");
}

TEST_F(Distributed, ARankThatIsLostEndsTheOthersAndNothingIsLost) {
  const std::string options = "--shards 12 --iterations 40 --checkpoint-every 3";
  train_alone(options);
  const std::string model = read_text(run() / "model.safetensors");
  for (int i = 0; i < std::max(faults(), 1); ++i) {
    for (const int signal : {SIGKILL, SIGSTOP}) {
      if (signal == SIGSTOP && faults() == 0) continue;
      fresh();
      lose((i + (signal == SIGKILL ? 1 : 0)) % 3, 2 + 5 * i % 30, signal, options);
      EXPECT_TRUE(read_text(run() / "model.safetensors") == model) << "goes on with other draws";
    }
  }
}

// A second machine: a network namespace of its own with one cable to this one.
class OtherMachine {
 public:
  OtherMachine() {
    static int number = 0;
    const int id = ::getpid() % 200;
    name_ = fmt::format("ada{}n{}", ::getpid(), ++number);
    cable_ = fmt::format("ac{}n{}", ::getpid() % 100000, number);
    here_ = fmt::format("10.77.{}.{}", id, 4 * (number % 60) + 1);
    const std::string there = fmt::format("10.77.{}.{}", id, 4 * (number % 60) + 2);
    up_ = sh(
        "ip netns add {0} && ip link add {1} type veth peer name {1}b && ip link set {1}b netns {0} && ip addr add "
        "{2}/30 dev {1} && ip link set {1} up && ip netns exec {0} ip addr add {3}/30 dev {1}b && ip netns exec {0} ip "
        "link set {1}b up && ip netns exec {0} ip link set lo up",
        name_, cable_, here_, there);
  }
  ~OtherMachine() {
    sh("ip netns del {}", name_);
    sh("ip link del {}", cable_);
  }
  OtherMachine(const OtherMachine&) = delete;
  OtherMachine& operator=(const OtherMachine&) = delete;

  bool up() const { return up_; }
  void cut() const { sh("ip link set {} down", cable_); }
  const std::string& here() const { return here_; }  // this machine's address, seen from there
  std::string prefix() const { return "ip netns exec " + name_ + " "; }
  bool reaches(const std::string& address, int port) const {
    return sh("{} timeout 2 bash -c 'echo > /dev/tcp/{}/{}'", prefix(), address, port);
  }

 private:
  template <typename... Values>
  static bool sh(const char* command, const Values&... values) {
    return std::system(("{ " + fmt::format(fmt::runtime(command), values...) + "; } >/dev/null 2>&1").c_str()) == 0;
  }
  std::string name_, cable_, here_;
  bool up_ = false;
};

TEST_F(Distributed, ARankThatIsCutOffEndsTheOthersAndNothingIsLost) {
  if (faults() == 0) GTEST_SKIP() << "ADASAMPLE_RANK_FAULTS is not set";
  const std::string options = "--shards 12 --iterations 40 --checkpoint-every 3";
  for (int i = 0; i < faults(); ++i) {
    fresh();
    const OtherMachine other;
    if (!other.up()) GTEST_SKIP() << "no network namespaces here: they need root and iproute2";
    const int at = port();
    std::vector<std::unique_ptr<Process>> all;
    for (int r = 0; r < 3; ++r) {
      const std::string where = r == 2 ? other.prefix() : "";
      all.push_back(start(r, where + trained(options), variables(r, 3, at) + " MASTER_ADDR=" + other.here()));
    }
    ASSERT_TRUE(all[0]->wait_until([&] { return static_cast<int>(metrics().size()) >= 2 + 5 * i % 30; }))
        << err(0) << err(2);
    other.cut();
    const auto when = Clock::now();
    for (int r = 0; r < 3; ++r) {
      EXPECT_EQ(all[static_cast<size_t>(r)]->wait(), 1) << err(r);
      EXPECT_LT(Clock::now() - when, kMostPatience);
      expect_line(r, {r == 2 ? "[ranks] rank 0 (" : "[ranks] rank 2 ("});  // each misses the other side
    }
    EXPECT_EQ(newest().state.iteration, static_cast<int64_t>(metrics().size()));
    train(2, options + " --resume");
  }
}

TEST_F(Distributed, TheStoreIsOpenToOtherMachinesOnlyWhereAnAddressIsNamed) {
  const OtherMachine other;
  if (!other.up()) GTEST_SKIP() << "no network namespaces here: they need root and iproute2";
  for (const bool named : {false, true}) {
    fresh();
    const int at = port();
    const auto rank =
        start(0, trained("--iterations 1"), variables(0, 2, at) + (named ? " MASTER_ADDR=" + other.here() : ""));
    ASSERT_TRUE(rank->wait_until([&] { return installed(fmt::format("bash -c 'echo > /dev/tcp/127.0.0.1/{}'", at)); }))
        << err(0);
    EXPECT_EQ(other.reaches(other.here(), at), named);
  }
}

TEST_F(Distributed, ARankThatIsToldToStopStopsAll) {
  const std::string options = "--shards 12 --iterations 400";
  auto all = start_all(2, options);
  ASSERT_TRUE(all[0]->wait_until([&] { return metrics().size() >= 2; })) << err(0);
  all[1]->kill(SIGTERM);
  for (int r = 0; r < 2; ++r) EXPECT_EQ(all[static_cast<size_t>(r)]->wait(), 130) << err(r);
  EXPECT_EQ(newest().state.iteration, static_cast<int64_t>(metrics().size()));
  EXPECT_EQ(json::parse(read_text(run() / "result.json"))["end"], "stopped");
}

TEST_F(Distributed, WhatCannotWorkIsOneLineOnEveryRank) {
  const auto refused = [&](const std::string& what, const std::vector<std::string>& environments,
                           const std::vector<std::string>& commands, int code, const std::vector<std::string>& parts) {
    SCOPED_TRACE(what);
    fresh();
    const auto begun = Clock::now();
    std::vector<std::unique_ptr<Process>> all;
    for (size_t r = 0; r < commands.size(); ++r)
      all.push_back(start(static_cast<int>(r), commands[r], environments[r]));
    for (size_t r = 0; r < commands.size(); ++r) {
      EXPECT_EQ(all[r]->wait(), code) << err(static_cast<int>(r));
      expect_line(static_cast<int>(r), parts);
      const std::string said = err(static_cast<int>(r));
      EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
    }
    EXPECT_LT(Clock::now() - begun, kMostPatience);
    EXPECT_FALSE(fs::exists(run()));
  };
  const std::string usual = trained("--iterations 4");
  int at = port();
  const auto two = [&] {
    at = port();
    return std::vector<std::string>{variables(0, 2, at), variables(1, 2, at)};
  };
  refused("options", two(), {usual, trained("--iterations 4 --lr 1")}, 2,
          {"rank 1 (", "was started with --lr '1' where rank 0 has '10'"});
  refused("seed", two(), {usual, trained("--iterations 4 --seed 5")}, 2, {"--seed '5' where rank 0 has '0'"});
  testing::small_store(*base_ / "t", 61, 5);
  refused("data", two(), {usual, fmt::format("{} --data ../../t", trained("--iterations 4"))}, 2, {"number of --data"});
  refused("batch", two(), {trained("--batch 13"), trained("--batch 13")}, 2,
          {"batch = 13, must be a multiple of the 2 ranks"});
  refused("one process", two(), {trained("--refresh 0.5"), trained("--refresh 0.5")}, 2,
          {"--refresh below 1 needs one process"});
  testing::small_store(*base_ / "m", 30, 5, 64);  // as large as matchnet reads
  std::string metric = trained("--network matchnet --loss matchnet");
  metric.replace(metric.find("../s"), 4, "../../m");
  refused("a metric's weights", two(), {metric, metric}, 2, {"a network with a metric needs one process"});
  const std::string few = trained("--negatives-from rank --batch 2");
  refused("one pair a rank", two(), {few, few}, 2, {"batch = 2", "at least twice the 2 ranks"});
  std::vector<std::string> without_network = two();
  without_network[1] += " GLOO_SOCKET_IFNAME=nowhere0";
  refused("no network", without_network, {usual, usual}, 2, {"rank 1 (", "finds no network to the others", "nowhere0"});
  refused("rank", {"RANK=3 WORLD_SIZE=3"}, {usual}, 2, {"RANK = 3, must be below WORLD_SIZE = 3"});
  refused("missing", {variables(0, 3, at + 1), variables(1, 3, at + 1)},
          {trained("--join-timeout 2"), trained("--join-timeout 2")}, 2, {"rank 2 of 3 did not come within 2 s"});
  refused("missing data on one", two(), {usual, "'" ADASAMPLE_BINARY "' --quiet train --data nowhere --out ../run"}, 1,
          {"nowhere"});
  // A second job in the folder.
  fresh();
  fs::create_directories(run());
  const std::vector<std::string> environments = two();
  std::vector<std::unique_ptr<Process>> all;
  for (int r = 0; r < 2; ++r) all.push_back(start(r, usual, environments[static_cast<size_t>(r)]));
  for (int r = 0; r < 2; ++r) {
    EXPECT_EQ(all[static_cast<size_t>(r)]->wait(), 1) << err(r);
    expect_line(r, {"run", "exists"});
  }
}

TEST_F(Distributed, TorchrunAndMpirunLaunchIt) {
  const bool torchrun_here = installed("/usr/bin/python3 -c 'import torch.distributed.run'"),
             mpirun_here = installed("mpirun --version");
  if (!torchrun_here && !mpirun_here) GTEST_SKIP() << "neither torchrun nor mpirun is installed";
  const std::string options = "--shards 12 --iterations 2";
  train_alone(options);
  const std::string model = read_text(run() / "model.safetensors");
  const auto launched = [&](const std::string& launcher, const std::string& shown) {
    SCOPED_TRACE(launcher);
    fresh();
    EXPECT_EQ(start(0, launcher + " " + trained("--show-ranks"), "")->wait(), 0) << err(0);
    EXPECT_NE(read_text(place(0) / "out.txt").find(shown), std::string::npos) << read_text(place(0) / "out.txt");
    EXPECT_EQ(start(0, launcher + " " + trained(options), "")->wait(), 0) << err(0);
    EXPECT_TRUE(read_text(run() / "model.safetensors") == model);
  };
  // Of PyTorch 1.13 on Python 3.11: without the two it fails before it starts anybody.
  const std::string torchrun = "/usr/bin/python3 -m torch.distributed.run --redirects 1 --tee 1 --log_dir ../logs";
  if (torchrun_here) {
    launched(torchrun + " --standalone --nproc_per_node 2 --no_python",
             "rank 1 of 2 (torchrun), 1 of 2 on this machine");
    if (faults() > 0) {
      launched(fmt::format("{} --nnodes 1 --nproc_per_node 2 --master_addr 127.0.0.1 --master_port {} --no_python",
                           torchrun, port()),
               "rank 1 of 2 (torchrun)");
    }
  }
  if (mpirun_here) {
    launched("mpirun --allow-run-as-root --oversubscribe -n 2", "rank 1 of 2 (Open MPI), 1 of 2 on this machine");
  }
}

}  // namespace
}  // namespace adasample
