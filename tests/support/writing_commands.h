// SPDX-License-Identifier: Apache-2.0
// Every command that writes, with arguments that take a moment, for tests that kill it and tests that stop it.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "adasample/image/files/pgm.h"
#include "tests/support/fault_run.h"
#include "tests/support/made_run.h"
#include "tests/support/sequence_set.h"
#include "tests/support/small_store.h"

namespace adasample::testing {

struct Writer {
  std::string name;
  std::string arguments;                    // IN is the folder of what is read, OUT of what is written
  std::vector<std::string> appears;         // in OUT, the main one last
  bool grows = false;                       // a run folder, which is there from the start and goes on where it stood
  bool torch = false;                       // needs LibTorch, which takes half a second to load
  std::string complete = "already exists";  // what it says where there is nothing to do
  std::vector<std::string> clocks = {};     // in OUT, files that tell seconds, by which two runs agree by chance only
};

inline void PrintTo(const Writer& writer, std::ostream* out) { *out << writer.name; }

inline const std::vector<Writer> kWriters = {
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
    {"match --features", "match --features IN/f.h5 --out OUT/m.h5", {"m.h5"}},
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
     /*torch=*/true,
     "already exists",
     {"e/table.txt", "e/table.md", "e/report.html"}},
    {"export torchscript", "export --model default --to torchscript --out OUT/n.pt", {"n.pt"}, false, /*torch=*/true},
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

// What they read.
inline std::filesystem::path make_writing_input(const std::filesystem::path& folder) {
  std::filesystem::create_directory(folder / "photographs");
  write_pgm(folder / "photographs/a.pgm", blob_scene());
  write_pgm(folder / "photographs/b.pgm", blob_scene(Affine2::translation(-20.5, 7.25)));
  write_small_sequence(folder / "sequence");
  small_store(folder / "store", 20, 4);
  MadeRun().write(folder / "run");
  std::string pairs;
  for (int i = 0; i < 40; ++i) pairs += fmt::format("{},{}\n", i % 2, 1.5 - i % 2 + 0.01 * i);
  write_file_atomically(folder / "pairs.csv", pairs);
  write_file_atomically(folder / "grid.json", R"({"title": "Small", "seeds": 1,
    "train": {"iterations": 2, "batch": 4, "k": 2, "checkpoint-every": 1},
    "data": {"leaves": {"classes": 12, "views": 4}}, "heldout": {"others": {"classes": 12, "views": 3}},
    "arm": [{"sampler": "random", "weights": "none"}], "judge": {"kind": "patches", "data": "others"}})");
  run_with_fault(
      {ADASAMPLE_BINARY, "export", "--model", "default", "--to", "pth", "--out", (folder / "n.pth").string()}, "", "");
  run_with_fault({ADASAMPLE_BINARY, "describe", "--images", (folder / "photographs").string(), "--max-keypoints", "100",
                  "--out", (folder / "f.h5").string()},
                 "", "");
  return folder;
}

inline std::vector<std::string> words_of(const std::string& arguments, const std::filesystem::path& in,
                                         const std::filesystem::path& out) {
  std::istringstream words(replaced(replaced(arguments, "IN", in.string()), "OUT", out.string()));
  std::vector<std::string> command = {ADASAMPLE_BINARY, "-q"};
  for (std::string word; words >> word;) command.push_back(word);
  return command;
}

}  // namespace adasample::testing
