// SPDX-License-Identifier: Apache-2.0
// The documents against the tree: README's commands run in order in an empty folder, every link leads somewhere, every
// option and make target in a command block exists, README's C++ is the example that is compiled.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "adasample/image/scenes/dead_leaves.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/turned_jpeg.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = ADASAMPLE_SOURCE_DIR;

// What is added to a command so that it takes seconds: sizes, nothing else. By the words it begins with.
const std::vector<std::pair<std::string, std::string>> kSmaller = {
    {"adasample demo", "--classes 64"},
    {"adasample train", "--batch 8 --k 3 --iterations 4"},
    {"adasample data images", "--per-image 20"},
    {"adasample eval patches", "--pairs 300"},
    {"adasample describe", "--max-keypoints 100"},
    {"adasample colmap", "--max-keypoints 100"},
};

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct Document {
  fs::path path;
  std::string prose;                                        // without the blocks
  std::vector<std::pair<std::string, std::string>> blocks;  // language, text

  explicit Document(const fs::path& file) : path(file) {
    bool inside = false;
    for (const std::string& line : lines_of(read_text(file))) {
      const size_t fence = line.find("```");
      if (fence != std::string::npos && line.find_first_not_of(' ') == fence) {
        inside = !inside;
        if (inside) blocks.emplace_back(line.substr(fence + 3), "");
      } else {
        (inside ? blocks.back().second : prose) += line + "\n";
      }
    }
    EXPECT_FALSE(inside) << file << ": a block without an end";
  }

  std::string name() const { return path.lexically_relative(kRoot).string(); }

  // The lines of its shell blocks, continued ones joined, without comments.
  std::vector<std::string> commands() const {
    std::vector<std::string> commands;
    for (const auto& [language, text] : blocks) {
      if (language != "sh") continue;
      for (std::string line : lines_of(std::regex_replace(text, std::regex("\\\\\n"), " "))) {
        line = line.substr(0, line.starts_with("#") ? 0 : line.find(" #"));
        line.erase(line.find_last_not_of(' ') + 1);
        if (!line.empty()) commands.push_back(line);
      }
    }
    return commands;
  }
};

std::vector<Document> documents() {
  std::vector<Document> all;
  for (const char* file : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "weights/README.md"}) {
    all.emplace_back(kRoot / file);
  }
  for (const char* folder : {"docs", "bench", "experiments"}) {
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
      if (entry.path().extension() == ".md") all.emplace_back(entry.path());
    }
  }
  return all;
}

std::set<std::string> make_targets() {
  std::set<std::string> targets;
  for (const std::string& line : lines_of(read_text(kRoot / "Makefile"))) {
    static const std::regex rule("^([a-z][a-z -]*):([^=].*)?$");
    std::smatch match;
    if (!std::regex_match(line, match, rule)) continue;
    for (const std::string& target : words_of(match[1])) targets.insert(target);
  }
  return targets;
}

// "make test PREFIX=/x": every target there is in the Makefile.
void expect_make_targets(const std::string& command, const std::string& where) {
  static const std::set<std::string> known = make_targets();
  const std::vector<std::string> words = words_of(command);
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i].find('=') != std::string::npos) continue;
    EXPECT_TRUE(known.contains(words[i])) << where << ": the Makefile has no target " << words[i];
  }
}

class Readme : public ::testing::Test {
 protected:
  // What README's commands start from: two photographs of one scene, and a folder of others.
  void write_inputs() const {
    const auto part = [](const GrayImage& image, int x0, int y0, int width, int height) {
      GrayImage cut(width, height);
      for (int y = 0; y < height; ++y) std::copy_n(image.row(y0 + y) + x0, width, cut.row(y));
      return cut;
    };
    const GrayImage scene = dead_leaves_scene(RngKey(1, Draw::kScene));
    testing::write_jpeg(folder_ / "a.jpg", part(scene, 0, 0, 400, 280));
    testing::write_jpeg(folder_ / "b.jpg", part(scene, 50, 30, 400, 280));
    fs::create_directory(folder_ / "photos");
    for (uint64_t i = 2; i < 8; ++i) {
      testing::write_jpeg(folder_ / fmt::format("photos/{}.jpg", i), dead_leaves_scene(RngKey(i, Draw::kScene)));
    }
  }

  // The program is found as `adasample`, like everything on the PATH.
  testing::Process start(const std::string& command) const {
    const std::string bin = fs::path(ADASAMPLE_BINARY).parent_path().string();
    return testing::Process(folder_.path(), command, "PATH='" + bin + "':\"$PATH\"");
  }
  int run(const std::string& command) const { return start(command).wait(); }

  // The demo scores on 2,000 classes whatever the size of the training set, which takes minutes on a busy machine; what
  // comes of it experiment_tests sees. Here it is stopped by Ctrl-C when it has made its stores, and small ones take
  // their place for the commands that follow.
  void run_demo(const std::string& command) const {
    testing::Process demo = start(command);
    ASSERT_TRUE(demo.wait_until([&] { return fs::exists(folder_ / "demo/heldout"); })) << command << "\n" << said();
    demo.kill(SIGINT);
    ASSERT_EQ(demo.wait(), 130) << command << "\n" << said();
    EXPECT_TRUE(fs::exists(folder_ / "demo/train")) << said();
    EXPECT_TRUE(fs::exists(folder_ / "demo/patches.png")) << said();
    EXPECT_TRUE(fs::exists(folder_ / "demo/table.txt")) << said();
    remove_tree(folder_ / "demo");
    fs::create_directory(folder_ / "demo");
    ASSERT_EQ(run("adasample data synth --classes 64 --views 4 --out demo/train"), 0) << said();
    ASSERT_EQ(run("adasample data synth --classes 64 --views 4 --part heldout --out demo/heldout"), 0) << said();
  }
  std::string said() const { return read_text(folder_ / "out.txt") + read_text(folder_ / "err.txt"); }

  testing::TempFolder folder_;
};

TEST_F(Readme, EveryCommandRuns) {
  write_inputs();
  int ran = 0;
  for (const std::string& command : Document(kRoot / "README.md").commands()) {
    if (command.starts_with("make ")) {
      expect_make_targets(command, "README.md");
      continue;
    }
    ASSERT_TRUE(command.starts_with("adasample ")) << "README.md: this test cannot run: " << command;
    std::string smaller = command;
    for (const auto& [beginning, sizes] : kSmaller) {
      if (command == beginning || command.starts_with(beginning + " ")) smaller += " " + sizes;
    }
    ++ran;
    if (command == "adasample demo") {
      ASSERT_NO_FATAL_FAILURE(run_demo(smaller));
    } else {
      ASSERT_EQ(run(smaller), 0) << smaller << "\n" << said();
    }
  }
  EXPECT_GE(ran, 10) << "were the blocks found?";
  for (const char* file : {"matches.png", "runs/first/model.safetensors", "runs/first/best.safetensors",
                           "runs/first/checkpoints", "runs/first/metrics.jsonl", "runs/first/report.html",
                           "train-heldout/patches.npy", "train.png", "photos.db", "photos.h5", "net.onnx"}) {
    EXPECT_TRUE(fs::exists(folder_ / file)) << file;
  }
}

TEST_F(Readme, ItsCppIsTheExample) {
  const std::string example = read_text(kRoot / "examples/match_photographs.cpp");
  int found = 0;
  for (const auto& [language, text] : Document(kRoot / "README.md").blocks) {
    if (language != "cpp") continue;
    EXPECT_EQ(text, example.substr(example.find("#include")));
    ++found;
  }
  EXPECT_EQ(found, 1);
}

// The names a heading can be linked by, as GitHub makes them.
std::set<std::string> anchors_of(const Document& document) {
  std::set<std::string> anchors;
  for (const std::string& line : lines_of(document.prose)) {
    const size_t begin = line.find_first_not_of('#');
    if (begin == 0 || begin == std::string::npos || line[begin] != ' ') continue;
    std::string anchor;
    for (const char c : line.substr(begin + 1)) {
      if (c == ' ') anchor += '-';
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') {
        anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      }
    }
    anchors.insert(anchor);
  }
  return anchors;
}

TEST(Documents, LinksLeadSomewhere) {
  int links = 0;
  for (const Document& document : documents()) {
    static const std::regex link("\\]\\(([^)\\s]+)\\)");
    for (std::sregex_iterator i(document.prose.begin(), document.prose.end(), link), end; i != end; ++i) {
      const std::string target = (*i)[1];
      if (target.find(':') != std::string::npos) continue;  // https:, mailto:
      const std::string file = target.substr(0, target.find('#'));
      const fs::path path = file.empty() ? document.path : document.path.parent_path() / file;
      ++links;
      if (!fs::exists(path)) {
        ADD_FAILURE() << document.name() << ": " << target << ": no such file";
      } else if (target.size() > file.size()) {
        EXPECT_TRUE(anchors_of(Document(path)).contains(target.substr(file.size() + 1)))
            << document.name() << ": " << target << ": no such heading";
      }
    }
  }
  EXPECT_GE(links, 50);
}

// The help of each command, by its name: "data images". Another test compares docs/cli.md with the program.
std::map<std::string, std::string> help_texts() {
  std::map<std::string, std::string> texts;
  std::string command;
  for (const std::string& line : lines_of(read_text(kRoot / "docs/cli.md"))) {
    if (line.starts_with("## adasample")) command = line.size() > 13 ? line.substr(13) : "";
    texts[command] += line + "\n";
  }
  return texts;
}

TEST(Documents, CommandsHaveTheOptionsTheyAreShownWith) {
  const std::map<std::string, std::string> helps = help_texts();
  ASSERT_GE(helps.size(), 30u);
  int commands = 0;
  for (const Document& document : documents()) {
    for (const std::string& line : document.commands()) {
      const std::string where = document.name() + ": " + line;
      if (line.starts_with("make ")) expect_make_targets(line, where);
      static const std::regex program("^(\\S*/)?adasample ([^|;&>]*).*$");
      std::smatch match;
      if (!std::regex_match(line, match, program)) continue;
      ++commands;
      const std::vector<std::string> words = words_of(match[2]);
      std::string command = words.empty() ? "" : words[0];
      if (!helps.contains(command) && words.size() > 1) command += " " + words[1];
      if (words.empty() || !helps.contains(command)) {
        ADD_FAILURE() << where << ": no such command";
        continue;
      }
      for (const std::string& word : words) {
        if (!word.starts_with("--")) continue;
        const std::regex option(word.substr(0, word.find('=')) + "(?![a-z-])");
        EXPECT_TRUE(std::regex_search(helps.at(command), option) || std::regex_search(helps.at(""), option))
            << where << ": no option " << word;
      }
    }
  }
  EXPECT_GE(commands, 60);
}

}  // namespace
}  // namespace adasample
