// SPDX-License-Identifier: Apache-2.0
// tools/release.sh in a small repository of its own, whose `make deb` is a stand-in: what it refuses, what it makes.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "adasample/base/files/file_io.h"
#include "tests/support/process.h"
#include "tests/support/temp_folder.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;

// Nothing of the person who runs the test: no configuration, no hooks, no signatures.
const std::string kGit =
    "git -c user.name=test -c user.email=test@localhost -c init.defaultBranch=main -c core.hooksPath=/dev/null "
    "-c commit.gpgSign=false -c tag.gpgSign=false ";

const std::string kDated =
    "# Changelog\n\n## 1.2.3 - 2026-01-02\n\n- Something new.\n\n## 1.2.2 - 2025-01-02\n\n- Old.\n";

class Release : public ::testing::Test {
 protected:
  void SetUp() override {
    if (shell("git --version") != 0) GTEST_SKIP() << "no git";
    fs::create_directories(repository() / "tools");
    fs::copy_file(ADASAMPLE_SOURCE_DIR "/tools/release.sh", repository() / "tools/release.sh");
    put("CMakeLists.txt", "cmake_minimum_required(VERSION 3.23)\nproject(adasample VERSION 1.2.3 LANGUAGES CXX)\n");
    put(".gitignore", "/build/\n");
    put("Makefile", "deb:\n\tmkdir -p build/deb && touch build/deb/a_1.2.3_amd64.deb build/deb/b_1.2.3_all.deb\n");
    put("CHANGELOG.md", kDated);
    ASSERT_EQ(git("init -q ."), 0);
    commit();
  }

  fs::path repository() const { return folder_ / "repository"; }
  fs::path made() const { return repository() / "build/release-1.2.3"; }
  void put(const std::string& name, const std::string& text) const { write_file_atomically(repository() / name, text); }

  // In the repository, or in the folder above while there is none; the exit code.
  int shell(const std::string& command) const {
    const std::string quoted = "sh -c '" + (fs::exists(repository()) ? "cd repository && " + command : command) + "'";
    return testing::Process(folder_.path(), quoted,
                            "-u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE -u MAKEFLAGS -u RELEASE_DEBS "
                            "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1")
        .wait();
  }
  int git(const std::string& arguments) const { return shell(kGit + arguments); }
  void commit() const { ASSERT_EQ(git("add -A") + git("commit -q -m change"), 0) << read_text(folder_ / "err.txt"); }

  // One failure with these words, and nothing is left of it.
  void expect_refusal(const std::vector<std::string>& parts) const {
    EXPECT_NE(shell("tools/release.sh"), 0);
    const std::string said = read_text(folder_ / "err.txt");
    for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " not in: " << said;
    remove_tree(repository() / "build/deb");
    EXPECT_TRUE(!fs::exists(repository() / "build") || fs::is_empty(repository() / "build"));
  }

  testing::TempFolder folder_;
};

TEST_F(Release, HoldsTheCommitItsChangesAndChecksums) {
  ASSERT_EQ(shell("RELEASE_DEBS=0 tools/release.sh"), 0) << read_text(folder_ / "err.txt");
  EXPECT_NE(read_text(folder_ / "out.txt").find("git tag -a v1.2.3"), std::string::npos);
  EXPECT_EQ(read_text(made() / "CHANGES.md"), "## 1.2.3 - 2026-01-02\n\n- Something new.\n\n");
  EXPECT_EQ(shell("cd build/release-1.2.3 && sha256sum -c SHA256SUMS && test $(wc -l < SHA256SUMS) = 2"), 0);
  EXPECT_EQ(shell("tar xzf build/release-1.2.3/adasample-1.2.3.tar.gz -C .. && "
                  "git ls-files | while read f; do cmp $f ../adasample-1.2.3/$f || exit 1; done"),
            0)
      << read_text(folder_ / "err.txt");

  // The same commit gives the same bytes; neither a commit nor a tag was made.
  const std::string sums = read_text(made() / "SHA256SUMS");
  EXPECT_EQ(shell("tools/release.sh"), 1);
  EXPECT_NE(read_text(folder_ / "err.txt").find("already exists"), std::string::npos);
  remove_tree(made());
  ASSERT_EQ(shell("RELEASE_DEBS=0 tools/release.sh"), 0);
  EXPECT_EQ(read_text(made() / "SHA256SUMS"), sums);
  EXPECT_EQ(shell("test $(git rev-list --count HEAD) = 1 && test -z \"$(git tag)\""), 0);
}

TEST_F(Release, HoldsTheDebianPackagesOfItsVersion) {
  ASSERT_EQ(shell("tools/release.sh"), 0) << read_text(folder_ / "err.txt");
  EXPECT_EQ(shell("cd build/release-1.2.3 && sha256sum -c SHA256SUMS && test $(wc -l < SHA256SUMS) = 4"), 0);
  EXPECT_TRUE(fs::exists(made() / "a_1.2.3_amd64.deb") && fs::exists(made() / "b_1.2.3_all.deb"));
  remove_tree(repository() / "build");
  const auto expect_refused = [&](const std::string& recipe, const std::string& words) {
    put("Makefile", "deb:\n\t" + recipe + "\n");
    commit();
    expect_refusal({words});
  };
  expect_refused("mkdir -p build/deb && touch build/deb/a_1.2.2_amd64.deb", "a_1.2.2_amd64.deb: is not of version");
  expect_refused("mkdir -p build/deb", "make deb left no package");
  expect_refused("false", "Error 1");
  expect_refused("touch new.txt", "not committed");
}

TEST_F(Release, RefusesWhatIsNotCommitted) {
  put("new.txt", "new\n");
  expect_refusal({"not committed", "?? new.txt"});
  commit();
  put("new.txt", "changed\n");
  expect_refusal({"not committed", " M new.txt"});
}

TEST_F(Release, RefusesAVersionThatTheChangelogDoesNotHave) {
  put("CHANGELOG.md", "# Changelog\n\n## 1.2.2 - 2025-01-02\n\n- Old.\n");
  commit();
  expect_refusal({"no section of version 1.2.3", "## 1.2.3 - YYYY-MM-DD"});
  put("CHANGELOG.md", "# Changelog\n\n## 1.2.3 - unreleased\n\n- Something new.\n");
  commit();
  expect_refusal({"no date yet", "sed -i 's/^## 1.2.3 - unreleased$/## 1.2.3 - ", "git commit"});
  put("CHANGELOG.md", "# Changelog\n\n## 1.2.3 - 2026-01-02\n\n## 1.2.2 - 2025-01-02\n\n- Old.\n");
  commit();
  expect_refusal({"the section of version 1.2.3 is empty"});
  put("CMakeLists.txt", "project(adasample LANGUAGES CXX)\n");
  commit();
  expect_refusal({"CMakeLists.txt: expected", "VERSION X.Y.Z"});
}

TEST_F(Release, RefusesATagOfAnotherCommit) {
  ASSERT_EQ(git("tag -a v1.2.3 -m first"), 0);
  put("new.txt", "new\n");
  commit();
  expect_refusal({"v1.2.3 is another commit"});
}

}  // namespace
}  // namespace adasample
