// SPDX-License-Identifier: Apache-2.0
// The arrows between modules: docs/architecture.md says which are allowed; sources and CMakeLists.txt must agree with
// it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "adasample/base/error.h"
#include "adasample/base/files/file_io.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::TempFolder;

constexpr int kMaxLines = 800;
constexpr int kMaxFiles = 40;  // of a folder

struct Module {
  std::set<std::string> may_include;
  bool torch = false;
};
using Table = std::map<std::string, Module>;

std::vector<std::string> lines_of(const fs::path& path) {
  std::istringstream text(read_text(path));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// The words of a table cell: "-" is none, and italics do not matter.
std::set<std::string> words_of(std::string cell) {
  std::replace_if(
      cell.begin(), cell.end(), [](unsigned char c) { return !std::isalnum(c) && c != '_' && c != '/'; }, ' ');
  std::istringstream words(cell);
  return {std::istream_iterator<std::string>(words), {}};
}

// The rows of the table that starts with "| module | may include | third party |".
Table read_table(const fs::path& page) {
  Table table;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    std::istringstream row(line);
    std::string before, name, may_include, third_party;
    std::getline(row, before, '|') && std::getline(row, name, '|') && std::getline(row, may_include, '|') &&
        std::getline(row, third_party, '|');
    if (words_of(may_include) == std::set<std::string>{"may", "include"}) {
      inside = true;
    } else if (!line.starts_with('|')) {
      inside = false;
    } else if (inside) {
      const Module module{.may_include = words_of(may_include), .torch = words_of(third_party).contains("LibTorch")};
      for (const std::string& word : words_of(name)) table[word] = module;
    }
  }
  return table;
}

// The row that a path below src/adasample or include/adasample falls under: that of its room where the room has one,
// else that of its module.
std::string row_of(const Table& table, const fs::path& path) {
  const std::string module = path.begin()->string();
  const fs::path below = std::next(path.begin()) == path.end() ? fs::path() : *std::next(path.begin());
  const std::string room = module + "/" + below.string();
  return table.contains(room) ? room : module;
}

void check_arrow(const Table& table, const std::string& from, const std::string& to, const std::string& where,
                 std::vector<std::string>& violations) {
  if (!table.contains(from)) {
    violations.push_back(fmt::format("{}: the module {} is not in the table", where, from));
  } else if (from != to && !table.at(from).may_include.contains(to)) {
    violations.push_back(fmt::format("{}: {} may not include {}", where, from, to));
  }
}

bool is_source(const fs::path& path) {
  return std::set<std::string>{".h", ".cpp", ".cu", ".cuh"}.contains(path.extension().string());
}

std::vector<fs::path> sources_below(const fs::path& folder) {
  std::vector<fs::path> sources;
  if (!fs::exists(folder)) return sources;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && is_source(entry.path())) sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

// What a line includes, "" when it includes nothing: `# include <a/b.h>` gives a/b.h.
std::string included_by(const std::string& line) {
  std::string text;
  std::remove_copy_if(line.begin(), line.end(), std::back_inserter(text),
                      [](unsigned char c) { return std::isspace(c); });
  if (!text.starts_with("#include")) return "";
  text.erase(0, sizeof "#include");  // with the quote or bracket
  return text.substr(0, text.find_first_of("\">"));
}

void check_includes(const fs::path& root, const char* folder, const Table& table,
                    std::vector<std::string>& violations) {
  const bool is_public = std::string_view(folder) == "include";
  const fs::path modules = root / folder / "adasample";
  for (const fs::path& source : sources_below(modules)) {
    const std::string from = row_of(table, fs::relative(source, modules));
    int number = 0;
    for (const std::string& line : lines_of(source)) {
      const std::string where = fmt::format("{}:{}", fs::relative(source, root).string(), ++number);
      const fs::path included = included_by(line);
      const std::string top = included.empty() ? "" : included.begin()->string();
      if (top == "adasample" && included.has_parent_path()) {
        check_arrow(table, from, row_of(table, included.lexically_relative("adasample")), where, violations);
        if (is_public && !fs::exists(root / "include" / included)) {
          violations.push_back(
              fmt::format("{}: a public header may not include {}, which is not public", where, included.string()));
        }
      }
      const bool torch = top == "torch" || top == "ATen" || top == "c10";
      if (torch && !(table.contains(from) && table.at(from).torch)) {
        violations.push_back(fmt::format("{}: {} may not include a Torch header", where, from));
      }
    }
  }
}

void check_cmake(const fs::path& root, const Table& table, std::vector<std::string>& violations) {
  static const std::set<std::string> keywords = {"NAME", "DEPS", "LIBS", "TORCH", "COLD", "ROOMS", "MAYBE"};
  static const std::string call = "adasample_module(";
  const std::string text = read_text(root / "CMakeLists.txt");
  std::set<std::string> built;
  for (size_t at = 0; (at = text.find(call, at)) != std::string::npos;) {
    at += call.size();
    std::istringstream arguments(text.substr(at, text.find(')', at) - at));
    std::string keyword, name;
    for (std::string word; arguments >> word;) {
      if (keywords.contains(word)) {
        keyword = word;
      } else if (keyword == "NAME") {
        built.insert(name = word);
      } else if (keyword == "DEPS") {
        check_arrow(table, name, word, "CMakeLists.txt", violations);
      }
    }
    if (!table.contains(name)) violations.push_back("CMakeLists.txt: the module " + name + " is not in the table");
  }
  for (const fs::path& source : sources_below(root / "src/adasample")) {
    const std::string name = row_of(table, fs::relative(source, root / "src/adasample"));
    if (built.insert(name).second) violations.push_back("CMakeLists.txt: builds no module " + name);
  }
}

void check_files(const fs::path& root, std::vector<std::string>& violations) {
  for (const char* folder : {"include", "src", "tests", "bench", "examples", "python"}) {
    for (const fs::path& source : sources_below(root / folder)) {
      const std::vector<std::string> lines = lines_of(source);
      const std::string where = fs::relative(source, root).string();
      if (lines.empty() || !lines[0].starts_with("// SPDX-License-Identifier: ")) {
        violations.push_back(where + ": does not begin with an SPDX line");
      }
      if (lines.size() > kMaxLines) violations.push_back(fmt::format("{}: has {} lines", where, lines.size()));
      for (size_t i = 0; std::string(folder) == "src" && !where.ends_with("_test.cpp") && i < lines.size(); ++i) {
        if (lines[i].find("remove_all(") == std::string::npos) continue;
        violations.push_back(fmt::format("{}:{}: calls remove_all; base's remove_tree works everywhere", where, i + 1));
      }
    }
  }
}

// The cells of the rows of the table whose head is "| a | b | c |", without blanks around them.
std::vector<std::vector<std::string>> rows_below(const fs::path& page, const std::string& head) {
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (const std::string& line : lines_of(page)) {
    if (line == head) {
      inside = true;
    } else if (!line.starts_with('|')) {
      inside = false;
    } else if (inside && !line.starts_with("|---")) {
      std::istringstream row(line.substr(1));
      std::vector<std::string> cells;
      for (std::string cell; std::getline(row, cell, '|');) {
        const size_t begin = cell.find_first_not_of(' '), end = cell.find_last_not_of(' ');
        cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
      }
      rows.push_back(std::move(cells));
    }
  }
  return rows;
}

// The files of this checkout that `file` includes, and those that they include.
void collect_included(const fs::path& root, const fs::path& file, std::set<fs::path>& seen) {
  for (const std::string& line : lines_of(file)) {
    const std::string included = included_by(line);
    if (!included.starts_with("adasample/")) continue;
    for (const char* folder : {"src", "include"}) {
      const fs::path found = root / folder / included;
      if (fs::exists(found) && seen.insert(found).second) collect_included(root, found, seen);
    }
  }
}

// A judge's room does not see the rooms of what it judges.
void check_apart(const fs::path& root, std::vector<std::string>& violations) {
  for (const auto& cells : rows_below(root / "docs/architecture.md", "| room | never sees |")) {
    const std::vector<fs::path> sources = sources_below(root / "src/adasample" / cells.at(0));
    if (sources.empty()) violations.push_back("docs/architecture.md: no room " + cells[0]);
    for (const fs::path& source : sources) {
      std::set<fs::path> seen;
      collect_included(root, source, seen);
      for (const fs::path& header : seen) {
        const std::string room = fs::relative(header.parent_path(), root / "src/adasample").string();
        if (!words_of(cells.at(1)).contains(room)) continue;
        violations.push_back(fmt::format("{}: sees {}, and must not see {}", fs::relative(source, root).string(),
                                         fs::relative(header, root).string(), room));
      }
    }
  }
}

// Every folder below src/adasample is small enough to be seen at a glance, and the page says where to begin in it.
void check_folders(const fs::path& root, std::vector<std::string>& violations) {
  const fs::path modules = root / "src/adasample";
  std::map<std::string, int> files;
  for (const auto& entry : fs::recursive_directory_iterator(modules)) {
    if (entry.is_regular_file()) ++files[fs::relative(entry.path().parent_path(), modules).string()];
  }
  std::set<std::string> named;
  for (const auto& cells : rows_below(root / "docs/architecture.md", "| folder | holds | read first |")) {
    named.insert(cells.at(0));
    std::istringstream list(cells.at(2));
    for (std::string file; std::getline(list >> std::ws, file, ',');) {
      if (!fs::exists(modules / cells[0] / file)) {
        violations.push_back(fmt::format("docs/architecture.md: no file {}/{}", cells[0], file));
      }
    }
  }
  for (const auto& [folder, count] : files) {
    if (count > kMaxFiles) violations.push_back(fmt::format("src/adasample/{}: has {} files", folder, count));
    if (!named.contains(folder)) {
      violations.push_back(fmt::format("docs/architecture.md: does not say what to read first in {}", folder));
    }
  }
}

// The page follows photographs from function to function, "| file | `function`, .. | does |": each stands where it
// says.
void check_walks(const fs::path& root, std::vector<std::string>& violations) {
  std::ifstream page(root / "docs/architecture.md");
  static const std::regex row(R"(\| ([\w/]+\.(?:cpp|h)) \| (`.*`) \| .*)"), name(R"((\w+)`)");
  std::smatch cells;
  for (std::string line; std::getline(page, line);) {
    if (!std::regex_match(line, cells, row)) continue;
    std::ifstream file(root / "src/adasample" / cells[1].str());
    const std::string text{std::istreambuf_iterator<char>(file), {}}, functions = cells[2];
    for (std::sregex_iterator at(functions.begin(), functions.end(), name), end; at != end; ++at) {
      if (text.find((*at)[1].str() + "(") != std::string::npos) continue;
      violations.push_back(fmt::format("docs/architecture.md: no {} in {}", (*at)[1].str(), cells[1].str()));
    }
  }
}

// Every breach of the rules of docs/architecture.md in the checkout `root`, one line each.
std::vector<std::string> layering_violations(const fs::path& root) {
  const Table table = read_table(root / "docs/architecture.md");
  std::vector<std::string> violations;
  if (table.empty()) violations.push_back("docs/architecture.md: no table of modules found");
  for (const char* folder : {"include", "src"}) check_includes(root, folder, table, violations);
  check_cmake(root, table, violations);
  check_files(root, violations);
  check_folders(root, violations);
  check_walks(root, violations);
  check_apart(root, violations);
  return violations;
}

TEST(Layering, ThisCheckoutKeepsTheRules) {
  const fs::path root = ADASAMPLE_SOURCE_DIR;
  EXPECT_GE(read_table(root / "docs/architecture.md").size(), 11u);
  EXPECT_GE(sources_below(root / "src/adasample").size(), 50u);
  for (const std::string& violation : layering_violations(root)) ADD_FAILURE() << violation;
}

// A made-up checkout that keeps the rules; each test below breaks one.
class MadeUpTree : public ::testing::Test {
 protected:
  MadeUpTree() {
    put("docs/architecture.md",
        "| module | may include | third party |\n|---|---|---|\n| base | - | fmt |\n| net | base | LibTorch |\n"
        "| eval | base | - |\n| *cli* | base, eval, net | - |\n\n| other | table | here |\n|---|---|---|\n| eval | net "
        "| - |\n\n| folder | holds | read first |\n|---|---|---|\n| base | all | a.h |\n| eval | some | b.cpp |\n"
        "| net | more | c.h |\n| net/run | runs | d.h |\n");
    put("src/adasample/net/run/d.h", spdx_);
    put("CMakeLists.txt",
        "adasample_module(NAME base)\nadasample_module(NAME net DEPS base TORCH)\n"
        "adasample_module(NAME eval\n  DEPS base LIBS ${Some_LIBS})\n");
    put("src/adasample/base/a.h", spdx_ + "#include <vector>\n");
    put("src/adasample/eval/b.cpp", spdx_ + "#include \"adasample/base/a.h\"\n#include \"adasample/eval/b.h\"\n");
    put("src/adasample/net/c.h", spdx_ + "#include <torch/torch.h>\n");
  }

  void put(const std::string& path, const std::string& content) {
    fs::create_directories((folder_ / path).parent_path());
    write_file_atomically(folder_ / path, content);
  }

  void expect_only(const std::string& violation) {
    EXPECT_EQ(layering_violations(folder_.path()), std::vector<std::string>{violation});
  }

  const std::string spdx_ = "// SPDX-License-Identifier: Apache-2.0\n";
  TempFolder folder_;
};

TEST_F(MadeUpTree, KeepsTheRules) { EXPECT_EQ(layering_violations(folder_.path()), std::vector<std::string>{}); }

TEST_F(MadeUpTree, UpwardInclude) {
  put("src/adasample/base/a.h", spdx_ + "\n  #  include \"adasample/eval/b.h\"\n");
  expect_only("src/adasample/base/a.h:3: base may not include eval");
}

// A room without a row of its own is its module's.
TEST_F(MadeUpTree, SidewaysIncludeInARoom) {
  put("src/adasample/net/run/d.h", spdx_ + "#include \"adasample/eval/b.h\"\n");
  expect_only("src/adasample/net/run/d.h:2: net may not include eval");
}

// A room with a row of its own keeps that row's arrows, not its module's.
TEST_F(MadeUpTree, RoomWithItsOwnRow) {
  put("docs/architecture.md",
      read_text(folder_ / "docs/architecture.md")
          .insert(0, "| module | may include | third party |\n|---|---|---|\n| net/run | base | - |\n"));
  put("CMakeLists.txt", "adasample_module(NAME net/run DEPS base)\n" + read_text(folder_ / "CMakeLists.txt"));
  put("src/adasample/net/run/d.h", spdx_ + "#include \"adasample/base/a.h\"\n");
  EXPECT_EQ(layering_violations(folder_.path()), std::vector<std::string>{});
  put("src/adasample/net/run/d.h", spdx_ + "#include <torch/torch.h>\n#include \"adasample/net/c.h\"\n");
  EXPECT_EQ(layering_violations(folder_.path()),
            (std::vector<std::string>{"src/adasample/net/run/d.h:2: net/run may not include a Torch header",
                                      "src/adasample/net/run/d.h:3: net/run may not include net"}));
}

TEST_F(MadeUpTree, RoomWithARowButNoTarget) {
  put("docs/architecture.md",
      read_text(folder_ / "docs/architecture.md")
          .insert(0, "| module | may include | third party |\n|---|---|---|\n| net/run | base | - |\n"));
  put("src/adasample/net/run/d.h", spdx_);
  expect_only("CMakeLists.txt: builds no module net/run");
}

TEST_F(MadeUpTree, PublicHeaderKeepsTheArrowsToo) {
  put("include/adasample/base/p.h", spdx_ + "#include \"adasample/eval/q.h\"\n");
  put("include/adasample/eval/q.h", spdx_);
  expect_only("include/adasample/base/p.h:2: base may not include eval");
}

TEST_F(MadeUpTree, PublicHeaderThatNeedsAPrivateOne) {
  put("include/adasample/eval/q.h", spdx_ + "#include \"adasample/base/a.h\"\n");
  expect_only("include/adasample/eval/q.h:2: a public header may not include adasample/base/a.h, which is not public");
}

TEST_F(MadeUpTree, UnknownModule) {
  put("src/adasample/util/d.h", spdx_ + "#include \"adasample/base/a.h\"\n");
  EXPECT_EQ(layering_violations(folder_.path()),
            (std::vector<std::string>{"src/adasample/util/d.h:2: the module util is not in the table",
                                      "CMakeLists.txt: builds no module util",
                                      "docs/architecture.md: does not say what to read first in util"}));
}

TEST_F(MadeUpTree, TorchWhereItDoesNotBelong) {
  put("src/adasample/eval/b.cpp", spdx_ + "#include <ATen/ATen.h>\n");
  expect_only("src/adasample/eval/b.cpp:2: eval may not include a Torch header");
}

TEST_F(MadeUpTree, CmakeArrow) {
  put("CMakeLists.txt",
      "adasample_module(NAME base)\nadasample_module(NAME net DEPS base eval TORCH)\nadasample_module(NAME eval DEPS "
      "base)\n");
  expect_only("CMakeLists.txt: net may not include eval");
}

TEST_F(MadeUpTree, CmakeModuleNotInTheTable) {
  put("CMakeLists.txt", read_text(folder_ / "CMakeLists.txt") + "adasample_module(NAME extra)\n");
  expect_only("CMakeLists.txt: the module extra is not in the table");
}

TEST_F(MadeUpTree, FolderThatThePageDoesNotName) {
  put("src/adasample/eval/room/d.h", spdx_);
  expect_only("docs/architecture.md: does not say what to read first in eval/room");
}

TEST_F(MadeUpTree, FileToReadFirstThatIsGone) {
  fs::remove(folder_ / "src/adasample/net/run/d.h");
  put("src/adasample/net/run/e.h", spdx_);
  expect_only("docs/architecture.md: no file net/run/d.h");
}

TEST_F(MadeUpTree, AWalkThroughAFunctionThatMoved) {
  put("docs/architecture.md", read_text(folder_ / "docs/architecture.md") +
                                  "\n| file | function | does |\n|---|---|---|\n| base/a.h | `begin` | it |\n");
  put("src/adasample/base/a.h", spdx_ + "void begin();\n");
  EXPECT_EQ(layering_violations(folder_.path()), std::vector<std::string>{});
  put("src/adasample/base/a.h", spdx_ + "void start();\n");
  expect_only("docs/architecture.md: no begin in base/a.h");
}

TEST_F(MadeUpTree, AJudgeThatSeesWhatItJudges) {
  put("docs/architecture.md", read_text(folder_ / "docs/architecture.md") +
                                  "\n| room | never sees |\n|---|---|\n| eval | other/room, net/run |\n");
  EXPECT_EQ(layering_violations(folder_.path()), std::vector<std::string>{});
  put("docs/architecture.md", std::regex_replace(read_text(folder_ / "docs/architecture.md"),
                                                 std::regex("eval \\| base \\|"), "eval | base, net |"));
  put("src/adasample/net/c.h", spdx_ + "#include \"adasample/net/run/d.h\"\n");
  put("src/adasample/eval/b.cpp", spdx_ + "#include \"adasample/net/c.h\"\n");
  expect_only("src/adasample/eval/b.cpp: sees src/adasample/net/run/d.h, and must not see net/run");
}

TEST_F(MadeUpTree, CrowdedFolder) {
  for (int i = 0; i < kMaxFiles; ++i) put(fmt::format("src/adasample/base/x{}.h", i), spdx_);
  expect_only("src/adasample/base: has 41 files");
}

TEST_F(MadeUpTree, NoSpdxLine) {
  put("tests/x_test.cpp", "#include <vector>\n" + spdx_);
  expect_only("tests/x_test.cpp: does not begin with an SPDX line");
}

TEST_F(MadeUpTree, TheRemoveAllThatLibTorchBreaks) {
  put("src/adasample/base/a_test.cpp", spdx_ + "std::filesystem::remove_all(folder);\n");
  EXPECT_EQ(layering_violations(folder_.path()), std::vector<std::string>{});
  put("src/adasample/base/a.h", spdx_ + "\n// fs::remove_all is not ours\nfs::remove_all(folder);\n");
  expect_only("src/adasample/base/a.h:4: calls remove_all; base's remove_tree works everywhere");
}

TEST_F(MadeUpTree, TooLong) {
  std::string text = spdx_;
  for (int i = 0; i < kMaxLines; ++i) text += "\n";
  put("src/adasample/base/a.h", text);
  expect_only("src/adasample/base/a.h: has 801 lines");
}

TEST_F(MadeUpTree, NoTable) {
  put("docs/architecture.md", "# Architecture\n");
  const std::vector<std::string> violations = layering_violations(folder_.path());
  EXPECT_EQ(violations.at(0), "docs/architecture.md: no table of modules found");
  EXPECT_GT(violations.size(), 3u);  // and nothing is allowed
}

}  // namespace
}  // namespace adasample
