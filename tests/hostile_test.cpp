// SPDX-License-Identifier: Apache-2.0
// Places where the program takes a file, with everything that may stand there in its stead (hostile_files.h): it is
// refused in one short line that a terminal cannot obey, at once, in little memory, and nothing is written.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <set>
#include <thread>

#include "adasample/base/text.h"
#include "adasample/image/files/pgm.h"
#include "tests/support/colmap_scene.h"
#include "tests/support/hostile_files.h"
#include "tests/support/hpatches_set.h"
#include "tests/support/made_run.h"
#include "tests/support/phototour_set.h"
#include "tests/support/sequence_set.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::HostileThing;

constexpr std::chrono::seconds kPatient(20);  // on a busy machine; alone they take a few milliseconds
#ifdef __SANITIZE_ADDRESS__
constexpr long kSanitizers = 300'000;  // what is freed is kept for a while
#else
constexpr long kSanitizers = 0;
#endif
constexpr long kMostKilobytes = 700'000 + kSanitizers;  // LibTorch alone takes 250,000
constexpr size_t kMostError = 3'000;                    // bytes, warnings among them

// A place where the program takes a file.
struct Door {
  std::string target;                     // the file, in a folder with everything else that the command needs
  std::string arguments;                  // writes to OUT, if anything
  std::set<std::string> taken = {};       // things that are no fault here: the file is not needed, or may be empty
  bool slow = false;                      // loads LibTorch: not with every thing
  std::set<std::string> waited_for = {};  // things that are meant to be: not tried
  bool recovers = false;                  // a run that goes on from what is left: any end in good order will do
};

// A log that grows may end within a line, which is left out.
const std::set<std::string> kTornLine = {"nothing",       "empty", "one byte", "key that acts on the screen",
                                         "one long line", "zeros"};
// What is only shown.
const std::set<std::string> kAnyContent = {"nothing",
                                           "empty",
                                           "one byte",
                                           "random bytes",
                                           "deep lists",
                                           "deep objects",
                                           "deep keys",
                                           "acts on the screen",
                                           "key that acts on the screen",
                                           "one long line",
                                           "zeros",
                                           "numbers that are none"};

const std::vector<Door> kDoors = {
    {"store/meta.json", "data info store"},
    {"store/classes.npy", "data info store"},
    {"store/patches.npy", "data show store --out OUT.png"},
    {"store/pictures.npy", "eval tracks --data store --model untrained", {"nothing"}},
    {"store/strengths.npy", "data info store", {"nothing"}},
    {"pairs.csv", "eval pairs --csv pairs.csv"},
    {"result.json", "eval compare --a result.json --b result.json --value fpr95"},
    {"run/metrics.jsonl", "report run --out OUT.html", kTornLine},
    {"run/run.json", "report run --out OUT.html", {"nothing"}},
    {"run/result.json", "report run --out OUT.html", {"nothing"}},
    {"run/config.toml", "report run --out OUT.html", kAnyContent},
    {"run/snapshots.jsonl", "report run --out OUT.html", kTornLine},
    {"run/curves.json", "report run --out OUT.html", {"nothing"}},
    {"results/result.json", "report results --out OUT.html"},
    {"picture.pgm", "describe --images picture.pgm --out OUT.npy"},
    {"picture.jpg", "describe --images picture.jpg --out OUT.npy"},
    {"keypoints.csv", "describe --images good.pgm --keypoints keypoints.csv --out OUT.npy"},
    {"keypoints.h5", "describe --images good.pgm --keypoints keypoints.h5 --out OUT.npy"},
    {"keypoints.txt", "describe --images good.pgm --keypoints keypoints.txt --out OUT.npy"},
    {"patches.npy", "describe --patches patches.npy --out OUT.npy"},
    {"model.safetensors", "describe --images good.pgm --model model.safetensors --out OUT.npy"},
    {"model.safetensors", "export --model model.safetensors --to onnx --out OUT.onnx"},
    {"model.pth", "import model.pth --out OUT.safetensors"},
    {"sequence/H_1_2", "eval sequences --images sequence --model untrained"},
    {"sequence/2.pgm", "data sequences --images sequence --out OUT"},
    {"model/cameras.bin", "data colmap --model model --images . --database good.db --out OUT"},
    {"model/images.bin", "data check model"},
    {"model/points3D.bin", "data check model"},
    {"phototour/info.txt", "data phototour --root phototour --out OUT"},
    {"phototour/m50_100000_100000_0.txt", "eval phototour --root phototour --model untrained"},
    {"phototour/patches0000.bmp", "data phototour --root phototour --out OUT"},
    {"descriptors.npy", "eval phototour --root phototour --descriptors descriptors.npy"},
    {"splits.json", "data hpatches --root hpatches --splits splits.json --split mine --out OUT"},
    {"hpatches/v_one/e1.png", "data hpatches --root hpatches --split full --part test --out OUT"},
    {"list.csv", "data images --images photographs --keypoints list.csv --out OUT"},
    {"photographs/p.pgm", "data check photographs", {"nothing", "folder"}},  // there is another one
    {"grid.toml", "experiment grid.toml --out OUT", {}, /*slow=*/true},
    {"grid.json", "experiment grid.json --out OUT", {}, /*slow=*/true},
    {"keypoints.db", "data colmap --model model --images . --database keypoints.db --out OUT"},
    {"pictures.db", "colmap --images photographs --detector dog --database pictures.db", {"nothing", "empty"}},
    {"trained/checkpoints/step_000000002/state.json", "train --resume --out trained", {}, /*slow=*/true, {}, true},
    {"trained/checkpoints/step_000000002/network.safetensors", "train --resume --out trained", {}, true, {}, true},
    {"trained/metrics.jsonl", "train --resume --out trained", {}, /*slow=*/true, {}, /*recovers=*/true},
    {"trained/config.toml", "train --resume --out trained", {}, /*slow=*/true, {}, /*recovers=*/true},
    {"trained/run.json", "train --resume --out trained", {}, /*slow=*/true, {}, /*recovers=*/true},
    {"options.toml",
     "train --config options.toml --data store --out OUT",
     {},
     /*slow=*/true,
     {"pipe"}},  // a shell's <(..)
};

struct Ended {
  int code = 0;  // minus the signal that ended it
  bool in_time = true;
  long kilobytes = 0;
  std::string out, err;
};

// In `folder`; ended where it takes too long.
Ended run_program(const fs::path& folder, const std::string& arguments) {
  const fs::path out = folder.string() + ".out", err = folder.string() + ".err";
  const std::string line = "exec '" ADASAMPLE_BINARY "' " + arguments;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto redirect = [](const char* to, int flags, int number) { ::dup2(::open(to, flags, 0600), number); };
    redirect("/dev/null", O_RDONLY, STDIN_FILENO);
    redirect(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
    redirect(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
    if (::chdir(folder.c_str()) != 0) ::_exit(127);
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  Ended ended;
  int status = 0;
  rusage used{};
  const auto end = std::chrono::steady_clock::now() + kPatient;
  while (::wait4(child, &status, WNOHANG, &used) == 0) {
    if (std::chrono::steady_clock::now() > end) {
      ended.in_time = false;
      ::kill(child, SIGKILL);
      ::wait4(child, &status, 0, &used);
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  ended.kilobytes = used.ru_maxrss;
  ended.out = read_text(out);
  ended.err = read_text(err);
  fs::remove(out);
  fs::remove(err);
  return ended;
}

// All files that the doors need, whole.
void make_good_files(const fs::path& folder) {
  fs::create_directories(folder / "photographs");
  testing::small_store(folder / "store", 20, 4);
  testing::MadeRun().write(folder / "run");
  fs::create_directories(folder / "results" / "scores");
  fs::copy_file(std::string(ADASAMPLE_SOURCE_DIR) + "/tests/fuzz/seeds/results_file_fuzz/small.json",
                folder / "results" / "result.json");
  for (const char* name : {"good.pgm", "picture.pgm", "photographs/p.pgm", "photographs/q.pgm"}) {
    write_pgm(folder / name, testing::blob_scene());
  }
  testing::write_small_sequence(folder / "sequence");
  testing::write_model(folder / "model", testing::binary_files(testing::colmap_scene().model), ".bin");
  testing::write_golden_set(folder / "phototour");
  testing::make_sequence(folder / "hpatches", "v_one", 3);
  if (ADASAMPLE_TEST_TORCH != 0) {
    const Ended trained = run_program(folder,
                                      "train --device cpu --threads 1 --data store --batch 4 --k 2 --iterations 2 "
                                      "--checkpoint-every 1 --checkpoint-minutes 0 --out trained");
    EXPECT_EQ(trained.code, 0) << trained.err;
  }
}

class Hostile : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { make_good_files(good() / "all"); }
  static const testing::TempFolder& good() {
    static const testing::TempFolder folder;
    return folder;
  }

  // Empty where all is well, else what is not.
  static std::string complaint(const Door& door, const HostileThing& thing, int number) {
    const fs::path folder = good() / ("case" + std::to_string(number));
    fs::copy(good() / "all", folder, fs::copy_options::recursive);
    fs::remove_all(folder / door.target);
    thing.put(folder / door.target);
    const std::set<std::string> before = names_in(folder);
    const Ended ended = run_program(folder, door.arguments);
    std::string what;
    const auto expect = [&](bool holds, const std::string& sentence) {
      if (!holds) what += "\n    " + sentence;
    };
    const bool accepted = door.taken.contains(thing.name);
    expect(ended.in_time, "did not end");
    expect(ended.code >= 0, "ended by signal " + std::to_string(-ended.code));
    if (ended.in_time && ended.code >= 0 && !accepted && !door.recovers) {
      expect(ended.code == 1 || ended.code == 2, "exit code " + std::to_string(ended.code));
      expect(ended.err.find("adasample: ") != std::string::npos || !ended.out.empty(), "says nothing");
      expect(names_in(folder) == before, "left something behind");
    }
    expect(ended.kilobytes < kMostKilobytes, std::to_string(ended.kilobytes) + " kB of memory");
    expect(ended.err.size() < kMostError, std::to_string(ended.err.size()) + " bytes of messages");
    for (const std::string* text : {&ended.out, &ended.err}) {
      expect(printable(*text, /*keep_lines=*/true) == *text, "passes on what acts on a screen");
    }
    fs::remove_all(folder);
    return what.empty() ? ""
                        : door.arguments + " with " + thing.name + " as " + door.target + ":" + what +
                              "\n    it said: " + printable(ended.err.substr(0, 600), true);
  }

  static std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) names.insert(entry.path().string());
    return names;
  }
};

TEST_F(Hostile, WhateverStandsInPlaceOfAFileIsRefused) {
  struct Case {
    const Door* door;
    const HostileThing* thing;
  };
  const std::vector<HostileThing> things = testing::hostile_things();
  std::vector<Case> cases;
  for (const Door& door : kDoors) {
    if (door.slow && ADASAMPLE_TEST_TORCH == 0) continue;
    for (size_t t = 0; t < things.size(); ++t) {
      if (door.waited_for.contains(things[t].name)) continue;
      if (!door.slow || t % 3 == 1) cases.push_back({&door, &things[t]});
    }
  }
  EXPECT_GE(cases.size(), 300u);
  std::atomic<size_t> next = 0;
  std::mutex mutex;
  int well = 0;
  const auto work = [&] {
    for (size_t i; (i = next++) < cases.size();) {
      const std::string said = complaint(*cases[i].door, *cases[i].thing, static_cast<int>(i));
      const std::lock_guard guard(mutex);
      if (said.empty()) ++well;
      if (!said.empty()) ADD_FAILURE() << said;
    }
  };
  std::thread other(work);
  work();
  other.join();
  std::printf("%zu hostile inputs, %d taken well\n", cases.size(), well);
}

// Somebody else may write to the folder too, and plants a link where a command will write.
TEST_F(Hostile, NothingIsWrittenThroughALink) {
  const std::vector<std::pair<std::string, std::string>> writers = {
      {"o.npy", "describe --images good.pgm --out o.npy"},
      {"o.keypoints.csv", "describe --images good.pgm --out o.npy"},
      {"o.csv", "data keypoints --images photographs --detector dog --out o.csv"},
      {"o", "data synth --classes 4 --views 2 --out o"},
      {"o.png", "data show store --out o.png"},
      {"o.onnx", "export --model default --to onnx --out o.onnx"},
      {"o.html", "report run --out o.html"},
      {"run/report.html", "report run"},
      {"o.db", "colmap --images photographs --detector dog --database o.db"},
      {"o.json", "eval patches --data store --model default --pairs 20 --out o.json"},
  };
  int tried = 0;
  for (const auto& [name, arguments] : writers) {
    const fs::path folder = good() / ("link" + std::to_string(tried));
    const auto fresh = [&] {
      fs::remove_all(folder);
      fs::copy(good() / "all", folder, fs::copy_options::recursive);
      testing::put_bytes(folder / "victim", "mine");
      fs::create_directory(folder / "victims");
    };
    const auto unharmed = [&](const std::string& how) {
      EXPECT_EQ(read_text(folder / "victim"), "mine") << arguments << " with " << how;
      EXPECT_TRUE(fs::is_empty(folder / "victims")) << arguments << " with " << how;
      EXPECT_FALSE(fs::exists(folder / "nowhere")) << arguments << " with " << how;
      ++tried;
    };
    const fs::path place = folder / name, up = place.parent_path();
    for (const char* target : {"victim", "victims", "nowhere"}) {
      fresh();
      fs::create_symlink(folder / target, place);
      const Ended ended = run_program(folder, arguments);
      EXPECT_TRUE(ended.in_time && ended.code >= 0) << arguments << "\n" << ended.err;
      unharmed(std::string("a link to ") + target);
    }
    fresh();  // names that something under construction once had
    for (const char* ending : {".writing", ".writing-1", ".pair.writing", ".next", "-journal"}) {
      fs::create_symlink(folder / "victim", up / ("." + place.filename().string() + ending));
    }
    EXPECT_EQ(run_program(folder, arguments).code, 0) << arguments;
    unharmed("planted links");
    fs::remove_all(folder);
  }
  std::printf("%d planted links\n", tried);
}

}  // namespace
}  // namespace adasample
