// SPDX-License-Identifier: Apache-2.0
// Every command that writes, killed before a call that changes the disk (or half through a write), killed again at the
// same place while it recovers and once more at its first call, then run to the end: what stands under a final name is
// whole at all times, of two things that belong together the main one never stands alone, and in the end everything is
// as if nobody had disturbed it, with nothing left over.
// ADASAMPLE_KILLS=N: at most so many places a command, evenly spread; make check-all takes all of them.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <map>
#include <sstream>

#include "adasample/image/files/pgm.h"
#include "tests/support/fault_run.h"
#include "tests/support/made_run.h"
#include "tests/support/sequence_set.h"
#include "tests/support/small_store.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::FaultRun;

constexpr int kKilled = 128 + SIGKILL;
constexpr int kMostSlow = 40;  // places where a command with LibTorch is killed; resume_tests has more

struct Writer {
  std::string name;
  std::string arguments;                    // IN is the folder of what is read, OUT of what is written
  std::vector<std::string> appears;         // in OUT, the main one last
  bool grows = false;                       // a run folder, which is there from the start and goes on where it stood
  bool torch = false;                       // needs LibTorch, which takes half a second to load
  std::string complete = "already exists";  // what it says where there is nothing to do
};

void PrintTo(const Writer& writer, std::ostream* out) { *out << writer.name; }

const std::vector<Writer> kWriters = {
    {"data synth", "data synth --classes 12 --views 4 --out OUT/s", {"s"}},
    {"data images", "data images --images IN/photographs --detector dog --views 4 --out OUT/s", {"s"}},
    {"data images --holdout",
     "data images --images IN/photographs --detector dog --views 4 --holdout 0.5 --out OUT/s",
     {"s-heldout", "s"}},
    {"data keypoints", "data keypoints --images IN/photographs --detector dog --out OUT/k.csv", {"k.csv"}},
    {"data sequences", "data sequences --images IN/sequence --max 20 --out OUT/h", {"h"}},
    {"data redetected", "data redetected --images IN/sequence --out OUT/r", {"r"}},
    {"data show", "data show IN/store --out OUT/x.png", {"x.png"}},
    {"describe .npy", "describe --images IN/photographs --out OUT/d.npy", {"d.keypoints.csv", "d.npy"}},
    {"describe .csv", "describe --images IN/photographs --out OUT/d.csv", {"d.keypoints.csv", "d.csv"}},
    {"describe .h5", "describe --images IN/photographs --out OUT/d.h5", {"d.h5"}},
    {"describe --patches", "describe --patches IN/store --out OUT/p.npy", {"p.npy"}},
    {"match",
     "match IN/photographs/a.pgm IN/photographs/b.pgm --geometry none --matches OUT/m.csv --out OUT/m.png",
     {"m.csv", "m.png"}},
    {"colmap",
     "colmap --images IN/photographs --detector dog --database OUT/c.db",
     {"c.db"},
     false,
     false,
     "has features of it"},
    {"pairs", "pairs --images IN/photographs --detector dog --top 1 --out OUT/p.txt", {"p.txt"}},
    {"vocabulary",
     "vocabulary --images IN/photographs --detector dog --words 4 --out OUT/v.safetensors",
     {"v.safetensors"}},
    {"eval pairs", "eval pairs --csv IN/pairs.csv --out OUT/e.json", {"e.json"}},
    {"eval patches", "eval patches --data IN/store --model default --pairs 50 --out OUT/e.json", {"e.json"}},
    {"export onnx", "export --model default --to onnx --out OUT/n.onnx", {"n.onnx"}},
    {"export pth", "export --model default --to pth --out OUT/n.pth", {"n.pth"}},
    {"export safetensors", "export --model default --to safetensors --out OUT/n.safetensors", {"n.safetensors"}},
    {"import", "import IN/n.pth --out OUT/n.safetensors", {"n.safetensors"}},
    {"calibrate", "calibrate --model default --patches IN/store --out OUT/n.safetensors", {"n.safetensors"}},
    {"report", "report IN/run --out OUT/r.html", {"r.html"}},
    {"train",
     "train --resume --device cpu --threads 1 --data IN/store --batch 4 --k 2 --iterations 3 --checkpoint-every 1 "
     "--checkpoint-minutes 0 --log-every 1 --out OUT/run",
     {"run"},
     /*grows=*/true,
     /*torch=*/true},
    {"experiment",
     "experiment IN/grid.json --device cpu --threads 1 --out OUT/e",
     {"e"},
     /*grows=*/true,
     /*torch=*/true},
    {"export torchscript", "export --model default --to torchscript --out OUT/n.pt", {"n.pt"}, false, /*torch=*/true},
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

using Tree = std::map<std::string, std::string>;  // path below a folder -> content

Tree tree_of(const fs::path& folder) {
  Tree tree;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = fs::relative(entry.path(), folder);
    tree[name] = entry.is_regular_file() ? read_text(entry.path()) : "folder";
  }
  return tree;
}

class Killed : public ::testing::TestWithParam<Writer> {
 protected:
  static const fs::path& in() {
    static const testing::TempFolder folder;
    static const fs::path made = make_input(folder.path());
    return made;
  }
  static fs::path make_input(const fs::path& folder) {
    fs::create_directory(folder / "photographs");
    write_pgm(folder / "photographs/a.pgm", testing::blob_scene());
    write_pgm(folder / "photographs/b.pgm", testing::blob_scene(Affine2::translation(-20.5, 7.25)));
    testing::write_small_sequence(folder / "sequence");
    testing::small_store(folder / "store", 20, 4);
    testing::MadeRun().write(folder / "run");
    std::string pairs;
    for (int i = 0; i < 40; ++i) pairs += fmt::format("{},{}\n", i % 2, 1.5 - i % 2 + 0.01 * i);
    write_file_atomically(folder / "pairs.csv", pairs);
    write_file_atomically(folder / "grid.json", R"({"title": "Small", "seeds": 1,
      "train": {"iterations": 2, "batch": 4, "k": 2, "checkpoint-every": 1},
      "data": {"leaves": {"classes": 12, "views": 4}}, "heldout": {"others": {"classes": 12, "views": 3}},
      "arm": [{"sampler": "random", "weights": "none"}], "judge": {"kind": "patches", "data": "others"}})");
    testing::run_with_fault(
        {ADASAMPLE_BINARY, "export", "--model", "default", "--to", "pth", "--out", (folder / "n.pth").string()}, "",
        "");
    return folder;
  }

  static std::vector<std::string> command(const fs::path& out) {
    const std::string line = replaced(replaced(GetParam().arguments, "IN", in().string()), "OUT", out.string());
    std::istringstream words(line);
    std::vector<std::string> command = {ADASAMPLE_BINARY, "-q"};
    for (std::string word; words >> word;) command.push_back(word);
    return command;
  }
  static FaultRun run(const fs::path& out, const std::string& fault = "") {
    return testing::run_with_fault(command(out), fault, out.string());
  }

  // What an undisturbed run leaves; what two of them do not agree on (clocks, the folder's name) is empty.
  static Tree undisturbed() {
    Tree trees[2];
    for (Tree& tree : trees) {
      const testing::TempFolder folder;
      const FaultRun done = run(folder.path());
      EXPECT_EQ(done.code, 0) << done.out;
      tree = tree_of(folder.path());
    }
    for (auto& [name, content] : trees[0]) {
      EXPECT_TRUE(trees[1].contains(name)) << name;
      if (trees[1][name] != content) content.clear();
    }
    return trees[0];
  }

  // Nothing half visible.
  static void expect_whole(const fs::path& out, const Tree& expected) {
    const Writer& writer = GetParam();
    const Tree found = tree_of(out);
    for (const auto& [name, content] : found) {
      if (name.starts_with(".")) continue;  // under construction
      const auto whole = expected.find(name);
      if (writer.grows) continue;
      ASSERT_TRUE(whole != expected.end()) << name << " is no part of the result";
      EXPECT_TRUE(whole->second.empty() || content == whole->second) << name << " is not whole";
    }
    if (writer.grows || !found.contains(writer.appears.back())) return;
    for (const std::string& companion : writer.appears) {
      EXPECT_TRUE(found.contains(companion)) << writer.appears.back() << " stands without " << companion;
    }
    for (const auto& [name, content] : expected) EXPECT_TRUE(found.contains(name)) << name << " is missing";
  }

  // Runs until it is done; whether that was so before is all right.
  static void finish(const fs::path& out, const Tree& expected) {
    const bool complete = !GetParam().grows && fs::exists(out / GetParam().appears.back());
    const FaultRun last = run(out);
    EXPECT_TRUE(complete || last.code == 0) << last.out;
    if (complete && last.code != 0) {
      EXPECT_NE(last.out.find(GetParam().complete), std::string::npos) << last.out;
      for (const auto& entry : fs::directory_iterator(out)) {  // swept by whoever writes there again
        if (entry.path().filename().string().starts_with(".")) remove_tree(entry.path());
      }
    }
    expect_whole(out, expected);
    const Tree found = tree_of(out);
    for (const auto& [name, content] : expected) {
      ASSERT_TRUE(found.contains(name)) << name << " is missing";
      EXPECT_TRUE(content.empty() || found.at(name) == content) << name << " differs";
    }
    for (const auto& [name, content] : found) EXPECT_TRUE(expected.contains(name)) << name << " is left over";
  }
};

TEST_P(Killed, AnywhereNothingIsLost) {
  const Tree expected = undisturbed();
  const testing::TempFolder counted;
  const int calls = testing::count_calls(command(counted.path()), "change", counted.path().string());
  ASSERT_GT(calls, 3);
  const char* wanted = std::getenv("ADASAMPLE_KILLS");
  const int asked = wanted != nullptr ? std::atoi(wanted) : GetParam().torch ? 1 : 2;
  const int most = GetParam().torch ? std::min(asked, kMostSlow) : asked, kills = std::min(calls, std::max(most, 1));
  int died = 0;
  for (int k = 0; k < kills; ++k) {
    const int at = calls - (2 * k + 1) * calls / (2 * kills);
    const testing::TempFolder folder;
    const std::string fault = fmt::format("change:{}@{}", k % 2 == 0 ? "KILL" : "KILL_HALF", at);
    SCOPED_TRACE(GetParam().name + " " + fault);
    died += run(folder.path(), fault).code == kKilled ? 1 : 0;
    expect_whole(folder.path(), expected);
    for (const std::string& again : {fault, std::string("change:KILL@1")}) {
      run(folder.path(), again);
      expect_whole(folder.path(), expected);
    }
    finish(folder.path(), expected);
    if (HasFatalFailure()) return;
  }
  std::printf("%s: %d calls, killed at %d of them\n", GetParam().name.c_str(), calls, died);
  EXPECT_GE(died, kills - 1);  // which thread writes when may differ by a call
}

std::vector<Writer> writers() {
  std::vector<Writer> found;
  for (const Writer& writer : kWriters) {
    if (!writer.torch || ADASAMPLE_TEST_TORCH != 0) found.push_back(writer);
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(Commands, Killed, ::testing::ValuesIn(writers()), [](const auto& writer) {
  std::string name = writer.param.name;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace adasample
