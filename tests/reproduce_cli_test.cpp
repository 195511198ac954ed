// SPDX-License-Identifier: Apache-2.0
// adasample reproduce at toy size: pages, verdicts, what is gone on with, what is missing. With ADASAMPLE_REPRODUCE=all
// (`make check-all`) every table and figure, else those that take seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "adasample/base/files/file_io.h"
#include "tests/support/program.h"

namespace adasample {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Outcome;

class ReproduceCli : public testing::ProgramTest {
 protected:
  static constexpr const char* kToy =
      " --iterations 4 --batch 6 --k 4 --seeds 2 --sequences 2 --patches 12 --gradient-classes 3"
      " --gradient-steps 2 --device cpu --threads 2 -q";
  std::string page(const std::string& name) const { return read_text(path(name + "/README.md")); }

  // Every patch of a site becomes one grey: what was not blank on its sheets, in tiles of 64 x 64.
  static void make_flat(const fs::path& site) {
    for (const auto& entry : fs::directory_iterator(site)) {
      if (entry.path().extension() != ".bmp") continue;
      std::string bytes = read_text(entry.path());
      uint32_t first = 0, width = 0;
      std::memcpy(&first, &bytes[10], sizeof first);
      std::memcpy(&width, &bytes[18], sizeof width);
      const uint32_t across = width / 64, tiles = static_cast<uint32_t>(bytes.size() - first) / (64 * 64);
      for (uint32_t tile = 0; tile < tiles; ++tile) {
        const size_t corner = first + size_t{64} * (tile / across * width + tile % across);
        const auto row = [&](size_t y) { return bytes.begin() + static_cast<std::ptrdiff_t>(corner + y * width); };
        bool blank = true;
        for (size_t y = 0; y < 64; ++y) {
          blank = blank && std::all_of(row(y), row(y) + 64, [&](char c) { return c == bytes[corner]; });
        }
        for (size_t y = 0; y < 64 && !blank; ++y) std::fill_n(row(y), 64, 'x');
      }
      fs::remove(entry.path());
      write_file_atomically(entry.path(), bytes);
    }
  }
};

TEST_F(ReproduceCli, TablesFiguresAndWhatIsMissing) {
  const Outcome done = run(std::string("reproduce table3 --json --out r --points 40") + kToy);
  EXPECT_EQ(done.code, 0) << done.err;
  const json result = json::parse(done.out);
  ASSERT_EQ(result["pages"].size(), 1u);
  EXPECT_EQ(result["pages"][0]["title"],
            "Table 3 on a stand-in for PhotoTour (procedural scenes), 2 seeds, 24 pairs per run");
  EXPECT_EQ(result["pages"][0]["claims"].size(), 7u);
  for (const json& claim : result["pages"][0]["claims"]) EXPECT_EQ(claim["verdict"], "cannot tell") << claim.dump();
  for (const char* part :
       {"| ND -> Lib | ", "(1.316 ± 0.044)", "| 2 and 2 | cannot tell |", "adasample reproduce table3"}) {
    EXPECT_NE(page("r/table3").find(part), std::string::npos) << part << "\n" << page("r/table3");
  }
  EXPECT_NE(read_text(path("r/table3/page.html")).find("Content-Security-Policy"), std::string::npos);

  // Gradients, on a site that is there; nothing is trained twice.
  const auto trained = fs::last_write_time(path("r/runs/liberty/scores/hardnet-plus-star-on-generated-seed0/run.json"));
  const Outcome figure = run(std::string("reproduce figure3 --json --out r --points 40") + kToy);
  EXPECT_EQ(figure.code, 0) << figure.err;
  EXPECT_NE(page("r/figure3").find("| shipped | 4 | "), std::string::npos) << page("r/figure3");
  EXPECT_NE(read_text(path("r/figure3/page.html")).find("data-metric=\"correlation\""), std::string::npos);
  EXPECT_EQ(run(std::string("reproduce table3 -q --out r --points 40") + kToy).code, 0);
  EXPECT_EQ(fs::last_write_time(path("r/runs/liberty/scores/hardnet-plus-star-on-generated-seed0/run.json")), trained);

  // Another call's folder is not gone on in.
  const Outcome other = run(std::string("reproduce table3 --out r --points 41") + kToy);
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("points = 40, now it is 41"), std::string::npos) << other.err;

  // The same sites as somebody's own PhotoTour, one of them missing: told, and the rest goes on.
  fs::create_directories(path("tour"));
  for (const char* site : {"liberty", "notredame"})
    fs::rename(path(std::string("r/data/") + site), path(std::string("tour/") + site));
  const Outcome missing = run(std::string("reproduce table3 --phototour tour --out m --points 40") + kToy);
  EXPECT_EQ(missing.code, 1);
  EXPECT_NE(missing.err.find("yosemite"), std::string::npos) << missing.err;
  EXPECT_NE(page("m/table3").find("# Table 3 on PhotoTour, 2 seeds"), std::string::npos);
  EXPECT_NE(page("m/table3").find("yosemite is not there"), std::string::npos) << page("m/table3");
  EXPECT_NE(page("m/table3").find("| Yos -> ND | - ("), std::string::npos) << page("m/table3");
  EXPECT_EQ(page("m/table3").find("| Lib -> ND | - ("), std::string::npos) << page("m/table3");

  // A site whose patches are of one grey teaches nothing: what is trained on it collapses, which is said, and the other
  // site has its numbers. The alarm looks at 100 iterations.
  make_flat(path("tour/liberty"));
  const Outcome collapsed = run(
      "reproduce table3 --phototour tour --out c --points 40 --iterations 101 --batch 4 --k 2 --seeds 2 --device cpu "
      "--threads 2 -q");
  EXPECT_EQ(collapsed.code, 1);
  EXPECT_NE(collapsed.err.find("hardnet-plus-star-on-generated-seed0 collapsed: the descriptors have collapsed"),
            std::string::npos)
      << collapsed.err;
  const std::string table = page("c/table3");
  EXPECT_NE(table.find("the descriptors have collapsed by iteration 99"), std::string::npos) << table;
  EXPECT_NE(table.find("| Lib -> ND | - ("), std::string::npos) << table;
  EXPECT_EQ(table.find("| ND -> Lib | - ("), std::string::npos) << table;
}

TEST_F(ReproduceCli, BadUsage) {
  EXPECT_EQ(run("reproduce table4 --out r -q").code, 2);
  EXPECT_EQ(run("reproduce table1 --out r --seeds 1 -q --device cpu").code, 2);
  fs::create_directories(path("mine/kept"));
  const Outcome refused = run("reproduce table1 --out mine -q --device cpu --batch 4");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("choose another --out"), std::string::npos) << refused.err;
}

TEST_F(ReproduceCli, All) {
  if (std::getenv("ADASAMPLE_REPRODUCE") == nullptr) GTEST_SKIP() << "ADASAMPLE_REPRODUCE=all runs all of them";
  const Outcome done = run(std::string("reproduce all --json --out all --points 40") + kToy);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(json::parse(done.out)["pages"].size(), 5u);
  EXPECT_NE(page("all/table2").find("| inf | "), std::string::npos);
  EXPECT_NE(read_text(path("all/figure2/figure2.svg")).find("data-name=\"AdaSample-HP\""), std::string::npos);
  // Every row of Table 1 was trained by itself.
  for (const char* run : {"hardnet-gor-plus-on-real-seed0", "matchnet-on-real-64-seed0", "doap-plus-on-real-seed0"}) {
    EXPECT_TRUE(fs::exists(path(std::string("all/runs/yosemite/scores/") + run + "/notredame.json"))) << run;
  }
}

}  // namespace
}  // namespace adasample
