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

#include "adasample/integrate/colmap/sqlite/sqlite.h"
#include "tests/support/fault_run.h"
#include "tests/support/temp_folder.h"
#include "tests/support/writing_commands.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using testing::FaultRun;
using testing::Writer;

constexpr int kKilled = 128 + SIGKILL;

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
    static const fs::path made = testing::make_writing_input(folder.path());
    return made;
  }
  static std::vector<std::string> command(const fs::path& out) {
    return testing::words_of(GetParam().arguments, in(), out);
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
    for (const std::string& name : GetParam().clocks) {
      EXPECT_TRUE(trees[0].contains(name)) << name;
      trees[0][name].clear();
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
  const int kills = std::min(calls, std::max(asked, 1));
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

// All rows of all tables, as a reader finds them; of a copy, so that nobody but the command mends the original.
std::string rows_of(const fs::path& folder, const std::string& name) {
  const testing::TempFolder copy;
  fs::copy(folder, copy / "db", fs::copy_options::recursive);
  Sqlite database((copy / "db" / name).string(), SQLITE_OPEN_READWRITE, "copy", "a database");
  std::string all;
  for (const char* table : {"cameras", "images", "keypoints", "descriptors", "matches", "two_view_geometries"}) {
    SqliteStatement rows(database, fmt::format("SELECT * FROM {} ORDER BY 1", table));
    sqlite3_stmt* statement = rows.get();
    for (all += table; rows.step();) {
      for (int c = 0; c < sqlite3_column_count(statement); ++c) {
        const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, c));
        all +=
            "|" + std::string(bytes == nullptr ? "" : bytes, static_cast<size_t>(sqlite3_column_bytes(statement, c)));
      }
    }
  }
  return all;
}

// A database that is there already: SQLite writes into it under a journal. Whoever opens it next finds all of the new
// features or none, and what was there before at all times.
class KilledInADatabase : public ::testing::TestWithParam<std::string> {
 protected:
  static std::string content(const fs::path& folder) { return rows_of(folder, "c.db"); }
};

TEST_P(KilledInADatabase, NothingIsLost) {
  const testing::TempFolder input, start;
  const fs::path in = testing::make_writing_input(input.path());
  fs::create_directory(in / "more");
  fs::rename(in / "photographs/b.pgm", in / "more/b.pgm");
  const auto run = [&](const std::string& arguments, const fs::path& out, const std::string& fault) {
    return testing::run_with_fault(testing::words_of(arguments, in, out), fault, out.string());
  };
  ASSERT_EQ(run("colmap --images IN/photographs --detector dog --database OUT/c.db", start.path(), "").code, 0);
  const auto fresh = [&](const fs::path& at) { fs::copy(start.path(), at, fs::copy_options::recursive); };
  const std::string before = content(start.path());
  std::string after;
  int calls = 0;
  {
    const testing::TempFolder done;
    fresh(done / "o");
    calls = testing::count_calls(testing::words_of(GetParam(), in, done / "o"), "change", (done / "o").string());
    after = content(done / "o");
  }
  ASSERT_GT(calls, 3);
  ASSERT_NE(before, after);
  const char* wanted = std::getenv("ADASAMPLE_KILLS");
  const int kills = std::min(calls, std::max(1, wanted != nullptr ? std::atoi(wanted) : 2));
  for (int k = 0; k < kills; ++k) {
    const int at = calls - (2 * k + 1) * calls / (2 * kills);
    const testing::TempFolder around;
    const fs::path folder = around / "o";
    fresh(folder);
    const std::string fault = fmt::format("change:{}@{}", k % 2 == 0 ? "KILL" : "KILL_HALF", at);
    SCOPED_TRACE(GetParam() + " " + fault);
    EXPECT_EQ(run(GetParam(), folder, fault).code, kKilled);
    for (const std::string& again : {fault, std::string("change:KILL@1"), std::string()}) {
      const std::string found = content(folder);
      EXPECT_TRUE(found == before || found == after) << "half written, before " << again;
      if (found == after) break;
      run(GetParam(), folder, again);
    }
    EXPECT_EQ(content(folder), after);
    for (const auto& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(name == "c.db" || name == "c.db-journal") << name << " is left over";
    }
  }
  std::printf("%s: %d calls, killed at %d of them\n", GetParam().c_str(), calls, kills);
}

INSTANTIATE_TEST_SUITE_P(Commands, KilledInADatabase,
                         ::testing::Values("colmap --images IN/more --detector dog --database OUT/c.db",
                                           "colmap --images IN/photographs --model rootsift --redescribe --database "
                                           "OUT/c.db"));

// What describes, matches and maps saves in between and goes on from there: at all times pictures have both keypoints
// and descriptors, pairs both matches and a geometry; in the end the rows are those of a run that nobody disturbed.
struct Stages {
  std::string arguments, database, last;  // below OUT: the database, and what is there in the end
};

class KilledBetweenStages : public ::testing::TestWithParam<Stages> {
 protected:
  static void expect_whole(const fs::path& out) {
    if (!fs::exists(out / GetParam().database)) return;
    const testing::TempFolder copy;
    fs::copy(out, copy / "o", fs::copy_options::recursive);
    Sqlite database((copy / "o" / GetParam().database).string(), SQLITE_OPEN_READWRITE, "copy", "a database");
    const auto alone = [&](const char* table, const char* other, const char* key) {
      return sqlite_number(
          database, fmt::format("SELECT count(*) FROM {0} WHERE {2} NOT IN (SELECT {2} FROM {1})", table, other, key));
    };
    EXPECT_EQ(alone("images", "keypoints", "image_id") + alone("images", "descriptors", "image_id"), 0);
    EXPECT_EQ(alone("matches", "two_view_geometries", "pair_id"), 0);
    EXPECT_EQ(alone("two_view_geometries", "matches", "pair_id"), 0);
  }
};

TEST_P(KilledBetweenStages, TheSameRows) {
  const Stages& stages = GetParam();
  const testing::TempFolder input, done;
  const fs::path in = testing::make_writing_input(input.path());
  write_pgm(in / "photographs/c.pgm", testing::blob_scene(Affine2::translation(-9.5, -4)));
  // Plays COLMAP's part.
  write_file_atomically(in / "colmap.sh", R"(#!/bin/sh
[ "$1" = help ] && { echo "mapper"; exit 0; }
out=; while [ $# -gt 0 ]; do [ "$1" = --output_path ] && out=$2; shift; done
mkdir "$out/0"
echo "1 SIMPLE_PINHOLE 240 160 288 120 80" > "$out/0/cameras.txt"
printf '1 1 0 0 0 0 0 0 1 a.pgm\n10 20 1\n2 1 0 0 0 -1 0 0 1 b.pgm\n30 40 1\n' > "$out/0/images.txt"
echo "1 0.5 0 4 9 9 9 0.25 1 0 2 0" > "$out/0/points3D.txt"
)");
  fs::permissions(in / "colmap.sh", fs::perms::owner_all);
  ::setenv("COLMAP", (in / "colmap.sh").c_str(), 1);
  const auto command = [&](const fs::path& out) { return testing::words_of(stages.arguments, in, out); };
  const int calls = testing::count_calls(command(done.path()), "change", done.path().string());
  ASSERT_GT(calls, 3);
  const std::string rows = rows_of(done.path(), stages.database);
  ASSERT_NE(rows.find("two_view_geometries|"), std::string::npos);
  const char* wanted = std::getenv("ADASAMPLE_KILLS");
  const int kills = std::min(calls, std::max(1, wanted != nullptr ? std::atoi(wanted) : 3));
  int died = 0;
  for (int k = 0; k < kills; ++k) {
    const int at = calls - (2 * k + 1) * calls / (2 * kills);
    const testing::TempFolder folder;
    const std::string fault = fmt::format("change:{}@{}", k % 2 == 0 ? "KILL" : "KILL_HALF", at);
    SCOPED_TRACE(stages.arguments + " " + fault);
    for (const std::string& met : {fault, std::string("change:KILL@1"), fault}) {
      died += testing::run_with_fault(command(folder.path()), met, folder.path().string()).code == kKilled ? 1 : 0;
      expect_whole(folder.path());
    }
    const FaultRun last = testing::run_with_fault(command(folder.path()), "", "");
    EXPECT_EQ(last.code, 0) << last.out;
    EXPECT_EQ(rows_of(folder.path(), stages.database), rows);
    EXPECT_TRUE(fs::exists(folder / stages.last));
    const Tree expected = tree_of(done.path());
    for (const auto& [name, content] : tree_of(folder.path())) {
      EXPECT_TRUE(expected.contains(name)) << name << " is left over";
    }
  }
  std::printf("%s: %d calls, killed %d times\n", stages.arguments.c_str(), calls, died);
  EXPECT_GE(died, kills);
  ::unsetenv("COLMAP");
}

INSTANTIATE_TEST_SUITE_P(
    Commands, KilledBetweenStages,
    ::testing::Values(Stages{"match --images IN/photographs --detector dog --max-keypoints 300 --database OUT/c.db",
                             "c.db", "c.db"},
                      Stages{"reconstruct IN/photographs --detector dog --max-keypoints 300 --out OUT/w",
                             "w/database.db", "w/report.html"}));

std::vector<Writer> writers() {
  std::vector<Writer> found;
  for (const Writer& writer : testing::kWriters) {
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
